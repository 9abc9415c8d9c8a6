
J
indicesPlaceholder*
dtype0	*%
shape:ÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿÿ
;
sizesPlaceholder*
dtype0	*
shape:ÿÿÿÿÿÿÿÿÿ
8
toPlaceholder*
dtype0	*
shape:ÿÿÿÿÿÿÿÿÿ
&
ySparseReshapeindicessizesto"ó
