
/
x0Placeholder*
dtype0*
shape:
&
yDataFormatVecPermutex0*
T0"ó
