
;
x0Placeholder*
dtype0*
shape:

yDiagPartx0*
T0"ó
