"""Evaluates Relax modules on NumPy, for tests where there is no TVM.

The meaning of each operator is that of TVM, written down here on its own: nothing is shared
with the emitter. Annotations are checked against what is computed: element types, sizes, symbolic sizes.
"""
import ast
import itertools
import math

import numpy as np

OPS = {}


class Refused(Exception):
    """An operator or form that this evaluator does not know."""


def op(name):
    def register(function):
        OPS[name] = function
        return function
    return register


def dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed(parts)) if isinstance(node, ast.Name) and node.id == "R" else None


# Elementwise ---------------------------------------------------------------------------------

def same_dtype(x, y):
    assert x.dtype == y.dtype, f"operands of {x.dtype} and {y.dtype}"


def binary(name, function, dtype=None):
    def run(x1, x2):
        same_dtype(x1, x2)
        with np.errstate(all="ignore"):
            return function(x1, x2).astype(dtype or x1.dtype)
    OPS[name] = run


def truncated_divide(x, y):
    if x.dtype.kind == "f":
        return x / y
    quotient = np.abs(x) // np.abs(y)
    return np.where((x < 0) != (y < 0), -quotient, quotient)


for _name, _function in {
        "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": truncated_divide,
        "power": np.power, "maximum": np.maximum, "minimum": np.minimum, "mod": np.fmod,
        "floor_mod": np.mod, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
        "bitwise_xor": np.bitwise_xor, "left_shift": np.left_shift,
        "right_shift": np.right_shift}.items():
    binary(_name, _function)
for _name, _function in {
        "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
        "greater": np.greater, "greater_equal": np.greater_equal, "logical_and": np.logical_and,
        "logical_or": np.logical_or, "logical_xor": np.logical_xor}.items():
    binary(_name, _function, np.bool_)


def unary(name, function, floats=True, dtype=None):
    def run(x):
        assert not floats or x.dtype.kind == "f", f"{name} of {x.dtype}"
        with np.errstate(all="ignore"):
            return np.asarray(function(x)).astype(dtype or x.dtype)
    OPS[name] = run


for _name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "floor", "ceil",
              "trunc", "square"):
    unary(_name, getattr(np, _name))
for _name in ("sin", "cos", "tan", "sinh", "cosh", "tanh"):
    unary("a" + _name, getattr(np, "arc" + _name))
unary("round", np.rint)
unary("erf", np.vectorize(math.erf, otypes=[np.float64]))
unary("rsqrt", lambda x: 1 / np.sqrt(x))
unary("sigmoid", lambda x: 1 / (1 + np.exp(-x)))
unary("abs", np.abs, floats=False)
unary("negative", np.negative, floats=False)
unary("sign", np.sign, floats=False)
unary("bitwise_not", np.invert, floats=False)
unary("logical_not", np.logical_not, floats=False, dtype=np.bool_)
for _name in ("isnan", "isinf", "isfinite"):
    unary(_name, getattr(np, _name), dtype=np.bool_)
unary("nn.relu", lambda x: np.maximum(x, 0), floats=False)
unary("nn.gelu", lambda x: x * 0.5 * (1 + OPS["erf"](x / np.sqrt(2))))
unary("nn.gelu_tanh",
      lambda x: x * 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))
unary("nn.silu", lambda x: x / (1 + np.exp(-x)))


@op("nn.leakyrelu")
def leakyrelu(x, alpha=0.01):
    return np.where(x > 0, x, x * np.asarray(alpha, x.dtype))


@op("where")
def where(condition, x1, x2):
    assert condition.dtype == np.bool_
    same_dtype(x1, x2)
    return np.where(condition, x1, x2)


@op("astype")
def astype(x, dtype):
    with np.errstate(all="ignore"):
        return x.astype(dtype)


# Making and moving ---------------------------------------------------------------------------

@op("const")
def const(value, dtype):
    return np.array(value, dtype)


