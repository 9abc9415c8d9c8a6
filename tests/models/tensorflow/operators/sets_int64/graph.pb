
7
x0Placeholder*
dtype0	*
shape:
7
x1Placeholder*
dtype0	*
shape:
w
DenseToDenseSetOperation_2DenseToDenseSetOperationx0x1*
T0	*
set_operationa-b*
validate_indices(
3
x2Placeholder*
dtype0	*
shape
:

/
x3Placeholder*
dtype0	*
shape:

/
x4Placeholder*
dtype0	*
shape:
Å
DenseToSparseSetOperation_6DenseToSparseSetOperationx0x2x3x4*
T0	*
set_operationa-b*
validate_indices(
3
x5Placeholder*
dtype0	*
shape
:
/
x6Placeholder*
dtype0	*
shape:
ã
SparseToSparseSetOperation_9SparseToSparseSetOperationx2x3x4x5x6x4*
T0	*
set_operationa-b*
validate_indices(
x
DenseToDenseSetOperation_10DenseToDenseSetOperationx0x1*
T0	*
set_operationb-a*
validate_indices(
Ç
DenseToSparseSetOperation_11DenseToSparseSetOperationx0x2x3x4*
T0	*
set_operationb-a*
validate_indices(
å
SparseToSparseSetOperation_12SparseToSparseSetOperationx2x3x4x5x6x4*
T0	*
set_operationb-a*
validate_indices(
Å
DenseToDenseSetOperation_13DenseToDenseSetOperationx0x1*
T0	*
set_operationintersection*
validate_indices(
ã
DenseToSparseSetOperation_14DenseToSparseSetOperationx0x2x3x4*
T0	*
set_operationintersection*
validate_indices(
ï
SparseToSparseSetOperation_15SparseToSparseSetOperationx2x3x4x5x6x4*
T0	*
set_operationintersection*
validate_indices(
z
DenseToDenseSetOperation_16DenseToDenseSetOperationx0x1*
T0	*
set_operationunion*
validate_indices(
Ñ
DenseToSparseSetOperation_17DenseToSparseSetOperationx0x2x3x4*
T0	*
set_operationunion*
validate_indices(
é
SparseToSparseSetOperation_18SparseToSparseSetOperationx2x3x4x5x6x4*
T0	*
set_operationunion*
validate_indices(
B

SetSize_19SetSizex2x3x4*
T0	*
validate_indices("Û
