
/
x0Placeholder*
dtype0*
shape:

/
x1Placeholder*
dtype0*
shape:


y	NextAfterx0x1*
T0