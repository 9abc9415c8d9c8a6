
3
x0Placeholder*
dtype0*
shape
:
!
yPopulationCountx0*
T0"ó
