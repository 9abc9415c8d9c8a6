
/
x0Placeholder*
dtype0*
shape:

yStringStripx0"ó
