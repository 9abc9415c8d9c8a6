
/
x0Placeholder*
dtype0*
shape:
 
yEncodeBase64x0*	
pad("ó