OPS["shape"] = lambda value: [int(v) for v in value]
OPS["shape_of"] = lambda x: list(x.shape)
OPS["shape_to_tensor"] = lambda x: np.array(x, np.int64).reshape(len(x))
OPS["size"] = lambda x: np.array(x.size, np.int64)
OPS["zeros_like"] = np.zeros_like
OPS["flatten"] = lambda x: x.reshape(-1)
OPS["permute_dims"] = lambda x, axes=None: np.transpose(x, axes)
OPS["triu"] = np.triu
OPS["tril"] = np.tril
OPS["flip"] = np.flip
OPS["expand_dims"] = lambda x, axis: np.expand_dims(x, tuple(axis))
OPS["squeeze"] = lambda x, axis=None: np.squeeze(x, None if axis is None else tuple(axis))
OPS["arange"] = lambda start, end, step, dtype: np.arange(start, end, step, dtype)
OPS["eye"] = lambda n, m, k, dtype: np.eye(n, m, k, dtype)
OPS["match_cast"] = lambda x, type: x
OPS["nonzero"] = lambda x: np.stack(np.nonzero(x)).astype(np.int64)


@op("reshape")
def reshape(x, shape):
    return x.reshape([x.shape[i] if size == 0 else size for i, size in enumerate(shape)])


@op("broadcast_to")
def broadcast_to(x, shape):
    return np.broadcast_to(x, shape).copy()


@op("concat")
def concat(tensors, axis=0):
    assert len({(t.dtype, t.ndim) for t in tensors}) == 1
    return np.concatenate(tensors, axis)


@op("stack")
def stack(tensors, axis=0):
    return np.stack(tensors, axis)


@op("split")
def split(x, indices_or_sections, axis=0):
    assert indices_or_sections, "no cut gives no tuple"
    return tuple(np.split(x, indices_or_sections, axis))


@op("tile")
def tile(x, repeats):
    return np.tile(x, repeats)


