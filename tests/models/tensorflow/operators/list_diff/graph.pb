
/
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0*
shape:
-
yListDiffx0x1*
T0*
out_idx0"ó
