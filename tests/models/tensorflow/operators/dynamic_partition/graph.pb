
3
x0Placeholder*
dtype0*
shape
:
/
x1Placeholder*
dtype0*
shape:
<
yDynamicPartitionx0x1*
T0*
num_partitions"ó