@op("strided_slice")
def strided_slice(x, axes, begin, end, strides=None, assume_inbound=False):
    slices = [slice(None)] * x.ndim
    for axis, b, e, s in zip(axes, begin, end, strides or [1] * len(axes)):
        n = x.shape[axis]
        low, high = (0, n) if s > 0 else (-1, n - 1)
        b = min(max(b + n if b < 0 else b, low), high)
        e = min(max(e + n if e < 0 else e, low), high)
        length = -((b - e) // s) if s > 0 else -((e - b) // -s)
        assert length >= 0, "a slice of negative size"
        slices[axis] = [b + i * s for i in range(length)]
    for axis, places in enumerate(slices):
        if isinstance(places, list):
            x = np.take(x, np.array(places, np.int64), axis)
    return x


@op("nn.pad")
def pad(x, pad_width, pad_mode="constant", pad_value=0.0):
    pairs = list(zip(pad_width[::2], pad_width[1::2]))
    if pad_mode in ("reflect", "replicate", "circular"):
        mode = {"replicate": "edge", "circular": "wrap"}.get(pad_mode, pad_mode)
        return np.pad(x, pairs, mode)
    return np.pad(x, pairs, "constant", constant_values=np.asarray(pad_value).astype(x.dtype))


@op("reverse_sequence")
def reverse_sequence(x, seq_lengths, seq_axis=1, batch_axis=0):
    out = x.copy()
    for b, length in enumerate(seq_lengths):
        index = [slice(None)] * x.ndim
        index[batch_axis] = b
        source, target = list(index), list(index)
        for t in range(int(length)):
            target[seq_axis], source[seq_axis] = t, int(length) - 1 - t
            out[tuple(target)] = x[tuple(source)]
    return out


# Indexing ------------------------------------------------------------------------------------

@op("take")
def take(x, indices, axis=None, mode="fast"):
    assert axis is not None or x.ndim == 1
    size = x.shape[axis or 0]
    assert ((indices >= 0) & (indices < size)).all(), "take: index out of range"
    return np.take(x, indices, axis or 0)


@op("gather_elements")
def gather_elements(x, indices, axis=0):
    assert (indices >= 0).all()
    out = np.empty(indices.shape, x.dtype)
    for place in np.ndindex(*indices.shape):
        source = list(place)
        source[axis] = indices[place]
        out[place] = x[tuple(source)]
    return out


@op("gather_nd")
def gather_nd(x, indices, batch_dims=0):
    assert indices.dtype == np.int64 and (indices >= 0).all()
    rows = [x[place[:batch_dims] + tuple(indices[place])]
            for place in np.ndindex(*indices.shape[:-1])]
    return np.array(rows, x.dtype).reshape(
        indices.shape[:-1] + x.shape[batch_dims + indices.shape[-1]:])


REDUCERS = {"update": lambda a, b: b, "add": np.add, "mul": np.multiply, "min": np.minimum,
            "max": np.maximum}


@op("scatter_elements")
def scatter_elements(x, indices, updates, axis=0, reduction="update"):
    out = x.copy()
    for place in np.ndindex(*indices.shape):
        target = list(place)
        target[axis] = indices[place]
        out[tuple(target)] = REDUCERS[reduction](out[tuple(target)], updates[place])
    return out


@op("scatter_nd")
def scatter_nd(x, indices, updates, reduction="update"):
    assert (indices >= 0).all()
    out = x.copy()
    for place in np.ndindex(*indices.shape[:-1]):
        target = tuple(indices[place])
        out[target] = REDUCERS[reduction](out[target], updates[place])
    return out


@op("topk")
def topk(x, k=1, axis=-1, ret_type="both", largest=True, dtype="int32"):
    order = np.argsort(-x.astype(np.float64) if largest else x, axis, kind="stable")
    order = np.take(order, np.arange(k), axis)
    return np.take_along_axis(x, order, axis), order.astype(dtype)


# Reductions and products ---------------------------------------------------------------------

def reduction(name, function):
    def run(x, axis=None, keepdims=False):
        assert axis != [], f"{name} over no axes"
        axes = None if axis is None else tuple(axis)
        with np.errstate(all="ignore"):
            return np.asarray(function(x, axis=axes, keepdims=keepdims)).astype(x.dtype)
    OPS[name] = run


for _name, _function in {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min,
                         "prod": np.prod, "variance": np.var}.items():
    reduction(_name, _function)


def arg_reduction(name, function):
    def run(x, axis=None, keepdims=False):
        index = function(x, axis)
        return np.asarray(np.expand_dims(index, axis) if keepdims else index).astype(np.int64)
    OPS[name] = run


arg_reduction("argmax", np.argmax)
arg_reduction("argmin", np.argmin)


@op("cumsum")
def cumsum(x, axis=None, dtype=None, exclusive=False):
    total = np.cumsum(x, axis, dtype=dtype)
    return total - x if exclusive else total


@op("matmul")
def matmul(x1, x2, out_dtype=None):
    assert out_dtype is None and x1.ndim and x2.ndim
    same_dtype(x1, x2)
    return np.matmul(x1, x2)


@op("einsum")
def einsum(operands, subscripts):
    return np.einsum(subscripts, *operands)


@op("nn.softmax")
def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@op("nn.log_softmax")
def log_softmax(x, axis=-1):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


# Normalisation -------------------------------------------------------------------------------

def normalized(x, axes, epsilon):
    mean = x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axes, keepdims=True) + np.asarray(epsilon, x.dtype))


@op("nn.batch_norm")
def batch_norm(x, gamma, beta, mean, variance, axis, epsilon=1e-5, center=True, scale=True,
               momentum=0.1, training=True):
    assert not training and center and scale
    shape = [-1 if i == axis else 1 for i in range(x.ndim)]
    unit = (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + np.float32(epsilon))
    out = unit * gamma.reshape(shape) + beta.reshape(shape)
    return out.astype(x.dtype), mean, variance


@op("nn.layer_norm")
def layer_norm(x, gamma, beta, axes, epsilon=1e-5, center=True, scale=True):
    assert gamma.shape == beta.shape == tuple(x.shape[a] for a in axes)
    return normalized(x, tuple(axes), epsilon) * gamma + beta


@op("nn.rms_norm")
def rms_norm(x, weight, axes, epsilon=1e-5):
    square = np.mean(x * x, tuple(axes), keepdims=True)
    return (x / np.sqrt(square + np.asarray(epsilon, x.dtype)) * weight).astype(x.dtype)


