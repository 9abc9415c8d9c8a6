
/
x0Placeholder*
dtype0*
shape:
4
yAsStringx0*
T0*
fill+*
width"ó
