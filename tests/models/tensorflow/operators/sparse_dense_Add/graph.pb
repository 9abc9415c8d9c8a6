
3
x0Placeholder*
dtype0	*
shape
:
/
x1Placeholder*
dtype0*
shape:
/
x2Placeholder*
dtype0	*
shape:
/
x3Placeholder*
dtype0*
shape:
1
ySparseDenseCwiseAddx0x1x2x3*
T0"ó
