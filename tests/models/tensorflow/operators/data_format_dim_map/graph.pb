
/
x0Placeholder*
dtype0*
shape:
"
yDataFormatDimMapx0*
T0"ó
