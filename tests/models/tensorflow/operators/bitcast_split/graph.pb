
3
x0Placeholder*
dtype0*
shape
:
%
yBitcastx0*
T0*

type0"ó
