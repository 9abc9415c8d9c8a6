
/
x0Placeholder*
dtype0*
shape:

yStringLowerx0"ó
