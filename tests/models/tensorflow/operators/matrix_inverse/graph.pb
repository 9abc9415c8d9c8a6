
7
x0Placeholder*
dtype0*
shape:

yMatrixInversex0*
T0"ó
