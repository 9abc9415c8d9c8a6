
/
x0Placeholder*
dtype0*
shape:
/
yStringToHashBucketx0*
num_bucketsè"ó
