
;
x0Placeholder*
dtype0*
shape:
u
yExtractImagePatchesx0*
T0*
ksizes
*
paddingVALID*
rates
*
strides
"ó
