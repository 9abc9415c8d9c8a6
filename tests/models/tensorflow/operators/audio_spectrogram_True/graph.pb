
4
x0Placeholder*
dtype0*
shape:	ê
S
yAudioSpectrogramx0*
magnitude_squared(*
stride<*
window_sized"Û
