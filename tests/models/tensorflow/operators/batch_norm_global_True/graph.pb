
;
x0Placeholder*
dtype0*
shape:
?
k1Const*
dtype0*%
valueB"Cäv?ùè:¿Ò•?û‘4?
?
k2Const*
dtype0*%
valueB"xÃ¼>)‹=Ú
?~² >
?
k3Const*
dtype0*%
valueB"§¾…¾¢—S?Rv@:À
?
k4Const*
dtype0*%
valueB"Zš?â†?óš¿Å¯¿
~
y BatchNormWithGlobalNormalizationx0k1k2k3k4*
T0*
scale_after_normalization(*
variance_epsilon%oƒ:"ó
