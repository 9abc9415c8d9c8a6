
7
x0Placeholder*
dtype0*
shape:

yBiasAddGradx0*
T0"ó
