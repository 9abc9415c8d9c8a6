
7
x0Placeholder*
dtype0*
shape:
3
ySelfAdjointEigV2x0*
T0*
	compute_v("ó