@op("nn.group_norm")
def group_norm(x, gamma, beta, num_groups, channel_axis, axes, epsilon=1e-5, center=True,
               scale=True):
    assert channel_axis == 1 and gamma.ndim == 1
    groups = x.reshape((x.shape[0], num_groups, -1))
    unit = normalized(groups, 2, epsilon).reshape(x.shape)
    shape = [1, -1] + [1] * len(axes)
    return unit * gamma.reshape(shape) + beta.reshape(shape)


# Windows -------------------------------------------------------------------------------------

def windows(x, kernel, strides, padding, dilation, ceil_mode=False, fill=0):
    """(padded x windows: N, C, out..., kernel...) and the same of a mask of true elements."""
    n = len(kernel)
    before, after = padding[:n], padding[n:]
    outs, pairs = [], [(0, 0), (0, 0)]
    for i in range(n):
        span = (kernel[i] - 1) * dilation[i] + 1
        moves = x.shape[2 + i] + before[i] + after[i] - span
        out = (-(-moves // strides[i]) if ceil_mode else moves // strides[i]) + 1
        if ceil_mode and (out - 1) * strides[i] >= x.shape[2 + i] + before[i]:
            out -= 1
        outs.append(out)
        reach = (out - 1) * strides[i] + span - x.shape[2 + i] - before[i]
        pairs.append((before[i], max(after[i], reach)))
    padded = np.pad(x, pairs, constant_values=fill)
    mask = np.pad(np.ones_like(x, bool), pairs)
    index = [np.arange(outs[i])[:, None] * strides[i] + np.arange(kernel[i]) * dilation[i]
             for i in range(n)]
    grid = []
    for i, places in enumerate(index):
        shape = [1] * (2 * n)
        shape[i], shape[n + i] = places.shape
        grid.append(places.reshape(shape))
    select = (slice(None), slice(None)) + tuple(grid)
    return padded[select], mask[select]


def pool(name, spatial):
    def run(x, pool_size, strides, padding, dilation, ceil_mode=False, count_include_pad=False,
            layout=None, out_layout=None):
        axes = tuple(range(2 + spatial, 2 + 2 * spatial))
        if name == "max":
            low = np.iinfo(x.dtype).min if x.dtype.kind in "iu" else -np.inf
            return windows(x, pool_size, strides, padding, dilation, ceil_mode, low)[0].max(axes)
        assert not ceil_mode
        values, mask = windows(x, pool_size, strides, padding, dilation)
        count = math.prod(pool_size) if count_include_pad else mask.sum(axes)
        return (values.sum(axes) / count).astype(x.dtype)
    OPS[f"nn.{name}_pool{spatial}d"] = run


def convolution(spatial):
    def run(x, weight, strides, padding, dilation, groups, data_layout, kernel_layout, out_layout,
            out_dtype):
        assert data_layout == out_layout and out_dtype is None and kernel_layout.startswith("OI")
        same_dtype(x, weight)
        values, _ = windows(x, weight.shape[2:], strides, padding, dilation)
        outputs = []
        for g in range(groups):
            inputs = np.split(values, groups, 1)[g]
            kernel = np.split(weight, groups, 0)[g]
            over = tuple(range(2 + spatial, 2 + 2 * spatial))
            out = np.tensordot(inputs, kernel, ((1,) + over, (1,) + tuple(range(2, 2 + spatial))))
            outputs.append(np.moveaxis(out, -1, 1))
        return np.concatenate(outputs, 1).astype(x.dtype)
    OPS[f"nn.conv{spatial}d"] = run


def transposed_convolution(spatial):
    def run(x, weight, strides, padding, output_padding, dilation, groups, data_layout,
            kernel_layout, out_layout, out_dtype):
        assert data_layout == out_layout and out_dtype is None and kernel_layout.startswith("IO")
        kernel = weight.shape[2:]
        full = [(x.shape[2 + i] - 1) * strides[i] + (kernel[i] - 1) * dilation[i] + 1 +
                output_padding[i] for i in range(spatial)]
        out = np.zeros([x.shape[0], weight.shape[1] * groups] + full, x.dtype)
        for g, (inputs, taps) in enumerate(zip(np.split(x, groups, 1), np.split(weight, groups, 0))):
            channels = slice(g * weight.shape[1], (g + 1) * weight.shape[1])
            for tap in itertools.product(*map(range, kernel)):
                product = np.moveaxis(np.tensordot(inputs, taps[(...,) + tap], (1, 0)), -1, 1)
                area = tuple(
                    slice(tap[i] * dilation[i],
                          tap[i] * dilation[i] + (x.shape[2 + i] - 1) * strides[i] + 1, strides[i])
                    for i in range(spatial))
                out[(slice(None), channels) + area] += product
        crop = tuple(slice(padding[i], full[i] - padding[spatial + i]) for i in range(spatial))
        return out[(slice(None), slice(None)) + crop]
    OPS[f"nn.conv{spatial}d_transpose"] = run


for _spatial in (1, 2, 3):
    pool("max", _spatial)
    pool("avg", _spatial)
    convolution(_spatial)
    transposed_convolution(_spatial)


def cubic_weights(t, a):
    def near(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d):
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.array([far(1 + t), near(t), near(1 - t), far(2 - t)])


def resize_matrix(size, out, method, coordinates, rounding, alpha, exclude):
    """out × size: how each element of the result is made of those of one axis."""
    scale = (size - 1) / (out - 1) if coordinates == "align_corners" else size / out
    matrix = np.zeros((out, size))
    for o in range(out):
        half = coordinates in ("half_pixel", "pytorch_half_pixel")
        place = (o + 0.5) * scale - 0.5 if half else o * scale
        if method == "nearest_neighbor":
            index = {"round_prefer_floor": math.ceil(place - 0.5), "floor": math.floor(place + 1e-5),
                     "round_prefer_ceil": math.floor(place + 0.5),
                     "ceil": math.ceil(place - 1e-5)}[rounding]
            matrix[o, min(max(index, 0), size - 1)] = 1
            continue
        low = math.floor(place)
        t = place - low
        if method == "linear":
            taps, weights = range(low, low + 2), np.array([1 - t, t])
        else:
            taps, weights = range(low - 1, low + 3), cubic_weights(t, alpha)
            if exclude:
                weights = weights * [0 <= tap < size for tap in taps]
                weights = weights / weights.sum()
        for tap, weight in zip(taps, weights):
            matrix[o, min(max(tap, 0), size - 1)] += weight
    return matrix


@op("image.resize2d")
def resize2d(x, size, layout, method, coordinate_transformation_mode, rounding_method,
             cubic_alpha=-0.75, cubic_exclude=0):
    assert layout == "NCHW"
    rows, columns = [
        resize_matrix(x.shape[2 + i], size[i], method, coordinate_transformation_mode,
                      rounding_method, cubic_alpha, cubic_exclude) for i in range(2)]
    return np.einsum("nchw,oh,pw->ncop", x, rows, columns).astype(x.dtype)


# Quantisation --------------------------------------------------------------------------------

def along(x, vector, axis):
    if vector.ndim == 0:
        return vector
    return vector.reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])


