
/
x0Placeholder*
dtype0*
shape:

Invert_1Invertx0*
T0
/
x1Placeholder*
dtype0*
shape:
#

OnesLike_3OnesLikex1*
T0
/
x2Placeholder*
dtype0*
shape:

Relu_5Relux2*
T0
/
x3Placeholder*
dtype0*
shape:

Relu6_7Relu6x3*
T0
/
x4Placeholder*
dtype0*
shape:

Square_9Squarex4*
T0
/
x5Placeholder*
dtype0*
shape:
&
ZerosLike_11	ZerosLikex5*
T0"ó
