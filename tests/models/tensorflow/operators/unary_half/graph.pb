
/
x0Placeholder*
dtype0*
shape:

Abs_1Absx0*
T0
/
x1Placeholder*
dtype0*
shape:

Acos_3Acosx1*
T0
/
x2Placeholder*
dtype0*
shape:

Acosh_5Acoshx2*
T0
/
x3Placeholder*
dtype0*
shape:

Asin_7Asinx3*
T0
/
x4Placeholder*
dtype0*
shape:

Asinh_9Asinhx4*
T0
/
x5Placeholder*
dtype0*
shape:

Atan_11Atanx5*
T0
/
x6Placeholder*
dtype0*
shape:

Atanh_13Atanhx6*
T0
/
x7Placeholder*
dtype0*
shape:

Ceil_15Ceilx7*
T0
/
x8Placeholder*
dtype0*
shape:

Cos_17Cosx8*
T0
/
x9Placeholder*
dtype0*
shape:

Cosh_19Coshx9*
T0
0
x10Placeholder*
dtype0*
shape:

Elu_21Elux10*
T0
0
x11Placeholder*
dtype0*
shape:

Erf_23Erfx11*
T0
0
x12Placeholder*
dtype0*
shape:

Erfc_25Erfcx12*
T0
0
x13Placeholder*
dtype0*
shape:

Exp_27Expx13*
T0
0
x14Placeholder*
dtype0*
shape:

Expm1_29Expm1x14*
T0
0
x15Placeholder*
dtype0*
shape:

Floor_31Floorx15*
T0
0
x16Placeholder*
dtype0*
shape:

Inv_33Invx16*
T0
0
x17Placeholder*
dtype0*
shape:
%
IsFinite_35IsFinitex17*
T0
0
x18Placeholder*
dtype0*
shape:

IsInf_37IsInfx18*
T0
0
x19Placeholder*
dtype0*
shape:

IsNan_39IsNanx19*
T0
0
x20Placeholder*
dtype0*
shape:

Log_41Logx20*
T0
0
x21Placeholder*
dtype0*
shape:


Log1p_43Log1px21*
T0
0
x22Placeholder*
dtype0*
shape:

Neg_45Negx22*
T0
0
x23Placeholder*
dtype0*
shape:
%
OnesLike_47OnesLikex23*
T0
0
x24Placeholder*
dtype0*
shape:
)
Reciprocal_49
Reciprocalx24*
T0
0
x25Placeholder*
dtype0*
shape:


Relu_51Relux25*
T0
0
x26Placeholder*
dtype0*
shape:


Relu6_53Relu6x26*
T0
0
x27Placeholder*
dtype0*
shape:

Rint_55Rintx27*
T0
0
x28Placeholder*
dtype0*
shape:

Round_57Roundx28*
T0
0
x29Placeholder*
dtype0*
shape:

Rsqrt_59Rsqrtx29*
T0
0
x30Placeholder*
dtype0*
shape:

Selu_61Selux30*
T0
0
x31Placeholder*
dtype0*
shape:

#

Sigmoid_63Sigmoidx31*
T0
0
x32Placeholder*
dtype0*
shape:

Sign_65Signx32*
T0
0
x33Placeholder*
dtype0*
shape:

Sin_67Sinx33*
T0
0
x34Placeholder*
dtype0*
shape:

Sinh_69Sinhx34*
T0
0
x35Placeholder*
dtype0*
shape:

%
Softplus_71Softplusx35*
T0
0
x36Placeholder*
dtype0*
shape:
%
Softsign_73Softsignx36*
T0
0
x37Placeholder*
dtype0*
shape:

Sqrt_75Sqrtx37*
T0
0
x38Placeholder*
dtype0*
shape:
!
	Square_77Squarex38*
T0
0
x39Placeholder*
dtype0*
shape:

Tan_79Tanx39*
T0
0
x40Placeholder*
dtype0*
shape:


Tanh_81Tanhx40*
T0
0
x41Placeholder*
dtype0*
shape:
'
ZerosLike_83	ZerosLikex41*
T0"ó
