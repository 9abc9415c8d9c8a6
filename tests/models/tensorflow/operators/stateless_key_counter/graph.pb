
/
x0Placeholder*
dtype0	*
shape:
2
yStatelessRandomGetKeyCounterx0*
Tseed0	"ó
