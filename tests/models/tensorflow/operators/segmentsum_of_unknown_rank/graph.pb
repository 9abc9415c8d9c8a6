
,
xPlaceholder*
dtype0*
shape:
7
nPlaceholder*
dtype0*
shape:ÿÿÿÿÿÿÿÿÿ
.
y
SegmentSumxn*
T0*
Tindices0"ó
