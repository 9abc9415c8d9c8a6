
;
x0Placeholder*
dtype0*
shape:
‹
yMaxPoolWithArgmaxx0*
T0*
Targmax0	*
include_batch_in_index(*
ksize
*
paddingSAME*
strides
"ó
