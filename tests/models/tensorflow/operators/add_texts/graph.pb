
/
x0Placeholder*
dtype0*
shape:
/
x1Placeholder*
dtype0*
shape:

Add_2Addx0x1*
T0"ó
