
/
x0Placeholder*
dtype0*
shape:

yDecodeBase64x0"ó
