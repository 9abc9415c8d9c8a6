
/
x0Placeholder*
dtype0*
shape:

Ndtri_1Ndtrix0*
T0
/
x1Placeholder*
dtype0*
shape:

Erfinv_3Erfinvx1*
T0
/
x2Placeholder*
dtype0*
shape:
#

BesselK0_5BesselK0x2*
T0
%
BesselK0e_6	BesselK0ex2*
T0
#

BesselY0_7BesselY0x2*
T0
#

BesselK1_8BesselK1x2*
T0
%
BesselK1e_9	BesselK1ex2*
T0
$
BesselY1_10BesselY1x2*
T0
/
x3Placeholder*
dtype0*
shape:
$
BesselK0_12BesselK0x3*
T0
&
BesselK0e_13	BesselK0ex3*
T0
$
BesselY0_14BesselY0x3*
T0
$
BesselK1_15BesselK1x3*
T0
&
BesselK1e_16	BesselK1ex3*
T0
$
BesselY1_17BesselY1x3*
T0"ó
