
/
x0Placeholder*
dtype0*
shape:
)
yStringUpperx0*
encodingutf-8"ó
