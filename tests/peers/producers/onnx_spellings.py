# SPDX-License-Identifier: Apache-2.0
"""Odd but legal spellings of ONNX, in its own text, with what ONNX Runtime computes from the file."""

import numpy
import onnx
import onnxruntime

from shared.cases import write_case
from shared.produce import numbers, serve_producer

FORM = "ONNX, odd spellings"
# By the declaration of an input: open sizes are those of the run.
OPEN_SIZES = ({"N": 3, "T": 4, "C": 2}, {"N": 1, "T": 2, "C": 1}, {"N": 2, "T": 5, "C": 3})

# Name: (operator set, graph). Outputs need no type where ONNX infers it.
CASES = {
    # Operands and results that are left out
    "clip without a lower bound": (13, """
        (float[N,3] x) => (y, z) <float hi = {0.5}> { y = Clip(x, "", hi)  z = Clip(x) }"""),
    "clip of integers": (13, """
        (int64[N,3] x) => (y) <int64 lo = {-1}> { y = Clip(x, lo) }"""),
    "slice without axes, with steps": (13, """
        (float[N,5] x) => (y) <int64[2] s = {-1, -1}, int64[2] e = {-9223372036854775808, -4},
          int64[2] t = {-1, -2}> { y = Slice(x, s, e, "", t) }"""),
    "slice by int32, negative axes": (13, """
        (float[2,3,5] x) => (y) <int32[2] s = {1, -100}, int32[2] e = {2147483647, 2},
          int32[2] a = {-1, -3}> { y = Slice(x, s, e, a) }"""),
    "slice to nothing": (13, """
        (float[N,5] x) => (y) <int64[1] s = {3}, int64[1] e = {1}, int64[1] a = {1}>
        { y = Slice(x, s, e, a) }"""),
    "dropout with a ratio and no mode": (13, """
        (float[N,4] x) => (y, m) <float r = {0.3}> { y, m = Dropout(x, r, "") }"""),
    "dropout whose mask is read": (7, """
        (float[N,4] x) => (y) { y, m = Dropout<ratio = 0.4>(x) }"""),
    "max pool with indices": (12, """
        (float[N,2,6,7] x) => (y, i) { y, i = MaxPool<kernel_shape = [2,3], strides = [2,2],
          pads = [1,0,1,2], storage_order = 0>(x) }"""),
    "max pool with dilations and a ceiling": (12, """
        (float[N,2,9,8] x) => (y) { y = MaxPool<kernel_shape = [3,2], strides = [2,3],
          dilations = [2,2], ceil_mode = 1>(x) }"""),
    "batch normalization of old": (7, """
        (float[N,3,4] x) => (y) <float[3] s = {1,2,-1}, float[3] b = {0,1,2}, float[3] m = {1,0,-1},
          float[3] v = {0.5,1,2}> { y = BatchNormalization<epsilon = 0.01>(x, s, b, m, v) }"""),
    "batch normalization in training": (15, """
        (float[4,3,5] x) => (y, m2, v2) <float[3] s = {1,2,-1}, float[3] b = {0,1,2},
          float[3] m = {1,0,-1}, float[3] v = {0.5,1,2}>
        { y, m2, v2 = BatchNormalization<training_mode = 1, momentum = 0.7>(x, s, b, m, v) }"""),
    "lstm with lengths alone": (14, """
        (float[4,2,3] x) => (y, h) <float[1,8,3] w, float[1,8,2] r, int32[2] n = {4, 2}>
        { y, h = LSTM<hidden_size = 2>(x, w, r, "", n) }"""),
    "lstm with all operands, last results only": (14, """
        (float[4,2,3] x) => (h, c) <float[1,8,3] w, float[1,8,2] r, float[1,16] b, float[1,2,2] h0,
          float[1,2,2] c0, float[1,6] p>
        { "", h, c = LSTM<hidden_size = 2>(x, w, r, b, "", h0, c0, p) }"""),
    "gru backwards of any length": (14, """
        (float[2,T,3] x) => (y) <float[1,6,3] w, float[1,6,2] r>
        { t = Transpose<perm = [1,0,2]>(x)
          y = GRU<hidden_size = 2, direction = "reverse", linear_before_reset = 1>(t, w, r) }"""),
    "gru of any length and batch": (14, """
        (float[T,N,3] x) => (y, h) <float[1,6,3] w, float[1,6,2] r>
        { y, h = GRU<hidden_size = 2>(x, w, r) }"""),
    "rnn of both directions with activations": (7, """
        (float[4,2,3] x) => (y) <float[2,2,3] w, float[2,2,2] r>
        { y = RNN<hidden_size = 2, direction = "bidirectional", activations = ["Relu", "Sigmoid"]>
          (x, w, r) }"""),
    "resize by sizes": (13, """
        (float[1,2,4,5] x) => (y) <int64[4] n = {1,2,7,3}>
        { y = Resize<mode = "linear", coordinate_transformation_mode = "asymmetric">(x, "", "", n) }"""),
    "resize by scales with an empty roi": (11, """
        (float[1,2,4,5] x) => (y) <float[0] roi = {}, float[4] k = {1,1,1.5,0.6}>
        { y = Resize<mode = "nearest", nearest_mode = "floor">(x, roi, k) }"""),
    "resize of a crop": (13, """
        (float[1,1,6,6] x) => (y) <float[8] roi = {0,0,0.2,0.1,1,1,0.7,1.2}, int64[4] n = {1,1,4,5}>
        { y = Resize<mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize",
          extrapolation_value = -2.0>(x, roi, "", n) }"""),
    "resize of some axes": (18, """
        (float[N,2,4,5] x) => (y) <float[2] k = {1.5, 2}>
        { y = Resize<mode = "cubic", axes = [-1, 2]>(x, "", k) }"""),
    "resize, antialiased": (18, """
        (float[1,2,9,8] x) => (y) <float[4] k = {1, 1, 0.4, 0.5}>
        { y = Resize<mode = "linear", antialias = 1>(x, "", k) }"""),
    "resize, kept in proportion": (18, """
        (float[1,2,9,8] x) => (y) <int64[2] n = {5, 5}>
        { y = Resize<mode = "linear", axes = [2,3], keep_aspect_ratio_policy = "not_larger">
          (x, "", "", n) }"""),
    "upsample of old": (7, """
        (float[1,2,3,4] x) => (y) { y = Upsample<mode = "nearest", scales = [1.0,1.0,2.0,3.0]>(x) }"""),
    "upsample with an operand": (9, """
        (float[1,2,3,4] x) => (y) <float[4] k = {1,1,2,1.5}> { y = Upsample<mode = "linear">(x, k) }"""),
    "non-maximum suppression without thresholds": (11, """
        (float[1,6,4] x, float[1,2,6] s) => (y) <int64 n = {3}>
        { b = Abs(x)  y = NonMaxSuppression<center_point_box = 1>(b, s, n) }"""),
    "non-maximum suppression at the threshold": (11, """
        (float[1,2,4] s) => (y) <int64[1] n = {3}, float[1] o = {0.5}, float t = {-1.5},
          float[1,4,4] b = {0,0,2,2, 0,0,2,1, 0,0,2,2, 2,2,0,-1}>
        { y = NonMaxSuppression(b, s, n, o, t) }"""),
    "pad by a computed amount": (13, """
        (float[N,3] x) => (y) { s = Shape(x)  z = Sub(s, s)  p = Concat<axis = 0>(z, s)
          y = Pad(x, p) }"""),
    "pad of some axes, negative": (18, """
        (float[3,5] x) => (y, z) <int64[2] p = {-1, 2}, int64[1] a = {-1}, float v = {9}>
        { y = Pad(x, p, v, a)  z = Pad<mode = "reflect">(x, p, "", a) }"""),
    "pad that wraps": (19, """
        (float[3,5] x) => (y) <int64[4] p = {2, 4, 1, 3}> { y = Pad<mode = "wrap">(x, p) }"""),
    "pad of old, negative": (7, """
        (float[3,5] x) => (y) { y = Pad<pads = [-1, 2, 1, -2], mode = "edge">(x) }"""),
    # Empty tensors, scalars
    "reductions of nothing": (18, """
        (float[0,3] x) => (a, b, c) <int64[1] z = {0}>
        { a = ReduceSum(x, z)  b = ReduceProd<keepdims = 0>(x, z)  c = ReduceL1(x) }"""),
    "product over nothing": (13, """
        (float[N,0] x) => (y) <float[0,4] w = {}> { y = MatMul(x, w) }"""),
    "gemm over nothing": (13, """
        (float[N,0] x) => (y) <float[0,4] w = {}, float[4] c = {1,2,3,4}> { y = Gemm<transA = 0>(x, w, c) }"""),
    "concat with nothing": (13, """
        (float[N,3] x) => (y) <float[0,3] e = {}> { y = Concat<axis = -2>(e, x, e) }"""),
    "gather of nothing": (13, """
        (float[N,3] x) => (y) <int64[0] e = {}> { y = Gather<axis = 1>(x, e) }"""),
    "scatter of nothing": (18, """
        (float[4,3] x) => (y) <int64[0,1] i = {}, float[0,3] u = {}> { y = ScatterND(x, i, u) }"""),
    "top of zero": (11, """
        (float[N,3] x) => (y, i) <int64[1] k = {0}> { y, i = TopK(x, k) }"""),
    "top of zero along an open axis, by a computed number": (11, """
        (float[3,N] x, int64[1] k) => (y, i, z) <int64[1] none = {0}>
        { y, i = TopK(x, none)  d = Sub(k, k)  z, j = TopK<largest = 0>(x, d) }"""),
    "triangle between operators": (14, """
        (float[2,3,4] x) => (y) <int64 k = {1}>
        { a = Exp(x)  b = Trilu<upper = 0>(a, k)  y = Neg(b) }"""),
    "one hot of open sizes": (11, """
        (int64[N,2] x, int64 d) => (y, z) <int64[1] e = {5}, float[2] v = {1, 3}>
        { y = OneHot(x, e, v)  c = Abs(d)  f = Add(c, c)  z = OneHot<axis = 1>(x, f, v) }"""),
    "tile zero times": (13, """
        (float[N,3] x) => (y) <int64[2] k = {2, 0}> { y = Tile(x, k) }"""),
    "split with an empty part": (13, """
        (float[N,3] x) => (a, b, c) <int64[3] k = {1, 0, 2}> { a, b, c = Split<axis = -1>(x, k) }"""),
    "split into uneven parts": (18, """
        (float[N,7] x) => (a, b, c) { a, b, c = Split<axis = 1, num_outputs = 3>(x) }"""),
    "split of old": (7, """
        (float[N,6] x) => (a, b) { a, b = Split<axis = 1>(x) }"""),
    "scalars": (13, """
        (float x, int64 n) => (a, b, c, d) <int64[0] e = {}, int64[1] z = {0}>
        { a = Reshape(x, e)  b = Unsqueeze(x, z)  f = Cast<to = 1>(n)  c = Pow(x, n)
          d = ReduceSum(f) }"""),
    "transpose and shape of a scalar": (13, """
        (float x) => (a, b, c) { a = Transpose(x)  b = Shape(x)  c = Size(x) }"""),
    "softmax of one number in a vector": (13, """
        (float[1] x) => (a, b) { a = Softmax(x)  b = LogSoftmax<axis = 0>(x) }"""),
    "expand by ones": (13, """
        (float[N,1,4] x) => (y) <int64[2] s = {3, 1}> { y = Expand(x, s) }"""),
    "expand to a scalar's shape": (13, """
        (float[N,3] x) => (y) <int64[0] s = {}> { y = Expand(x, s) }"""),
    "squeeze without axes": (13, """
        (float[1,3,1] x) => (y) { y = Squeeze(x) }"""),
    "squeeze of old without axes": (7, """
        (float[1,3,1] x) => (y) { y = Squeeze(x) }"""),
    "reshape by a zero that is meant": (14, """
        (float[0,3] x) => (y) <int64[3] s = {3, 0, 7}> { y = Reshape<allowzero = 1>(x, s) }"""),
    "reshape that copies sizes": (13, """
        (float[N,3,4] x) => (y) <int64[3] s = {0, -1, 2}> { y = Reshape(x, s) }"""),
    "flatten at both ends": (13, """
        (float[N,3,4] x) => (a, b, c) { a = Flatten<axis = 0>(x)  b = Flatten<axis = -1>(x)
          c = Flatten<axis = 3>(x) }"""),
    "range backwards and of nothing": (11, """
        (int64[N] x) => (a, b, c) <int64 p = {5}, int64 q = {-4}, int64 s = {-3}, float f = {0.5},
          float g = {2.2}, float h = {0.4}>
        { a = Range(p, q, s)  b = Range(q, p, s)  c = Range(f, g, h) }"""),
    # Reductions
    "reduction without axes that does nothing": (18, """
        (float[N,3] x) => (a, b) <int64[0] e = {}>
        { a = ReduceSum<noop_with_empty_axes = 1>(x, e)  b = ReduceSumSquare<noop_with_empty_axes = 1>(x) }"""),
    "reductions of empty axes": (18, """
        (float[N,3] x) => (a, b) <int64[0] e = {}>
        { a = ReduceMax(x, e)  b = ReduceMean<keepdims = 0>(x, e) }"""),
    "reductions of old, negative axes": (11, """
        (float[N,3,4] x) => (a, b, c) { a = ReduceLogSumExp<axes = [-1, 0]>(x)
          b = ReduceL2<axes = [-2], keepdims = 0>(x)  c = ReduceMean(x) }"""),
    "arguments of extremes, last index": (13, """
        (int32[N,6] x) => (a, b) { a = ArgMax<axis = -1, select_last_index = 1>(x)
          b = ArgMin<axis = 1, keepdims = 0, select_last_index = 1>(x) }"""),
    "softmax of old over several axes": (7, """
        (float[N,3,4] x) => (a, b, c) { a = Softmax<axis = 1>(x)  b = LogSoftmax<axis = 2>(x)
          c = Hardmax(x) }"""),
    "cumulative sums": (14, """
        (float[N,4] x) => (a, b) <int32 k = {-1}> { a = CumSum<exclusive = 1, reverse = 1>(x, k)
          b = CumSum<reverse = 1>(x, k) }"""),
    "product of a scale and a bias that broadcast": (7, """
        (float[N,3] x) => (y) <float[3,4] w, float[1,1] c = {2}>
        { y = Gemm<alpha = 0.5, beta = -2.0>(x, w, c) }"""),
    "gemm with both factors transposed, a column": (11, """
        (float[3,N] x) => (y) <float[4,3] w, float[1] c = {2}> { y = Gemm<transA = 1, transB = 1>(x, w, c) }"""),
    "products of vectors": (13, """
        (float[3] x, float[N,2,3,3] w) => (a, b, c) { a = MatMul(x, x)  b = MatMul(w, x)
          c = MatMul(x, w) }"""),
    "variadic of one and of many": (13, """
        (float[N,3] x, float[3] y, float[1,1] z) => (a, b, c, d) { a = Max(x)  b = Sum(x, y, z)
          c = Mean(z, y, x)  d = Min(y, x, z, y) }"""),
    "powers of mixed types": (13, """
        (float[N,3] x, int32[3] k) => (a, b) <double e = {2}> { a = Pow(x, k)  b = Pow(k, e) }"""),
    "remainders": (13, """
        (float[N,3] x, int32[N,3] k) => (a, b, c) <float m = {-1.5}, int32 n = {-3}>
        { a = Mod<fmod = 1>(x, m)  b = Mod(k, n)  c = Mod<fmod = 1>(k, n) }"""),
    "division of integers": (14, """
        (int32[N,3] x) => (a, b) <int32 n = {-3}> { a = Div(x, n)  b = Div(n, n) }"""),
    "parametric relu by channel": (16, """
        (float[N,3,4] x) => (y) <float[3,1] s = {0.1, -2, 3}> { y = PRelu(x, s) }"""),
    "einsum with dots and diagonals": (12, """
        (float[N,2,3,3] x) => (a, b, c) { a = Einsum<equation = "...ii->...i">(x)
          b = Einsum<equation = "...ij, ...jk -> ...ik">(x, x)  c = Einsum<equation = "nabc->n">(x) }"""),
    "einsum without an arrow": (12, """
        (float[N,3] x, float[3,2] y) => (a) { a = Einsum<equation = "ba,ac">(x, y) }"""),
    # Movement
    "gather of negative places by a scalar": (13, """
        (float[N,4] x) => (a, b) <int64 i = {-1}, int32[2,2] j = {0, -4, 3, -1}>
        { a = Gather<axis = -1>(x, i)  b = Gather<axis = 1>(x, j) }"""),
    "gather by batches": (12, """
        (float[2,3,4] x) => (a) <int64[2,2,1] i = {0, -1, 1, 2}> { a = GatherND<batch_dims = 1>(x, i) }"""),
    "scatter by name": (9, """
        (float[3,4] x) => (y) <int64[1,2] i = {3, 0}, float[1,2] u = {7, 8}>
        { y = Scatter<axis = 1>(x, i, u) }"""),
    "scatter that reduces": (18, """
        (float[3,4] x) => (a, b, c) <int64[2,2] i = {1, 1, -3, 2}, float[2,2] u = {0.5, -8, 2, 3},
          int64[3,1] k = {2, 0, 2}, float[3,4] v>
        { a = ScatterElements<axis = 0, reduction = "mul">(x, i, u)
          b = ScatterElements<axis = 0, reduction = "max">(x, i, u)
          c = ScatterND<reduction = "add">(x, k, v) }"""),
    "unique along an axis": (11, """
        (int64[4,2] x) => (a, i, j, k) { a, i, j, k = Unique<axis = -2, sorted = 1>(x) }"""),
    "unique in order of appearance": (11, """
        (int64[N,4] x) => (a, k) { a, "", "", k = Unique<sorted = 0>(x) }"""),
    "compress without an axis": (11, """
        (float[2,4] x) => (y) <bool[5] c = {1,0,1,0,1}> { y = Compress(x, c) }"""),
    "one-hot with negative places": (11, """
        (int64[N] x) => (y, z) <int64 d = {3}, float[2] v = {-1, 5}, float e = {4}, float[2] w = {0, 1}>
        { f = Cast<to = 1>(x)  y = OneHot<axis = 0>(x, d, v)  z = OneHot(f, e, w) }"""),
    "triangles beyond the borders": (14, """
        (float[2,3,4] x) => (a, b) <int64 k = {-5}, int64 l = {2}> { a = Trilu<upper = 0>(x, k)
          b = Trilu(x, l) }"""),
    "parts of a shape": (15, """
        (float[N,3,4] x) => (a, b, c) { a = Shape<start = -2>(x)  b = Shape<start = 1, end = -1>(x)
          c = Shape<start = 5>(x) }"""),
    "reverse of rows": (10, """
        (float[4,3,2] x) => (y) <int64[3] n = {1, 4, 2}>
        { y = ReverseSequence<batch_axis = 1, time_axis = 0>(x, n) }"""),
    "eye with a shifted diagonal": (9, """
        (int32[3,5] x) => (a, b) { a = EyeLike<k = -1, dtype = 1>(x)  b = EyeLike<k = 2>(x) }"""),
    "constants of all kinds": (13, """
        (float[N,3] x) => (y, z, q) { a = Constant<value_float = 2.5>()  b = Constant<value_ints = [0, 1]>()
          c = Constant<value_int = 1>()  d = Constant<value_floats = [1.0, 2.0, 3.0]>()
          y0 = Mul(x, a)  y = Add(y0, d)  z = Gather<axis = 1>(x, b)  q = Gather<axis = 1>(x, c) }"""),
    "fill without a value": (9, """
        (float[N,3] x) => (y, z) { s = Shape(x)  y = ConstantOfShape(s)
          z = ConstantOfShape<value = int32[1] {7}>(s) }"""),
    "where of three shapes": (9, """
        (bool[N,1] c, float[4] x, float[2,1,1] y) => (z) { z = Where(c, x, y) }"""),
    # Quantised
    "quantised along an axis": (13, """
        (float[N,3,2] x) => (q, y) <float[3] s = {0.1, 0.5, 2}, int8[3] z = {0, 3, -7}>
        { q = QuantizeLinear<axis = -2>(x, s, z)  y = DequantizeLinear<axis = 1>(q, s, z) }"""),
    "quantised without a zero point": (10, """
        (float[N,3] x) => (q, y) <float s = {0.05}> { q = QuantizeLinear(x, s)  y = DequantizeLinear(q, s) }"""),
    "quantised in blocks": (21, """
        (float[2,6] x) => (y) <float[2,2] s = {0.1, 0.5, 2, 1}, int8[2,2] z = {0, 3, -7, 1}>
        { q = QuantizeLinear<axis = 1, block_size = 3>(x, s, z)
          y = DequantizeLinear<axis = 1, block_size = 3>(q, s, z) }"""),
    "integer products without zero points": (10, """
        (uint8[N,3] x) => (y, z) <int8[3,2] w = {1,-2,3,-4,5,-6}, uint8 a = {3}>
        { y = MatMulInteger(x, w)  z = MatMulInteger(x, w, a) }"""),
    "quantised by what is there": (11, """
        (float[N,3] x) => (q, s, z) { q, s, z = DynamicQuantizeLinear(x) }"""),
    # Sequences and optionals
    "sequence built and read": (13, """
        (float[N,3] x, float[2,3] y) => (a, n, c) <int64 m = {-1}>
        { s = SequenceConstruct(x, y)  t = SequenceInsert(s, x, m)  u = SequenceErase(t)
          a = SequenceAt(t, m)  n = SequenceLength(u)  c = ConcatFromSequence<axis = -2>(t) }"""),
    "sequence of parts without their axis": (11, """
        (float[3,2] x) => (a, b) <int64 i = {1}> { s = SplitToSequence<axis = 0, keepdims = 0>(x)
          a = SequenceAt(s, i)  b = ConcatFromSequence<axis = 1, new_axis = 1>(s) }"""),
    "sequence of parts of two sizes": (11, """
        (float[5,2] x) => (a, b) <int64 i = {-1}, int64 k = {2}> { s = SplitToSequence(x, k)
          a = SequenceAt(s, i)  b = ConcatFromSequence<axis = 0>(s) }"""),
    # Control flow
    "branches with captures and names that occur twice": (13, """
        (float[N,3] x, bool c) => (y) <float w = {2}> {
          a = Mul(x, w)
          y = If(c) <then_branch = g () => (float[N,3] q) { t = Add(a, x)  q = Neg(t) },
                     else_branch = h () => (float[N,3] q) <float w2 = {3}> { t = Sub(a, w2)  q = Abs(t) }> }"""),
    "branch that gives an outer value": (13, """
        (float[N,3] x, bool c) => (y) {
          a = Neg(x)
          y = If(c) <then_branch = g () => (float[N,3] q) { q = Identity(a) },
                     else_branch = h () => (float[N,3] x2) { x2 = Identity(x) }> }"""),
    "branches of two ranks": (13, """
        (float[1,3] x, bool c) => (y) {
          y = If(c) <then_branch = g () => (float[3] q) { q = Squeeze(x) },
                     else_branch = h () => (float[1,3] r) { r = Abs(x) }> }"""),
    "nested branches": (16, """
        (float[N,3] x, bool c, bool d) => (y, z) {
          y, z = If(c) <
            then_branch = g () => (float[N,3] p, float[3] q) {
              p, q = If(d) <then_branch = gg () => (float[N,3] p, float[3] q) { p = Neg(x)  k = Constant<value_ints = [0]>()  q = ReduceSum<keepdims = 0>(x, k) },
                            else_branch = gh () => (float[N,3] p, float[3] q) { p = Abs(x)  k = Constant<value_ints = [0]>()  q = ReduceSum<keepdims = 0>(p, k) }> },
            else_branch = h () => (float[N,3] r, float[3] s) { r = Exp(x)  k = Constant<value_ints = [0]>()  s = ReduceSum<keepdims = 0>(r, k) }> }"""),
    "loop without a condition": (13, """
        (float[N,3] x) => (y, ys) <int64 n = {3}> {
          y, ys = Loop(n, "", x) <body = b (int64 i, bool c, float[N,3] s) => (bool c2, float[N,3] s2, float[N,3] o)
            { c2 = Identity(c)  f = Cast<to = 1>(i)  s2 = Add(s, f)  o = Mul(s2, x) }> }"""),
    "loop without a count": (13, """
        (float[N,3] x) => (y, n) <bool t = {1}, float one = {1}, float z = {0}, float lim = {20}> {
          y, n = Loop("", t, x, z) <body = b (int64 i, bool c, float[N,3] s, float k) => (bool c2, float[N,3] s2, float k2)
            { two = Constant<value_float = 2.0>()  s2 = Mul(s, two)  k2 = Add(k, one)  m = Abs(s2)
              r = ReduceMax<keepdims = 0>(m)  c2 = Less(k2, lim) }> }"""),
    "loop that does not run": (13, """
        (float[2,3] x) => (y, ys) <int64 n = {0}, bool t = {1}> {
          y, ys = Loop(n, t, x) <body = b (int64 i, bool c, float[2,3] s) => (bool c2, float[2,3] s2, float[2,3] o)
            { c2 = Identity(c)  s2 = Neg(s)  o = Identity(s) }> }"""),
    "loop whose state grows": (13, """
        (float[N,3] x) => (y) <int64 n = {3}, bool t = {1}> {
          y = Loop(n, t, x) <body = b (int64 i, bool c, float[a,3] s) => (bool c2, float[bb,3] s2)
            { c2 = Identity(c)  s2 = Concat<axis = 0>(s, x) }> }"""),
    "loop in a loop that reads both indices": (13, """
        (float[3] x) => (y) <int64 n = {2}, int64 m = {3}, bool t = {1}> {
          y = Loop(n, t, x) <body = b (int64 i, bool c, float[3] s) => (bool c2, float[3] s2) {
            c2 = Identity(c)
            s2 = Loop(m, t, s) <body = bb (int64 j, bool d, float[3] u) => (bool d2, float[3] u2)
              { d2 = Identity(d)  k = Mul(i, j)  f = Cast<to = 1>(k)  v = Add(u, f)  u2 = Add(v, s) }> }> }"""),
    "loop over a sequence": (13, """
        (float[N,3] x) => (y) <int64 n = {3}, bool t = {1}> {
          e = SequenceEmpty()
          q = Loop(n, t, e) <body = b (int64 i, bool c, seq(float[N,3]) s) => (bool c2, seq(float[N,3]) s2)
            { c2 = Identity(c)  f = Cast<to = 1>(i)  a = Add(x, f)  s2 = SequenceInsert(s, a) }>
          y = ConcatFromSequence<axis = 0>(q) }"""),
    "scan backwards over two inputs": (11, """
        (float[4,3] x, float[2,4] z) => (s, o) <float[3] s0 = {1,2,3}> {
          s, o = Scan(s0, x, z) <num_scan_inputs = 2, scan_input_axes = [0, -1],
            scan_input_directions = [1, 0], scan_output_directions = [1], scan_output_axes = [1],
            body = b (float[3] a, float[3] r, float[2] w) => (float[3] a2, float[3] o2)
              { k = ReduceSum<keepdims = 0>(w)  a2 = Mul(a, k)  o2 = Add(a2, r) }> }"""),
    "scan of old with batches": (8, """
        (float[2,4,3] x, float[2,3] s0) => (s, o) {
          s, o = Scan("", s0, x) <num_scan_inputs = 1,
            body = b (float[3] a, float[3] r) => (float[3] a2, float[3] o2)
              { a2 = Add(a, r)  o2 = Identity(a2) }> }"""),
    # Graphs
    "output that is an input": (13, """
        (float[N,3] x) => (float[N,3] x, y) { y = Neg(x) }"""),
    "output that is an initializer": (13, """
        (float[N,3] x) => (float[2] w, y) <float[2] w = {1, 2}> { y = Neg(x) }"""),
    "outputs of one value": (13, """
        (float[N,3] x) => (y, z) { t = Neg(x)  y = Identity(t)  z = Identity(t) }"""),
    "initializer that is an input": (13, """
        (float[N,3] x, float[3] w = {1, 2, 3}) => (y) { y = Add(x, w) }"""),
    "graph without inputs": (13, """
        () => (y) { a = Constant<value_floats = [1.0, -2.0]>()  y = Abs(a) }"""),
    "input that nothing reads": (13, """
        (float[N,3] x, float[2] u) => (y) { y = Neg(x) }"""),
    # Convolutions
    "convolution with same padding, odd strides": (11, """
        (float[N,2,7,8] x) => (y, z) <float[3,2,2,3] w>
        { y = Conv<auto_pad = "SAME_UPPER", strides = [2,3]>(x, w)
          z = Conv<auto_pad = "SAME_LOWER", strides = [3,2]>(x, w) }"""),
    "convolution over one axis with a bias": (11, """
        (float[N,4,9] x) => (y) <float[6,2,3] w, float[6] b = {1,2,3,4,5,6}>
        { y = Conv<group = 2, dilations = [2], pads = [3, 1]>(x, w, b) }"""),
    "transposed convolution to a size": (11, """
        (float[N,2,4,5] x) => (y, z) <float[2,3,3,2] w>
        { y = ConvTranspose<strides = [2,3], output_shape = [10, 14]>(x, w)
          z = ConvTranspose<strides = [2,2], auto_pad = "SAME_UPPER">(x, w) }"""),
    "transposed convolution with groups": (11, """
        (float[N,4,5] x) => (y) <float[4,3,3] w, float[6] b = {1,2,3,4,5,6}>
        { y = ConvTranspose<group = 2, strides = [2], pads = [1, 0], output_padding = [1],
            dilations = [2]>(x, w, b) }"""),
    "mean pool that counts its padding": (19, """
        (float[N,2,7,6] x) => (a, b) { a = AveragePool<kernel_shape = [3,2], pads = [1,1,2,0],
          count_include_pad = 1, ceil_mode = 1, strides = [2,2]>(x)
          b = AveragePool<kernel_shape = [3,3], pads = [1,1,1,1], dilations = [1, 2]>(x) }"""),
    "pools of a padded image": (13, """
        (float[N,2,6,7] x) => (a, b, c) <int64[8] p = {0,0,1,0,0,0,0,1}> { s = Abs(x)  m = Neg(s)
          q = Pad(m, p)  r = Pad(m, p)  t = Pad(m, p)  a = MaxPool<kernel_shape = [2,2]>(q)
          b = MaxPool<kernel_shape = [2,2], strides = [2,2], ceil_mode = 1>(r)
          c = AveragePool<kernel_shape = [3,3], strides = [2,2], ceil_mode = 1>(t) }"""),
    "powers of pools": (7, """
        (float[N,2,7,6] x) => (a, b) { a = LpPool<kernel_shape = [3,2], p = 3, pads = [1,1,1,0]>(x)
          b = GlobalLpPool<p = 1>(x) }"""),
    "grid sample of nearest and reflected": (16, """
        (float[1,2,5,4] x, float[1,3,3,2] g) => (a, b) {
          a = GridSample<mode = "nearest", padding_mode = "reflection", align_corners = 1>(x, g)
          b = GridSample<mode = "bicubic", padding_mode = "border">(x, g) }"""),
    "instance normalization of three axes": (7, """
        (float[N,2,3,2,2] x) => (y) <float[2] s = {1, -2}, float[2] b = {0.5, 1}>
        { y = InstanceNormalization(x, s, b) }"""),
    "layer normalization without a bias": (17, """
        (float[N,3,4] x) => (y, m, i) <float[3,4] s> { y, m, i = LayerNormalization<axis = -2>(x, s) }"""),
    "local response": (13, """
        (float[N,5,4,3] x) => (y) { y = LRN<size = 3, alpha = 0.5, bias = 2.0>(x) }"""),
    "groups of channels over open images": (11, """
        (float[N,4,T,C] x, float[N,4,T] r) => (y, z) <float[4,1,3,3] w, float[4,3,3] k, float[6] b>
        { y = Conv<group = 4, pads = [1,1,1,1], strides = [2,2]>(x, w)
          z = ConvTranspose<strides = [3], output_padding = [1], pads = [1,0], group = 2>
            (r, k, b) }"""),
    "blocks of open images": (13, """
        (float[N,8,4,T] x) => (y, z)
        { y = DepthToSpace<blocksize = 2, mode = "CRD">(x)  d = DepthToSpace<blocksize = 2>(x)
          z = SpaceToDepth<blocksize = 2>(d) }"""),
    "group normalization of open sizes": (21, """
        (float[N,4,3,T] x) => (y) <float[4] s, float[4] b>
        { y = GroupNormalization<num_groups = 2>(x, s, b) }"""),
    "sequences of any number reversed": (10, """
        (float[T,N,2] x) => (y) <int64 one = {1}, int64 zero = {0}>
        { s = Shape(x)  n = Gather(s, one)  r = Range(zero, n, one)  l = Add(r, one)
          y = ReverseSequence<time_axis = 0, batch_axis = 1>(x, l) }"""),
    "powers over windows": (18, """
        (float[N,2,6,T] x) => (y) { y = LpPool<kernel_shape = [2,2], p = 3, pads = [1,0,1,0]>(x) }"""),
    "local responses over open channels": (13, """
        (float[2,C,T,3] x) => (y) { y = LRN<size = 3, alpha = 0.5, bias = 2.0>(x) }"""),
    "norms along axes": (13, """
        (float[N,3,4] x) => (a, b, c, d) { a = LpNormalization<axis = 1, p = 1>(x)
          b = LpNormalization(x)  c = MeanVarianceNormalization<axes = [0, -1]>(x)
          z = Sub(x, x)  d = LpNormalization<p = 1>(z) }"""),
    # Types
    "casts of odd values": (13, """
        (float[N,3] x) => (a, b, c, d) <float k = {40}> { y = Mul(x, k)  a = Cast<to = 6>(y)  b = Cast<to = 9>(y)
          h = Cast<to = 10>(y)  c = Cast<to = 1>(h)  i = Cast<to = 7>(y)  d = Cast<to = 11>(i) }"""),
    "casts of texts": (13, """
        (float[N,2] x) => (b) <string[3] t = {"1.5", "-2e3", "7"}> { a = Cast<to = 1>(t)
          s = ReduceSum(a)  b = Add(x, s) }"""),
    "infinities": (10, """
        (float[N,3] x) => (a, b, c) <float z = {0}> { d = Div(x, z)  a = IsInf<detect_negative = 0>(d)
          e = Sub(d, d)  b = IsNaN(e)  c = IsInf(d) }"""),
    "NaN among bounds and extremes": (16, """
        (float[N,3] x) => (a, b, c, d, e, f, g, h, i) <float z = {0}, float k = {0.5}> {
          v = Max(x, z)  n = Div(v, v)  a = Max(n, x)  b = Min(x, n, x)  c = Max(k, n)  d = Min(n, k)
          e = Clip(n, z, k)  f = PRelu(n, k)  g = Elu(n)  h = HardSigmoid(n)  p = Log(x)  i = Add(p, n) }"""),
    "half floats": (13, """
        (float16[N,4] x) => (a, b, c) { a = Softmax(x)  b = ReduceMean<axes = [1]>(x)
          t = Transpose(x)  c = MatMul(x, t) }"""),
    "double": (13, """
        (double[N,4] x) => (a, b, c) { a = Sigmoid(x)  b = Softmax(x)  t = Transpose(x)  c = MatMul(x, t) }"""),
    "shifts": (11, """
        (uint8[N,4] x) => (a, b) <uint8 k = {3}> { a = BitShift<direction = "LEFT">(x, k)
          b = BitShift<direction = "RIGHT">(x, k) }"""),
}


