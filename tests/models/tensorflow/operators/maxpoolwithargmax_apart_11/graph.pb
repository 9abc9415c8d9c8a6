
U
xPlaceholder*
dtype0*6
shape-:+ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ
l
yMaxPoolWithArgmaxx*
T0*
Targmax0	*
ksize
*
paddingSAME*
strides
"ó
