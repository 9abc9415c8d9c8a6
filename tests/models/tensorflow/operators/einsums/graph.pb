
3
x0Placeholder*
dtype0*
shape
:
3
x1Placeholder*
dtype0*
shape
:
E
Einsum_2Einsumx0x1*
N*
T0*
equation	ij,jk->ik
7
x2Placeholder*
dtype0*
shape:
7
x3Placeholder*
dtype0*
shape:
H
Einsum_5Einsumx2x3*
N*
T0*
equationbij,bjk->bik
7
x4Placeholder*
dtype0*
shape:
7
x5Placeholder*
dtype0*
shape:
N
Einsum_8Einsumx4x5*
N*
T0* 
equation...ij,...jk->...ik
3
x6Placeholder*
dtype0*
shape
:
?
	Einsum_10Einsumx6*
N*
T0*
equationij->ji
3
x7Placeholder*
dtype0*
shape
:
>
	Einsum_12Einsumx7*
N*
T0*
equationii->i
3
x8Placeholder*
dtype0*
shape
:
=
	Einsum_14Einsumx8*
N*
T0*
equationii->
3
x9Placeholder*
dtype0*
shape
:
=
	Einsum_16Einsumx9*
N*
T0*
equationij->
0
x10Placeholder*
dtype0*
shape:
0
x11Placeholder*
dtype0*
shape:
F
	Einsum_19Einsumx10x11*
N*
T0*
equation	i,j->ij
<
x12Placeholder*
dtype0*
shape:
8
x13Placeholder*
dtype0*
shape:
L
	Einsum_22Einsumx12x13*
N*
T0*
equationabcd,cde->abe
8
x14Placeholder*
dtype0*
shape:
0
x15Placeholder*
dtype0*
shape:
L
	Einsum_25Einsumx14x15*
N*
T0*
equationbh...,h->b...
4
x16Placeholder*
dtype0*
shape
:
0
x17Placeholder*
dtype0*
shape:
I
	Einsum_28Einsumx16x17*
N*
T0*
equation
ij,j->i...
4
x18Placeholder*
dtype0*
shape
:
4
x19Placeholder*
dtype0*
shape
:
M
	Einsum_31Einsumx18x19*
N*
T0*
equationi...,i...->...
4
x20Placeholder*
dtype0*
shape
:
4
x21Placeholder*
dtype0*
shape
:
H
	Einsum_34Einsumx20x21*
N*
T0*
equation	ij,kj->ik
4
x22Placeholder*
dtype0	*
shape
:
4
x23Placeholder*
dtype0	*
shape
:
H
	Einsum_37Einsumx22x23*
N*
T0	*
equation	ij,kj->ik
4
x24Placeholder*
dtype0*
shape
:
4
x25Placeholder*
dtype0*
shape
:
H
	Einsum_40Einsumx24x25*
N*
T0*
equation	ij,kj->ik
4
x26Placeholder*
dtype0*
shape
:
4
x27Placeholder*
dtype0*
shape
:
H
	Einsum_43Einsumx26x27*
N*
T0*
equation	ij,kj->ik
4
x28Placeholder*
dtype0*
shape
:
4
x29Placeholder*
dtype0*
shape
:
H
	Einsum_46Einsumx28x29*
N*
T0*
equation	ij,kj->ik"ó
