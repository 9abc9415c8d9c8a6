
/
x0Placeholder*
dtype0*
shape:
2
yStringToHashBucketFastx0*
num_buckets"ó
