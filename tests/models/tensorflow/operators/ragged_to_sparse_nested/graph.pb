
/
x0Placeholder*
dtype0	*
shape:
/
x1Placeholder*
dtype0	*
shape:
/
x2Placeholder*
dtype0*
shape:
P
yRaggedTensorToSparsex0x1x2*
RAGGED_RANK*
T0*
Tsplits0	"ó
