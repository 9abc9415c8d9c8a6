
/
x0Placeholder*
dtype0*
shape:
I
yStaticRegexReplacex0*
pattern
(\w)(\d| )*
rewrite<\2\1>"ó
