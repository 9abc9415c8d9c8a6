
/
x0Placeholder*
dtype0	*
shape:
/
x1Placeholder*
dtype0	*
shape:

y	LeftShiftx0x1*
T0	"ó
