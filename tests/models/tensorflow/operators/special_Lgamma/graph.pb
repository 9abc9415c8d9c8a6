
3
x0Placeholder*
dtype0*
shape
:

yLgammax0*
T0"ó
