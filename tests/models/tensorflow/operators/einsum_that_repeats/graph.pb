
;
x0Placeholder*
dtype0*
shape:
7
x1Placeholder*
dtype0*
shape:
N
Einsum_2Einsumx0x1*
N*
T0* 
equation...ij,...jk->...ik"ó
