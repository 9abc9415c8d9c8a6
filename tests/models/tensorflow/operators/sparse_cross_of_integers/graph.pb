
3
i0Placeholder*
dtype0	*
shape
:
/
v0Placeholder*
dtype0	*
shape:
/
s0Placeholder*
dtype0	*
shape:
6
densePlaceholder*
dtype0	*
shape
:
¼
ySparseCrossi0v0s0dense*
N*
dense_types
2	*
hash_keyþßò×ì*
hashed_output(*
internal_type0	*
num_bucketsè*
out_type0	*
sparse_types
2	"ó
