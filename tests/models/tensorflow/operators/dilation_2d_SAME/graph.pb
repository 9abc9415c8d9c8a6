
;
x0Placeholder*
dtype0*
shape:
g
k1Const*
dtype0*M
valueDBB"0ŸdÔ¿V›®?Ÿñ¿İë>‘)Ô>Æª¬>¿¤›½GQ
ÀóÊÖ¾R ¿%µ“¿1Vï¿
[
y
Dilation2Dx0k1*
T0*
paddingSAME*
rates
*
strides
"ó
