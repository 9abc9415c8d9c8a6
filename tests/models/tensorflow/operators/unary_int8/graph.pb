
/
x0Placeholder*
dtype0*
shape:

Abs_1Absx0*
T0
/
x1Placeholder*
dtype0*
shape:

Invert_3Invertx1*
T0
/
x2Placeholder*
dtype0*
shape:

Neg_5Negx2*
T0
/
x3Placeholder*
dtype0*
shape:
#

OnesLike_7OnesLikex3*
T0
/
x4Placeholder*
dtype0*
shape:

Relu_9Relux4*
T0
/
x5Placeholder*
dtype0*
shape:

Relu6_11Relu6x5*
T0
/
x6Placeholder*
dtype0*
shape:

Round_13Roundx6*
T0
/
x7Placeholder*
dtype0*
shape:

Sign_15Signx7*
T0
/
x8Placeholder*
dtype0*
shape:
 
	Square_17Squarex8*
T0
/
x9Placeholder*
dtype0*
shape:
&
ZerosLike_19	ZerosLikex9*
T0"ó
