
/
x0Placeholder*
dtype0	*
shape:
3
x1Placeholder*
dtype0*
shape
:
L
yRaggedTensorToSparsex0x1*
RAGGED_RANK*
T0*
Tsplits0	"ó
