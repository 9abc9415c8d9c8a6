
3
x0Placeholder*
dtype0*
shape
:
7
y	DecodeRawx0*
little_endian(*
out_type0"ó
