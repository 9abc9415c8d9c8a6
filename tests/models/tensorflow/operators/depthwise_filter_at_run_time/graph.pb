
:
xPlaceholder*
dtype0*
shape:
Q
filterPlaceholder*
dtype0*-
shape$:"ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ
W
yDepthwiseConv2dNativexfilter*
T0*
paddingVALID*
strides
"ó
