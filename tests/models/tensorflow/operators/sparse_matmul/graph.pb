
3
x0Placeholder*
dtype0*
shape
:
3
x1Placeholder*
dtype0*
shape
:
@
ySparseMatMulx0x1*
Ta0*
Tb0*
transpose_a("ó
