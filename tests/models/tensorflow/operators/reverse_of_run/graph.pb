
7
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0*
shape:
+
y	ReverseV2x0x1*
T0*

Tidx0"ó
