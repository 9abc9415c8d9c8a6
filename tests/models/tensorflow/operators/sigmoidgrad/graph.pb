
3
x0Placeholder*
dtype0*
shape
:
3
x1Placeholder*
dtype0*
shape
:
!
ySigmoidGradx0x1*
T0"ó