def drawn(generator, dtype, sizes):
    if dtype.startswith("float"):
        return numbers(generator, *sizes, dtype=dtype)
    if dtype == "bool":
        return generator.random(sizes) < 0.5
    low = 0 if dtype.startswith("uint") else -3
    return generator.integers(low, 4, sizes).astype(dtype)


def sizes_of(info, open_sizes):
    return [dim.dim_value if dim.HasField("dim_value") else open_sizes[dim.dim_param]
            for dim in info.type.tensor_type.shape.dim]


def dtype_of(info):
    return numpy.dtype(onnx.helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)).name


def parsed(operator_set, text, generator):
    """The model, with drawn weights in the place of those without values, types at all outputs."""
    model = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : {operator_set}]> g {text}')
    graph = model.graph
    # A weight without a value is parsed as information on a value.
    read = {name for node in graph.node for name in node.input}
    made = {name for node in graph.node for name in node.output}
    for info in [info for info in graph.value_info if info.name in read - made]:
        weight = drawn(generator, dtype_of(info), sizes_of(info, {}))
        graph.initializer.append(onnx.numpy_helper.from_array(numpy.asarray(weight), info.name))
        graph.value_info.remove(info)
    known = {info.name: info for info in onnx.shape_inference.infer_shapes(model).graph.output}
    for output in graph.output:
        output.CopyFrom(known[output.name])
    return model


def written(operator_set, text):
    def write(folder):
        generator = numpy.random.default_rng(13)
        model = parsed(operator_set, text, generator)
        onnx.save(model, folder / "model.onnx")
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(folder / "model.onnx", options)
        results = [output.name for output in model.graph.output]
        runs = []
        defaults = {tensor.name for tensor in model.graph.initializer}
        for open_sizes in OPEN_SIZES:
            inputs = {info.name: drawn(generator, dtype_of(info), sizes_of(info, open_sizes))
                      for info in model.graph.input if info.name not in defaults}
            feeds = {name: numpy.asarray(value) for name, value in inputs.items()}
            runs.append((feeds, dict(zip(results, session.run(None, feeds)))))
        write_case(folder, "model.onnx", runs)
    return write


def cases():
    return {f"{FORM}/{name}": written(*row) for name, row in CASES.items()}


if __name__ == "__main__":
    serve_producer(cases(), f"onnx {onnx.__version__}, ONNX Runtime {onnxruntime.__version__}")
