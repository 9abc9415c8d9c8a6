
7
x0Placeholder*
dtype0*
shape:
&
yLogMatrixDeterminantx0*
T0"ó
