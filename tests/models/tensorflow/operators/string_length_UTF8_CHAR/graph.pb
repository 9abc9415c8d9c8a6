
/
x0Placeholder*
dtype0*
shape:
*
yStringLengthx0*
unit	UTF8_CHAR"ó
