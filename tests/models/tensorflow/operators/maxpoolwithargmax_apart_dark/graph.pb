
U
xPlaceholder*
dtype0*6
shape-:+ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ
l
yMaxPoolWithArgmaxx*
Targmax0	*
T0*
ksize
*
paddingSAME*
strides
"ó
