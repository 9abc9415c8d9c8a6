
/
x0Placeholder*
dtype0*
shape:
E
yStringToHashBucketStrongx0*
key
…‰*
num_buckets"ó
