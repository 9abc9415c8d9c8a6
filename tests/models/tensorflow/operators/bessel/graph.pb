
/
x0Placeholder*
dtype0*
shape:
#

BesselI0_1BesselI0x0*
T0
%
BesselI0e_2	BesselI0ex0*
T0
#

BesselI1_3BesselI1x0*
T0
%
BesselI1e_4	BesselI1ex0*
T0
/
x1Placeholder*
dtype0*
shape:
#

BesselJ0_6BesselJ0x1*
T0
#

BesselJ1_7BesselJ1x1*
T0
/
x2Placeholder*
dtype0*
shape:
#

BesselK0_9BesselK0x2*
T0
&
BesselK0e_10	BesselK0ex2*
T0
$
BesselK1_11BesselK1x2*
T0
&
BesselK1e_12	BesselK1ex2*
T0
/
x3Placeholder*
dtype0*
shape:
$
BesselY0_14BesselY0x3*
T0
$
BesselY1_15BesselY1x3*
T0
/
x4Placeholder*
dtype0*
shape:
$
BesselI0_17BesselI0x4*
T0
&
BesselI0e_18	BesselI0ex4*
T0
$
BesselI1_19BesselI1x4*
T0
&
BesselI1e_20	BesselI1ex4*
T0
/
x5Placeholder*
dtype0*
shape:
$
BesselJ0_22BesselJ0x5*
T0
$
BesselJ1_23BesselJ1x5*
T0
/
x6Placeholder*
dtype0*
shape:
$
BesselK0_25BesselK0x6*
T0
&
BesselK0e_26	BesselK0ex6*
T0
$
BesselK1_27BesselK1x6*
T0
&
BesselK1e_28	BesselK1ex6*
T0
/
x7Placeholder*
dtype0*
shape:
$
BesselY0_30BesselY0x7*
T0
$
BesselY1_31BesselY1x7*
T0"ó
