
/
x0Placeholder*
dtype0*
shape:
8
yAsStringx0*
T0*
	precision*
width"ó