@op("quantize")
def quantize(x, scale, zero_point, axis=-1, out_dtype="int8"):
    limits = np.iinfo(out_dtype)
    shifted = np.rint(x / along(x, scale, axis)) + along(x, zero_point, axis)
    return np.clip(shifted, limits.min, limits.max).astype(out_dtype)


@op("dequantize")
def dequantize(x, scale, zero_point, axis=-1, out_dtype="float32"):
    shifted = x.astype(np.int32) - along(x, zero_point, axis).astype(np.int32)
    return (shifted.astype(out_dtype) * along(x, scale, axis)).astype(out_dtype)


# Modules -------------------------------------------------------------------------------------

class Function:
    """Function `name` of a module's text. It takes all its parameters, in order."""

    def __init__(self, text, name="main"):
        functions = [f for f in ast.walk(ast.parse(text)) if isinstance(f, ast.FunctionDef)]
        self.text = text
        self.definition = next(f for f in functions if f.name == name)
        self.parameters = [a.arg for a in self.definition.args.args]
        self.names = {}

    def __call__(self, *arguments):
        result = self.call(*arguments)
        return result if isinstance(result, tuple) else (result,)

    def call(self, *arguments):
        self.names = {}
        for parameter, value in zip(self.definition.args.args, arguments):
            self.names[parameter.arg] = value
            self.check_type(parameter.annotation, value)
        result = self.run_block(self.definition.body)
        self.check_type(self.definition.returns, result)
        return result

    def check_type(self, node, value):
        """That a value has its annotated type; sizes that are new names are learnt."""
        call = dotted(node.func)
        if call == "Tuple":
            for part, element in zip(node.args, value):
                self.check_type(part, element)
            return
        assert call == "Tensor" and isinstance(value, np.ndarray), ast.unparse(node)
        keywords = {k.arg: ast.literal_eval(k.value) for k in node.keywords}
        if keywords.get("dtype") == "bfloat16":
            raise Refused("bfloat16")
        if "dtype" in keywords:
            assert value.dtype == keywords["dtype"], f"{value.dtype}: {ast.unparse(node)}"
        if "ndim" in keywords:
            assert value.ndim == keywords["ndim"], f"{value.shape}: {ast.unparse(node)}"
        if not node.args:
            return
        sizes = node.args[0].elts
        assert len(sizes) == value.ndim, f"{value.shape}: {ast.unparse(node)}"
        for size, actual in zip(sizes, value.shape):
            if isinstance(size, ast.Constant) and isinstance(size.value, str):
                size = ast.parse(size.value, mode="eval").body
            if isinstance(size, ast.Name) and size.id not in self.names:
                self.names[size.id] = actual
            assert self.evaluate(size) == actual, f"{value.shape}: {ast.unparse(node)}"

    def evaluate(self, node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.names[node.id]
        if isinstance(node, (ast.Tuple, ast.List)):
            return tuple(map(self.evaluate, node.elts)) if isinstance(node, ast.Tuple) else [
                self.evaluate(e) for e in node.elts]
        if isinstance(node, ast.Subscript):
            return self.evaluate(node.value)[self.evaluate(node.slice)]
        if isinstance(node, ast.UnaryOp):
            return -self.evaluate(node.operand)
        if isinstance(node, ast.BinOp):
            left, right = self.evaluate(node.left), self.evaluate(node.right)
            return {ast.Add: lambda: left + right, ast.Sub: lambda: left - right,
                    ast.Mult: lambda: left * right, ast.FloorDiv: lambda: left // right,
                    ast.Mod: lambda: left % right}[type(node.op)]()
        return self.evaluate_call(node)

    def evaluate_call(self, node):
        name = dotted(node.func)
        if name is None:
            called = ast.unparse(node.func)
            if called.startswith("cls."):
                return Function(self.text, called[4:]).call(*map(self.evaluate, node.args))
            function = {"T.min": min, "T.max": max, "float": float}[called]
            return function(*map(self.evaluate, node.args))
        if name == "match_cast":
            value = self.evaluate(node.args[0])
            self.check_type(node.args[1], value)
            return value
        if name not in OPS:
            raise Refused(f"R.{name}")
        keywords = {k.arg: self.evaluate(k.value) for k in node.keywords}
        if "bfloat16" in keywords.values():
            raise Refused("bfloat16")
        result = OPS[name](*map(self.evaluate, node.args), **keywords)
        return np.asarray(result) if isinstance(result, np.generic) else result

    def run_block(self, statements):
        for node in statements:
            if isinstance(node, ast.Return):
                return self.evaluate(node.value)
            if isinstance(node, ast.With):
                self.run_block(node.body)
            elif isinstance(node, ast.If):
                self.run_block(node.body if self.evaluate(node.test) else node.orelse)
            elif isinstance(node, ast.AnnAssign):
                self.names[node.target.id] = self.evaluate(node.value)
                self.check_type(node.annotation, self.names[node.target.id])
            elif isinstance(node, ast.Assign) and ast.unparse(node.value) not in (
                    "T.int64()", "Module"):
                self.names[node.targets[0].id] = self.evaluate(node.value)
        return None
