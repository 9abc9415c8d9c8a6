
:
xPlaceholder*
dtype0*
shape:
c
filterPlaceholder*
dtype0*?
shape6:4ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ
G
yConv2Dxfilter*
T0*
paddingSAME*
strides
"ó
