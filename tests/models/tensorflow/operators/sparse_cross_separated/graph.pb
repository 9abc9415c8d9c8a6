
3
i0Placeholder*
dtype0	*
shape
:
/
v0Placeholder*
dtype0*
shape:
/
s0Placeholder*
dtype0	*
shape:
3
i1Placeholder*
dtype0	*
shape
:
/
v1Placeholder*
dtype0	*
shape:
/
s1Placeholder*
dtype0	*
shape:
6
densePlaceholder*
dtype0	*
shape
:
+
c_7Const*
dtype0*
valueBB-
m
ySparseCrossV2i0i1v0v1s0s1densec_7*
N*
dense_types
2	*
sparse_types
2	"ó
