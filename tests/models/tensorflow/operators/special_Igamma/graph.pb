
3
x0Placeholder*
dtype0*
shape
:
/
x1Placeholder*
dtype0*
shape:

yIgammax0x1*
T0"ó
