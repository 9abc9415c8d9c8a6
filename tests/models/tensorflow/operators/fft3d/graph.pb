
7
x0Placeholder*
dtype0*
shape:

yFFT3Dx0*
Tcomplex0"ó
