
/
x0Placeholder*
dtype0*
shape:
E
yAsStringx0*
T0*
fill-*
	precision*
width"ó
