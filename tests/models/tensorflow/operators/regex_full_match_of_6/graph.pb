
/
x0Placeholder*
dtype0*
shape:
/
k1Const*
dtype0*
valueB
B[abc]*

yRegexFullMatchx0k1"ó
