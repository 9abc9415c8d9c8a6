
/
x0Placeholder*
dtype0*
shape:

yErfcx0*
T0"ó
