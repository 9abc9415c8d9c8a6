
3
x0Placeholder*
dtype0*
shape
:
/
x1Placeholder*
dtype0*
shape:
6
Transpose_2	Transposex0x1*
T0*
Tperm0"ó
