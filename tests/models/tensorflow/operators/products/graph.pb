
3
x0Placeholder*
dtype0*
shape
:
3
x1Placeholder*
dtype0*
shape
:
#
MatMul_2MatMulx0x1*
T0
3
x2Placeholder*
dtype0*
shape
:
3
x3Placeholder*
dtype0*
shape
:
I
MatMul_5MatMulx2x3*
T0*
transpose_a(*
transpose_b(
3
x4Placeholder*
dtype0*
shape
:
3
x5Placeholder*
dtype0*
shape
:
#
MatMul_8MatMulx4x5*
T0
3
x6Placeholder*
dtype0*
shape
:
3
x7Placeholder*
dtype0*
shape
:
J
	MatMul_11MatMulx6x7*
T0*
transpose_a(*
transpose_b(
3
x8Placeholder*
dtype0*
shape
:
3
x9Placeholder*
dtype0*
shape
:
$
	MatMul_14MatMulx8x9*
T0
4
x10Placeholder*
dtype0*
shape
:
4
x11Placeholder*
dtype0*
shape
:
L
	MatMul_17MatMulx10x11*
T0*
transpose_a(*
transpose_b(
4
x12Placeholder*
dtype0*
shape
:
4
x13Placeholder*
dtype0*
shape
:
&
	MatMul_20MatMulx12x13*
T0
4
x14Placeholder*
dtype0*
shape
:
4
x15Placeholder*
dtype0*
shape
:
L
	MatMul_23MatMulx14x15*
T0*
transpose_a(*
transpose_b(
4
x16Placeholder*
dtype0*
shape
:
4
x17Placeholder*
dtype0*
shape
:
&
	MatMul_26MatMulx16x17*
T0
4
x18Placeholder*
dtype0*
shape
:
4
x19Placeholder*
dtype0*
shape
:
L
	MatMul_29MatMulx18x19*
T0*
transpose_a(*
transpose_b(
4
x20Placeholder*
dtype0*
shape
:
4
x21Placeholder*
dtype0*
shape
:
&
	MatMul_32MatMulx20x21*
T0
4
x22Placeholder*
dtype0*
shape
:
4
x23Placeholder*
dtype0*
shape
:
L
	MatMul_35MatMulx22x23*
T0*
transpose_a(*
transpose_b(
4
x24Placeholder*
dtype0*
shape
:
4
x25Placeholder*
dtype0*
shape
:
&
	MatMul_38MatMulx24x25*
T0
4
x26Placeholder*
dtype0*
shape
:
4
x27Placeholder*
dtype0*
shape
:
L
	MatMul_41MatMulx26x27*
T0*
transpose_a(*
transpose_b(
4
x28Placeholder*
dtype0*
shape
:
4
x29Placeholder*
dtype0*
shape
:
&
	MatMul_44MatMulx28x29*
T0
4
x30Placeholder*
dtype0*
shape
:
4
x31Placeholder*
dtype0*
shape
:
L
	MatMul_47MatMulx30x31*
T0*
transpose_a(*
transpose_b(
4
x32Placeholder*
dtype0	*
shape
:
4
x33Placeholder*
dtype0	*
shape
:
&
	MatMul_50MatMulx32x33*
T0	
4
x34Placeholder*
dtype0	*
shape
:
4
x35Placeholder*
dtype0	*
shape
:
L
	MatMul_53MatMulx34x35*
T0	*
transpose_a(*
transpose_b(
4
x36Placeholder*
dtype0*
shape
:
4
x37Placeholder*
dtype0*
shape
:
&
	MatMul_56MatMulx36x37*
T0
4
x38Placeholder*
dtype0*
shape
:
4
x39Placeholder*
dtype0*
shape
:
L
	MatMul_59MatMulx38x39*
T0*
transpose_a(*
transpose_b(
4
x40Placeholder*
dtype0*
shape
:
4
x41Placeholder*
dtype0*
shape
:
&
	MatMul_62MatMulx40x41*
T0
4
x42Placeholder*
dtype0*
shape
:
4
x43Placeholder*
dtype0*
shape
:
L
	MatMul_65MatMulx42x43*
T0*
transpose_a(*
transpose_b(
8
x44Placeholder*
dtype0*
shape:
8
x45Placeholder*
dtype0*
shape:
0
BatchMatMul_68BatchMatMulx44x45*
T0
8
x46Placeholder*
dtype0*
shape:
8
x47Placeholder*
dtype0*
shape:
J
BatchMatMul_71BatchMatMulx46x47*
T0*
adj_x(*
adj_y(
8
x48Placeholder*
dtype0*
shape:
8
x49Placeholder*
dtype0*
shape:
0
BatchMatMul_74BatchMatMulx48x49*
T0
8
x50Placeholder*
dtype0*
shape:
8
x51Placeholder*
dtype0*
shape:
J
BatchMatMul_77BatchMatMulx50x51*
T0*
adj_x(*
adj_y(
8
x52Placeholder*
dtype0*
shape:
8
x53Placeholder*
dtype0*
shape:
0
BatchMatMul_80BatchMatMulx52x53*
T0
8
x54Placeholder*
dtype0*
shape:
8
x55Placeholder*
dtype0*
shape:
J
BatchMatMul_83BatchMatMulx54x55*
T0*
adj_x(*
adj_y(
8
x56Placeholder*
dtype0*
shape:
8
x57Placeholder*
dtype0*
shape:
0
BatchMatMul_86BatchMatMulx56x57*
T0
8
x58Placeholder*
dtype0*
shape:
8
x59Placeholder*
dtype0*
shape:
J
BatchMatMul_89BatchMatMulx58x59*
T0*
adj_x(*
adj_y(
8
x60Placeholder*
dtype0	*
shape:
8
x61Placeholder*
dtype0	*
shape:
0
BatchMatMul_92BatchMatMulx60x61*
T0	
8
x62Placeholder*
dtype0	*
shape:
8
x63Placeholder*
dtype0	*
shape:
J
BatchMatMul_95BatchMatMulx62x63*
T0	*
adj_x(*
adj_y(
8
x64Placeholder*
dtype0*
shape:
8
x65Placeholder*
dtype0*
shape:
0
BatchMatMul_98BatchMatMulx64x65*
T0
8
x66Placeholder*
dtype0*
shape:
8
x67Placeholder*
dtype0*
shape:
K
BatchMatMul_101BatchMatMulx66x67*
T0*
adj_x(*
adj_y(
8
x68Placeholder*
dtype0*
shape:
8
x69Placeholder*
dtype0*
shape:
1
BatchMatMul_104BatchMatMulx68x69*
T0
8
x70Placeholder*
dtype0*
shape:
8
x71Placeholder*
dtype0*
shape:
K
BatchMatMul_107BatchMatMulx70x71*
T0*
adj_x(*
adj_y(
8
x72Placeholder*
dtype0*
shape:
8
x73Placeholder*
dtype0*
shape:
5
BatchMatMulV2_110BatchMatMulV2x72x73*
T0
8
x74Placeholder*
dtype0*
shape:
8
x75Placeholder*
dtype0*
shape:
O
BatchMatMulV2_113BatchMatMulV2x74x75*
T0*
adj_x(*
adj_y(
8
x76Placeholder*
dtype0*
shape:
8
x77Placeholder*
dtype0*
shape:
5
BatchMatMulV2_116BatchMatMulV2x76x77*
T0
8
x78Placeholder*
dtype0*
shape:
8
x79Placeholder*
dtype0*
shape:
O
BatchMatMulV2_119BatchMatMulV2x78x79*
T0*
adj_x(*
adj_y(
8
x80Placeholder*
dtype0*
shape:
8
x81Placeholder*
dtype0*
shape:
5
BatchMatMulV2_122BatchMatMulV2x80x81*
T0
8
x82Placeholder*
dtype0*
shape:
8
x83Placeholder*
dtype0*
shape:
O
BatchMatMulV2_125BatchMatMulV2x82x83*
T0*
adj_x(*
adj_y(
8
x84Placeholder*
dtype0*
shape:
8
x85Placeholder*
dtype0*
shape:
5
BatchMatMulV2_128BatchMatMulV2x84x85*
T0
8
x86Placeholder*
dtype0*
shape:
8
x87Placeholder*
dtype0*
shape:
O
BatchMatMulV2_131BatchMatMulV2x86x87*
T0*
adj_x(*
adj_y(
8
x88Placeholder*
dtype0*
shape:
8
x89Placeholder*
dtype0*
shape:
5
BatchMatMulV2_134BatchMatMulV2x88x89*
T0
8
x90Placeholder*
dtype0*
shape:
8
x91Placeholder*
dtype0*
shape:
O
BatchMatMulV2_137BatchMatMulV2x90x91*
T0*
adj_x(*
adj_y(
8
x92Placeholder*
dtype0*
shape:
8
x93Placeholder*
dtype0*
shape:
5
BatchMatMulV2_140BatchMatMulV2x92x93*
T0
8
x94Placeholder*
dtype0*
shape:
8
x95Placeholder*
dtype0*
shape:
O
BatchMatMulV2_143BatchMatMulV2x94x95*
T0*
adj_x(*
adj_y(
8
x96Placeholder*
dtype0*
shape:
8
x97Placeholder*
dtype0*
shape:
5
BatchMatMulV2_146BatchMatMulV2x96x97*
T0
8
x98Placeholder*
dtype0*
shape:
8
x99Placeholder*
dtype0*
shape:
O
BatchMatMulV2_149BatchMatMulV2x98x99*
T0*
adj_x(*
adj_y(
9
x100Placeholder*
dtype0*
shape:
9
x101Placeholder*
dtype0*
shape:
7
BatchMatMulV2_152BatchMatMulV2x100x101*
T0
9
x102Placeholder*
dtype0*
shape:
9
x103Placeholder*
dtype0*
shape:
Q
BatchMatMulV2_155BatchMatMulV2x102x103*
T0*
adj_x(*
adj_y(
9
x104Placeholder*
dtype0*
shape:
9
x105Placeholder*
dtype0*
shape:
7
BatchMatMulV2_158BatchMatMulV2x104x105*
T0
9
x106Placeholder*
dtype0*
shape:
9
x107Placeholder*
dtype0*
shape:
Q
BatchMatMulV2_161BatchMatMulV2x106x107*
T0*
adj_x(*
adj_y(
9
x108Placeholder*
dtype0	*
shape:
9
x109Placeholder*
dtype0	*
shape:
7
BatchMatMulV2_164BatchMatMulV2x108x109*
T0	
9
x110Placeholder*
dtype0	*
shape:
9
x111Placeholder*
dtype0	*
shape:
Q
BatchMatMulV2_167BatchMatMulV2x110x111*
T0	*
adj_x(*
adj_y(
9
x112Placeholder*
dtype0*
shape:
9
x113Placeholder*
dtype0*
shape:
7
BatchMatMulV2_170BatchMatMulV2x112x113*
T0
9
x114Placeholder*
dtype0*
shape:
9
x115Placeholder*
dtype0*
shape:
Q
BatchMatMulV2_173BatchMatMulV2x114x115*
T0*
adj_x(*
adj_y(
9
x116Placeholder*
dtype0*
shape:
9
x117Placeholder*
dtype0*
shape:
7
BatchMatMulV2_176BatchMatMulV2x116x117*
T0
9
x118Placeholder*
dtype0*
shape:
9
x119Placeholder*
dtype0*
shape:
Q
BatchMatMulV2_179BatchMatMulV2x118x119*
T0*
adj_x(*
adj_y(
=
x120Placeholder*
dtype0*
shape:
9
x121Placeholder*
dtype0*
shape:
7
BatchMatMulV2_182BatchMatMulV2x120x121*
T0
9
x122Placeholder*
dtype0*
shape:
5
x123Placeholder*
dtype0*
shape
:
N
BatchMatMulV3_185BatchMatMulV3x122x123*
Ta0*
Tb0*

Tout0
9
x124Placeholder*
dtype0*
shape:
5
x125Placeholder*
dtype0*
shape
:
N
BatchMatMulV3_188BatchMatMulV3x124x125*
Ta0*
Tb0*

Tout0
9
x126Placeholder*
dtype0*
shape:
5
x127Placeholder*
dtype0*
shape
:
N
BatchMatMulV3_191BatchMatMulV3x126x127*
Ta0*
Tb0*

Tout0
9
x128Placeholder*
dtype0*
shape:
5
x129Placeholder*
dtype0*
shape
:
N
BatchMatMulV3_194BatchMatMulV3x128x129*
Ta0*
Tb0*

Tout0"ó
