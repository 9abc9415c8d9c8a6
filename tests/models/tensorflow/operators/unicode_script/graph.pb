
/
x0Placeholder*
dtype0*
shape:

yUnicodeScriptx0"ó
