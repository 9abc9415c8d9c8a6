
3
x0Placeholder*
dtype0*
shape
:
/
x1Placeholder*
dtype0*
shape:
/
x2Placeholder*
dtype0*
shape:
V
y!FakeQuantWithMinMaxVarsPerChannelx0x1x2*
narrow_range(*
num_bits"ó
