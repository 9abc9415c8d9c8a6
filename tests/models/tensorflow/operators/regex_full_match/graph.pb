
/
x0Placeholder*
dtype0*
shape:
5
yStaticRegexFullMatchx0*
pattern	\s*\w*\s*"ó
