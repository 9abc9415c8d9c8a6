
7
x0Placeholder*
dtype0*
shape:
)
yQrx0*
T0*
full_matrices("ó
