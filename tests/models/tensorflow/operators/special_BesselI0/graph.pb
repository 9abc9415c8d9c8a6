
3
x0Placeholder*
dtype0*
shape
:

yBesselI0x0*
T0"ó
