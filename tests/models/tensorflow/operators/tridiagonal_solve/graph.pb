
7
x0Placeholder*
dtype0*
shape:
7
x1Placeholder*
dtype0*
shape:
&
yTridiagonalSolvex0x1*
T0"ó
