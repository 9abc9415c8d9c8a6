
7
x0Placeholder*
dtype0*
shape:

yIFFTx0*
Tcomplex0"ó
