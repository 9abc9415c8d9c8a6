
/
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0	*
shape:
t
yUnicodeEncodex0x1*
Tsplits0	*
errors	replace*
output_encodingUTF-8*
replacement_charýÿ"ó
