
3
x0Placeholder*
dtype0*
shape
:
3
x1Placeholder*
dtype0*
shape
:
0
y
UpperBoundx0x1*
T0*
out_type0"ó
