
/
x0Placeholder*
dtype0*
shape:

Acos_1Acosx0*
T0
/
x1Placeholder*
dtype0*
shape:

Acosh_3Acoshx1*
T0
/
x2Placeholder*
dtype0*
shape:

Asin_5Asinx2*
T0
/
x3Placeholder*
dtype0*
shape:

Asinh_7Asinhx3*
T0
/
x4Placeholder*
dtype0*
shape:

Atan_9Atanx4*
T0
/
x5Placeholder*
dtype0*
shape:

Atanh_11Atanhx5*
T0
/
x6Placeholder*
dtype0*
shape:

Cos_13Cosx6*
T0
/
x7Placeholder*
dtype0*
shape:

Cosh_15Coshx7*
T0
/
x8Placeholder*
dtype0*
shape:

Exp_17Expx8*
T0
/
x9Placeholder*
dtype0*
shape:

Expm1_19Expm1x9*
T0
0
x10Placeholder*
dtype0*
shape:

Inv_21Invx10*
T0
0
x11Placeholder*
dtype0*
shape:

Log_23Logx11*
T0
0
x12Placeholder*
dtype0*
shape:

Log1p_25Log1px12*
T0
0
x13Placeholder*
dtype0*
shape:

Neg_27Negx13*
T0
0
x14Placeholder*
dtype0*
shape:
%
OnesLike_29OnesLikex14*
T0
0
x15Placeholder*
dtype0*
shape:
)
Reciprocal_31
Reciprocalx15*
T0
0
x16Placeholder*
dtype0*
shape:

Rsqrt_33Rsqrtx16*
T0
0
x17Placeholder*
dtype0*
shape:
#

Sigmoid_35Sigmoidx17*
T0
0
x18Placeholder*
dtype0*
shape:

Sign_37Signx18*
T0
0
x19Placeholder*
dtype0*
shape:

Sin_39Sinx19*
T0
0
x20Placeholder*
dtype0*
shape:

Sinh_41Sinhx20*
T0
0
x21Placeholder*
dtype0*
shape:

Sqrt_43Sqrtx21*
T0
0
x22Placeholder*
dtype0*
shape:
!
	Square_45Squarex22*
T0
0
x23Placeholder*
dtype0*
shape:

Tan_47Tanx23*
T0
0
x24Placeholder*
dtype0*
shape:

Tanh_49Tanhx24*
T0
0
x25Placeholder*
dtype0*
shape:
'
ZerosLike_51	ZerosLikex25*
T0"ó
