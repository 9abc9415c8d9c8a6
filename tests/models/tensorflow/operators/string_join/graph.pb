
3
x0Placeholder*
dtype0*
shape
:
/
x1Placeholder*
dtype0*
shape:
2
y
StringJoinx0x1*
N*
	separator-"ó
