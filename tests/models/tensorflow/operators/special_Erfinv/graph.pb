
3
x0Placeholder*
dtype0*
shape
:

yErfinvx0*
T0"ó
