
U
xPlaceholder*
dtype0*6
shape-:+ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ
S
yMaxPoolx*
T0*
ksize
*
paddingSAME*
strides
"ó
