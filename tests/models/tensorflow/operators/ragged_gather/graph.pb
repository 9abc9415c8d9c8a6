
/
x0Placeholder*
dtype0	*
shape:
/
x1Placeholder*
dtype0*
shape:
/
x2Placeholder*
dtype0	*
shape:

yRaggedGatherx0x1x2*
OUTPUT_RAGGED_RANK*
PARAMS_RAGGED_RANK*
Tindices0	*
Tsplits0	*
Tvalues0"ó
