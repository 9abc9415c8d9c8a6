
3
x0Placeholder*
dtype0
*
shape
:
/
x1Placeholder*
dtype0
*
shape:
!
Equal_2Equalx0x1*
T0

3
x2Placeholder*
dtype0
*
shape
:
/
x3Placeholder*
dtype0
*
shape:
'

NotEqual_5NotEqualx2x3*
T0

3
x4Placeholder*
dtype0
*
shape
:
/
x5Placeholder*
dtype0
*
shape:
"
LogicalAnd_8
LogicalAndx4x5
3
x6Placeholder*
dtype0
*
shape
:
/
x7Placeholder*
dtype0
*
shape:
!
LogicalOr_11	LogicalOrx6x7"ó
