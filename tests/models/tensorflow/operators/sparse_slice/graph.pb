
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
dtype0	*
shape:
/
x4Placeholder*
dtype0	*
shape:
-
ySparseSlicex0x1x2x3x4*
T0"ó
