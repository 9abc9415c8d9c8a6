
/
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0*
shape:
/
x2Placeholder*
dtype0*
shape:
@
RaggedRange_3RaggedRangex0x1x2*
T0*
Tsplits0	"ó
