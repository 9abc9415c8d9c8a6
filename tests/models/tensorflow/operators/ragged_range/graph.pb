
/
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0*
shape:
/
x2Placeholder*
dtype0*
shape:
4
yRaggedRangex0x1x2*
T0*
Tsplits0	"ó
