
/
x0Placeholder*
dtype0*
shape:
'
yAsStringx0*
T0*
width"ó
