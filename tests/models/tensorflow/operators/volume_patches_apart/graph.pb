
?
x0Placeholder*
dtype0*
shape:

y
ExtractVolumePatches_1ExtractVolumePatchesx0*
T0*
ksizes	
*
paddingSAME*
strides	

y
ExtractVolumePatches_2ExtractVolumePatchesx0*
T0*
ksizes	
*
paddingSAME*
strides	
"ó
