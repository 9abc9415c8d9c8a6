
/
x0Placeholder*
dtype0*
shape:
+
k1Const*
dtype0*
valueBB t
*
yStringSplitx0k1*

skip_empty("ó
