
/
x0Placeholder*
dtype0*
shape:
¡
yUnicodeTranscodex0*
errors	replace*
input_encodingUTF-8*
output_encodingUTF-8* 
replace_control_characters(*
replacement_charýÿ"ó
