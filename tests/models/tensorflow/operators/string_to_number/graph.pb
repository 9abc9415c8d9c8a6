
/
x0Placeholder*
dtype0*
shape:
'
yStringToNumberx0*
out_type0"ó
