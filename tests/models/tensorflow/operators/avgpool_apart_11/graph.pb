
U
xPlaceholder*
dtype0*6
shape-:+ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ
S
yAvgPoolx*
T0*
ksize
*
paddingSAME*
strides
"ó
