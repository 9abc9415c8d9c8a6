
/
x0Placeholder*
dtype0*
shape:
)
yStringLowerx0*
encodingutf-8"ó
