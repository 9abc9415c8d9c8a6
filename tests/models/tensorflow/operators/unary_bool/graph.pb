
/
x0Placeholder*
dtype0
*
shape:

LogicalNot_1
LogicalNotx0
/
x1Placeholder*
dtype0
*
shape:
#

OnesLike_3OnesLikex1*
T0

/
x2Placeholder*
dtype0
*
shape:
%
ZerosLike_5	ZerosLikex2*
T0
"ó
