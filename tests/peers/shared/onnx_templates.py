# SPDX-License-Identifier: Apache-2.0
"""Templates of ONNX's operators for drawn graphs, with operands and attributes that are legal for them."""

import numpy
from onnx import helper

# A template: a drawing (producers/onnx_drawn.py) to operator, operands, attributes and, unless it is
# one, the number of results.

def unary(*operators, kinds="f"):
    return [lambda d, name=name: (name, [d.of_kind(kinds)], {}) for name in operators]


def binary(*operators, kinds="f"):
    def template(d, name):
        left = d.of_kind(kinds)
        operands = [left, d.sibling(left)]
        return name, operands[::-1] if d.chance(0.3) else operands, {}
    return [lambda d, name=name: template(d, name) for name in operators]


def parameters(d):
    name = d.pick(["LeakyRelu", "Elu", "HardSigmoid", "ThresholdedRelu", "Celu", "Selu", "Shrink"])
    x = d.of_kind("f")
    choices = {"LeakyRelu": {"alpha": 0.3}, "Elu": {"alpha": 1.5}, "Celu": {"alpha": 0.7},
               "HardSigmoid": {"alpha": 0.3, "beta": 0.6}, "ThresholdedRelu": {"alpha": -0.5},
               "Selu": {"alpha": 1.2, "gamma": 2.0}, "Shrink": {"lambd": 0.4, "bias": 0.3}}
    return name, [x], choices[name] if d.chance() else {}


def softmax(d):
    x = d.of_kind("f", 1)
    return d.pick(["Softmax", "LogSoftmax", "Hardmax"]), [x], (
        {"axis": d.axis(x)} if d.chance(0.8) else {})


def reduction(d):
    name = d.pick(["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
                   "ReduceL2", "ReduceLogSumExp", "ReduceSumSquare"])
    x = d.of_kind("f" if "Log" in name else "fi", 0 if d.chance(0.1) else 1)
    attributes = {"keepdims": d.number(0, 1)} if d.chance(0.7) else {}
    as_operand = d.operator_set >= (13 if name == "ReduceSum" else 18)
    if d.chance(0.2) or not d.values[x].ndim:
        return name, [x], attributes
    axes = d.axes(x)
    if as_operand:
        return name, [x, d.constant(axes)], attributes
    return name, [x], attributes | {"axes": axes}


def extreme_place(d):
    x = d.of_kind("fi", 1)
    attributes = {"axis": d.axis(x), "keepdims": d.number(0, 1)}
    if d.operator_set >= 12 and d.chance():
        attributes["select_last_index"] = 1
    return d.pick(["ArgMax", "ArgMin"]), [x], attributes


def transpose(d):
    x = d.of_kind("fiub", 0)
    rank = d.values[x].ndim
    return "Transpose", [x], ({"perm": [int(axis) for axis in d.generator.permutation(rank)]}
                              if rank and d.chance(0.8) else {})


def reshape(d):
    x = d.of_kind("fiub")
    sizes = list(d.values[x].shape)
    d.generator.shuffle(sizes)
    if len(sizes) > 1 and d.chance():
        sizes = [sizes[0] * sizes[1], *sizes[2:]]
    if d.chance(0.3):
        sizes.insert(d.number(0, len(sizes)), 1)
    if sizes and d.chance(0.7):
        sizes[d.number(0, len(sizes) - 1)] = -1
    if sizes and d.values[x].ndim and d.chance(0.2) and sizes[0] == d.values[x].shape[0]:
        sizes[0] = 0
    return "Reshape", [x, d.constant(sizes)], {}


def reshape_like(d):
    """By the sizes of another value, computed."""
    x = d.value(lambda array: array.dtype == "int64" and array.ndim == 1 and array.size < 5 and
                (array > 0).all())
    return "Expand", [d.constant(d.draw("float32", 1), "float32"), x], {}


def shape(d):
    x = d.of_kind("fiub")
    attributes = {}
    if d.operator_set >= 15 and d.chance():
        attributes = {"start": d.number(-3, 2)}
    return d.pick(["Shape", "Shape", "Size"] if not attributes else ["Shape"]), [x], attributes


def slice_(d):
    x = d.of_kind("fiub", 1)
    rank = d.values[x].ndim
    count = d.number(1, rank)
    axes = [int(axis) for axis in d.generator.choice(rank, count, replace=False)]
    starts, ends, steps = [], [], []
    for axis in axes:
        step = d.pick([1, 1, 1, 2, -1, -2, 3]) if d.operator_set >= 10 else 1
        size = d.values[x].shape[axis]
        start, end = sorted([d.number(-size - 1, size), d.number(-size - 1, size + 1)],
                            key=lambda place: place % (size + 2))
        if d.chance(0.3):
            end = 2**31 - 1
        if step < 0:
            start, end = (size - 1 if d.chance() else -1), d.pick([-2**31, -size - 1, 0])
        starts.append(start)
        ends.append(end)
        steps.append(step)
    if d.operator_set < 10:
        return "Slice", [x], {"starts": starts, "ends": ends, "axes": axes}
    axes = [axis - (rank if d.operator_set >= 11 and d.chance(0.3) else 0) for axis in axes]
    dtype = d.pick(["int64", "int32"])
    operands = [x, *(d.constant(part, dtype) for part in (starts, ends))]
    in_order = axes == list(range(rank))
    if in_order and d.chance():
        operands += ["", d.constant(steps, dtype)] if any(step != 1 for step in steps) else []
    else:
        operands.append(d.constant(axes, dtype))
        if any(step != 1 for step in steps) or d.chance(0.3):
            operands.append(d.constant(steps, dtype))
    return "Slice", operands, {}


def gather(d):
    x = d.of_kind("fiub", 1)
    axis = d.axis(x)
    size = d.values[x].shape[axis]
    low = -size if d.operator_set >= 11 else 0
    sizes = [d.number(1, 3) for _ in range(d.number(0, 2))]
    return "Gather", [x, d.constant(d.generator.integers(low, size, sizes),
                                    d.pick(["int64", "int32"]))], {"axis": axis}


def gather_elements(d):
    x = d.of_kind("fiu", 1)
    axis = d.axis(x)
    sizes = [d.number(1, size) for size in d.values[x].shape]
    size = d.values[x].shape[axis]
    return "GatherElements", [x, d.constant(d.generator.integers(-size, size, sizes))], {"axis": axis}


def scatter_elements(d):
    x = d.of_kind("fi", 1)
    axis = d.axis(x)
    sizes = [d.number(1, size) for size in d.values[x].shape]
    size = d.values[x].shape[axis]
    sizes[axis] = min(2, size)
    # Each place once, so that the order of writing does not matter.
    line = d.generator.permutation(size)[:sizes[axis]]
    places = numpy.zeros(sizes, int) + line.reshape([-1 if at == axis % len(sizes) else 1
                                                     for at in range(len(sizes))])
    array = d.values[x]
    attributes = {"axis": axis}
    if d.operator_set >= 18 and d.chance(0.6):
        attributes["reduction"] = d.pick(["add", "mul", "max", "min"])
    return "ScatterElements", [x, d.constant(places),
                               d.constant(d.draw(array.dtype.name, *sizes), array.dtype)], attributes


def gather_nd(d):
    x = d.of_kind("fiu", 2)
    array = d.values[x]
    batch = d.number(0, 1) if d.operator_set >= 12 and not d.open_first else 0
    depth = d.number(1, array.ndim - batch)
    places = [d.generator.integers(-array.shape[batch + at], array.shape[batch + at],
                                   [*array.shape[:batch], 2, 1]) for at in range(depth)]
    return "GatherND", [x, d.constant(numpy.concatenate(places, -1))], (
        {"batch_dims": batch} if batch else {})


def concat(d):
    x = d.of_kind("fiub", 1)
    axis = d.axis(x)
    array = d.values[x]
    operands = [x]
    for _ in range(d.number(0, 2)):
        sizes = list(array.shape)
        sizes[axis] = d.number(0 if d.chance(0.1) else 1, 3)
        operands.insert(d.number(0, len(operands)), x if d.chance(0.3) else
                        d.constant(d.draw(array.dtype.name, *sizes), array.dtype))
    return "Concat", operands, {"axis": axis}


def split(d):
    x = d.of_kind("fiu", 1)
    axis = d.axis(x)
    size = d.values[x].shape[axis]
    count = d.number(1, min(3, size))
    if d.operator_set >= 18 and d.chance():
        return "Split", [x], {"axis": axis, "num_outputs": count}, count
    if size % count == 0 and d.operator_set < 18 and d.chance():
        return "Split", [x], {"axis": axis}, count
    ends = sorted(d.number(0, size) for _ in range(count - 1))
    parts = [int(part) for part in numpy.diff([0, *ends, size])]
    if d.operator_set >= 13:
        return "Split", [x, d.constant(parts)], {"axis": axis}, count
    return "Split", [x], {"axis": axis, "split": parts}, count


def squeeze(d):
    x = d.value(lambda array: 1 in array.shape)
    ones = [axis for axis, size in enumerate(d.values[x].shape) if size == 1]
    axes = [d.pick(ones)]
    if d.chance(0.3):
        return "Squeeze", [x], {}
    if d.operator_set >= 13:
        return "Squeeze", [x, d.constant([axes[0] - (d.values[x].ndim if d.chance(0.4) else 0)])], {}
    return "Squeeze", [x], {"axes": axes}


def unsqueeze(d):
    x = d.of_kind("fiub", 0, 4)
    rank = d.values[x].ndim
    axes = sorted({d.number(0, rank) for _ in range(d.number(1, 2))})
    if d.operator_set >= 13:
        return "Unsqueeze", [x, d.constant([axis - (rank + len(axes) if d.chance(0.3) else 0)
                                            for axis in axes])], {}
    return "Unsqueeze", [x], {"axes": axes}


def expand(d):
    x = d.of_kind("fiub")
    sizes = [d.number(2, 3) if size == 1 and d.chance(0.7) else d.pick([1, size])
             for size in d.values[x].shape]
    if d.chance(0.3):
        sizes.insert(0, d.number(1, 2))
    elif sizes and d.chance(0.3):
        del sizes[0]
    return "Expand", [x, d.constant(sizes)], {}


def tile(d):
    x = d.of_kind("fiub", 1)
    return "Tile", [x, d.constant([d.number(1, 2) for _ in d.values[x].shape])], {}


def pad(d):
    x = d.of_kind("f", 1)
    array = d.values[x]
    mode = d.pick(["constant", "constant", "edge", "reflect"] +
                  (["wrap"] if d.operator_set >= 19 else []))
    low = -1 if mode == "constant" or d.chance(0.1) else 0
    amounts = [d.number(low, 2 if mode in ("constant", "edge") else min(2, max(size - 1, 0)))
               for size in array.shape + array.shape]
    if d.operator_set < 11:
        return "Pad", [x], {"pads": amounts, "mode": mode} | ({"value": 1.5} if d.chance() else {})
    operands = [x, d.constant(amounts)]
    if mode == "constant" and d.chance():
        operands.append(d.constant(1.5, array.dtype))
    if d.operator_set >= 18 and d.chance():
        axes = list(range(array.ndim))
        operands += [""] * (3 - len(operands)) + [d.constant([axis - array.ndim for axis in axes])]
    return "Pad", operands, {"mode": mode}


def flatten(d):
    x = d.of_kind("fiub", 1)
    return "Flatten", [x], {"axis": d.axis(x)}


def matmul(d):
    x = d.of_kind("f", 1)
    array = d.values[x]
    columns = d.number(1, 5)
    sizes = [array.shape[-1], columns] if d.chance(0.85) else [array.shape[-1]]
    if len(sizes) == 2 and array.ndim > 2 and d.chance(0.4):
        sizes = [d.pick([1, array.shape[-3]]), *sizes]
    return "MatMul", [x, d.constant(d.draw(array.dtype.name, *sizes), array.dtype)], {}


def matmul_self(d):
    x = d.of_kind("f", 2)
    array = d.values[x]
    return "MatMul", [x, d.value(lambda other: other.dtype == array.dtype and other.ndim > 1 and
                                 other.shape[-2] == array.shape[-1])], {}


def gemm(d):
    x = d.of_kind("f", 2, 2)
    array = d.values[x]
    attributes = {key: 1 for key in ("transA", "transB") if d.chance()}
    rows, inner = array.shape[::-1] if "transA" in attributes else array.shape
    columns = d.number(1, 5)
    sizes = [columns, inner] if "transB" in attributes else [inner, columns]
    operands = [x, d.constant(d.draw(array.dtype.name, *sizes), array.dtype)]
    if d.operator_set < 11 or d.chance(0.7):
        bias = d.pick([[columns], [1, columns], [rows, 1], [1], [], [rows, columns]])
        operands.append(d.constant(d.draw(array.dtype.name, *bias), array.dtype))
    for key in ("alpha", "beta"):
        if d.chance(0.3):
            attributes[key] = d.pick([0.5, -1.0, 2.0, 0.0])
    return "Gemm", operands, attributes


def convolution(d):
    x = d.of_kind("f", 3, 5)
    array = d.values[x]
    channels = array.shape[1]
    group = d.pick([1, 1, channels])
    kernel = [d.number(1, min(3, size)) for size in array.shape[2:]]
    transposed = d.chance(0.3)
    outward = d.number(1, 3)
    sizes = ([channels, outward] if transposed else [outward * group, channels // group]) + kernel
    operands = [x, d.constant(d.draw(array.dtype.name, *sizes), array.dtype)]
    if d.chance():
        operands.append(d.constant(d.draw(array.dtype.name, outward * group), array.dtype))
    spatial = len(kernel)
    attributes = {"group": group} if group > 1 else {}
    if d.chance():
        attributes["strides"] = [d.number(1, 2) for _ in range(spatial)]
    if d.chance(0.3):
        attributes["dilations"] = [d.number(1, 2) for _ in range(spatial)]
    if d.chance(0.2):
        attributes["auto_pad"] = d.pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
    elif d.chance():
        attributes["pads"] = [d.number(0, 1) for _ in range(2 * spatial)]
    if d.chance(0.3):
        attributes["kernel_shape"] = kernel
    return "ConvTranspose" if transposed else "Conv", operands, attributes


def pool(d):
    x = d.of_kind("f", 3, 5)
    spatial = d.values[x].shape[2:]
    kernel = [d.number(1, min(3, size)) for size in spatial]
    name = d.pick(["MaxPool", "AveragePool", "MaxPool", "AveragePool", "LpPool"])
    attributes = {"kernel_shape": kernel}
    if d.chance(0.6):
        attributes["strides"] = [d.number(1, 3) for _ in kernel]
    if d.chance(0.2):
        attributes["auto_pad"] = d.pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
    elif d.chance(0.6):
        attributes["pads"] = [d.number(0, size - 1) for size in kernel * 2]
    if name != "LpPool" and d.operator_set >= 10 and d.chance():
        attributes["ceil_mode"] = 1
    if name == "AveragePool" and d.chance():
        attributes["count_include_pad"] = 1
    if name == "MaxPool" and d.operator_set >= 10 and d.chance(0.3):
        attributes["dilations"] = [d.number(1, 2) for _ in kernel]
    if name == "LpPool":
        attributes["p"] = d.number(1, 3)
    return name, [x], attributes, 2 if name == "MaxPool" and d.chance(0.2) else 1


def global_pool(d):
    return d.pick(["GlobalAveragePool", "GlobalMaxPool"]), [d.of_kind("f", 3)], {}


def normalization(d):
    x = d.of_kind("f", 2)
    array = d.values[x]
    channels = array.shape[1]
    scale, bias, mean = (d.constant(d.draw(array.dtype.name, channels), array.dtype) for _ in range(3))
    variance = d.constant(abs(d.draw(array.dtype.name, channels)) + 0.5, array.dtype)
    kind = d.pick(["batch", "instance", "layer", "lp", "mean"])
    if kind == "batch":
        return "BatchNormalization", [x, scale, bias, mean, variance], {"epsilon": 0.01}
    if kind == "instance" and array.ndim > 2:
        return "InstanceNormalization", [x, scale, bias], {"epsilon": 0.01}
    if kind == "layer" and d.operator_set >= 17 and not d.open_first:
        axis = d.axis(x)
        sizes = array.shape[axis:]
        operands = [x, d.constant(d.draw(array.dtype.name, *sizes), array.dtype)]
        if d.chance():
            operands.append(d.constant(d.draw(array.dtype.name, *sizes), array.dtype))
        return "LayerNormalization", operands, {"axis": axis, "epsilon": 0.01}
    if kind == "lp":
        return "LpNormalization", [x], {"axis": d.axis(x), "p": d.number(1, 2)}
    return "MeanVarianceNormalization", [x], {"axes": d.axes(x)}


def where(d):
    condition = d.of_kind("b")
    x = d.value(lambda array: array.dtype.kind in "fi" and
                d.broadcasts(array.shape, d.values[condition].shape))
    return "Where", [condition, x, d.sibling(x)], {}


def clip(d):
    x = d.of_kind("f")
    dtype = d.values[x].dtype
    if d.operator_set < 11:
        return "Clip", [x], d.pick([{"min": -0.5}, {"max": 0.7}, {"min": -0.5, "max": 1.0}, {}])
    low, high = d.constant(-0.5, dtype), d.constant(0.7, dtype)
    return "Clip", d.pick([[x], [x, low], [x, "", high], [x, low, high]]), {}


def cast(d):
    x = d.of_kind("fiub")
    target = d.pick(["float32", "float32", "int64", "int32", "bool", "float64", "float16"])
    return "Cast", [x], {"to": helper.np_dtype_to_tensor_dtype(numpy.dtype(target))}


def cumulative_sum(d):
    x = d.of_kind("fi", 1)
    attributes = {key: 1 for key in ("exclusive", "reverse") if d.chance()}
    return "CumSum", [x, d.constant(d.axis(x), "int32")], attributes


def top(d):
    x = d.of_kind("f", 1)
    array = d.values[x]
    if numpy.unique(array).size != array.size:
        raise Refused("ties")
    axis = d.axis(x)
    count = d.number(1, array.shape[axis])
    attributes = {"axis": axis}
    if d.operator_set >= 11 and d.chance():
        attributes["largest"] = 0
    if d.operator_set < 10:
        return "TopK", [x], attributes | {"k": count}, 2
    return "TopK", [x, d.constant([count])], attributes, 2


def one_hot(d):
    x = d.of_kind("i", 0, 3)
    values = d.constant([d.pick([0, -1]), d.pick([1, 2])], "float32")
    return "OneHot", [x, d.constant(d.pick([3, [4]])), values], (
        {"axis": d.number(-1, d.values[x].ndim)} if d.chance() else {})


def blocks(d):
    x = d.of_kind("f", 4, 4)
    sizes = d.values[x].shape
    if sizes[1] % 4 == 0:
        attributes = {"blocksize": 2}
        if d.operator_set >= 11 and d.chance():
            attributes["mode"] = "CRD"
        return "DepthToSpace", [x], attributes
    return "SpaceToDepth", [x], {"blocksize": d.pick([1, 2, 3])}


def resize(d):
    x = d.of_kind("f", 3, 4)
    array = d.values[x]
    if d.operator_set < 11 or array.dtype != "float32":
        raise Refused("has no such Resize")
    spatial = array.ndim - 2
    mode = d.pick(["nearest", "linear", "linear", "cubic"] if spatial == 2 else ["nearest", "linear"])
    attributes = {"mode": mode, "coordinate_transformation_mode": d.pick(
        ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"])}
    if mode == "nearest":
        attributes["nearest_mode"] = d.pick(["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])
    if mode == "cubic" and d.chance():
        attributes["exclude_outside"] = 1
    roi = d.constant([], "float32") if d.operator_set < 13 else ""
    if d.chance():
        factors = [1, 1] + [float(d.pick([0.5, 1.5, 2, 0.75, 1.25])) for _ in range(spatial)]
        return "Resize", [x, roi, d.constant(factors, "float32")], attributes
    sizes = [*array.shape[:2], *(d.number(1, 8) for _ in range(spatial))]
    return "Resize", [x, roi, d.constant([], "float32") if d.operator_set < 13 else "",
                      d.constant(sizes)], attributes


def einsum(d):
    x = d.of_kind("f", 2, 3)
    if d.operator_set < 12:
        raise Refused("has no Einsum")
    array = d.values[x]
    letters = "abc"[:array.ndim]
    sizes = [array.shape[-1], d.number(1, 3)]
    out = list(letters + "z")
    d.generator.shuffle(out)
    out = "".join(out[:d.number(1, len(out))])
    return "Einsum", [x, d.constant(d.draw(array.dtype.name, *sizes), array.dtype)], {
        "equation": f"{letters},{letters[-1]}z->{out}"}


def recurrence(d):
    x = d.of_kind("f", 3, 3)
    array = d.values[x]
    if array.dtype != "float32":
        raise Refused("has no such recurrence")
    name, gates = d.pick([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
    hidden = d.number(1, 3)
    direction = d.pick(["forward", "reverse", "bidirectional"])
    directions = 2 if direction == "bidirectional" else 1
    steps, batch, width = array.shape

    def weight(*sizes):
        return d.constant(d.draw("float32", *sizes) * 0.5, "float32")

    operands = [x, weight(directions, gates * hidden, width), weight(directions, gates * hidden, hidden),
                weight(directions, 2 * gates * hidden) if d.chance() else "",
                d.constant(d.generator.integers(1, steps + 1, batch), "int32") if d.chance(0.3) else "",
                weight(directions, batch, hidden) if d.chance() else ""]
    if name == "LSTM":
        operands += [weight(directions, batch, hidden) if d.chance() else "",
                     weight(directions, 3 * hidden) if d.chance(0.3) else ""]
    while not operands[-1]:
        operands.pop()
    attributes = {"hidden_size": hidden, "direction": direction}
    if name == "GRU" and d.chance():
        attributes["linear_before_reset"] = 1
    if d.chance(0.2):
        attributes["clip"] = 0.8
    if name == "RNN" and d.chance(0.4):
        attributes["activations"] = [d.pick(["Relu", "Sigmoid", "Softsign"])] * directions
    return name, operands, attributes, d.number(1, 3 if name == "LSTM" else 2)


def quantized(d):
    x = d.of_kind("f", 1)
    if d.values[x].dtype != "float32":
        raise Refused("has no such quantisation")
    kind = d.pick(["uint8", "int8"])
    if d.operator_set >= 13 and d.chance():
        axis = d.axis(x)
        size = d.values[x].shape[axis]
        scale = d.constant(d.generator.random(size) + 0.1, "float32")
        return "QuantizeLinear", [x, scale, d.constant(d.draw(kind, size), kind)], {"axis": axis}
    return "QuantizeLinear", [x, d.constant(0.11, "float32"), d.constant(3, kind)], {}


def dequantized(d):
    x = d.value(lambda array: array.dtype == "uint8")
    return "DequantizeLinear", [x, d.constant(0.3, "float32"), d.constant(5, "uint8")], {}


def trilu(d):
    x = d.of_kind("fi", 2)
    if d.operator_set < 14:
        raise Refused("has no Trilu")
    return "Trilu", [x, *([d.constant(d.number(-2, 2))] if d.chance() else [])], (
        {"upper": 0} if d.chance() else {})


def remainder(d):
    x = d.of_kind("fi")
    array = d.values[x]
    divisor = d.constant(d.pick([3, 2, -2, -3]), array.dtype)
    attributes = {"fmod": 1} if array.dtype.kind == "f" or d.chance() else {}
    return "Mod", [x, divisor], attributes


def power(d):
    x = d.of_kind("f")
    return "Pow", [x, d.constant(d.pick([2, 3, 0, 1, -1, 0.5]),
                                 d.values[x].dtype if d.operator_set < 12 else
                                 d.pick([d.values[x].dtype, "float32"]))], {}


def divided(d):
    x = d.of_kind("fi")
    return "Div", [x, d.constant(d.pick([2, 3, -3, 7]), d.values[x].dtype)], {}


def nonzero(d):
    return "NonZero", [d.of_kind("fib", 1)], {}


def variadic(d):
    x = d.of_kind("f")
    return d.pick(["Max", "Min", "Sum", "Mean"]), [x, *(d.sibling(x) for _ in range(d.number(0, 2)))], {}


def reverse_rows(d):
    x = d.of_kind("f", 2)
    if d.operator_set < 10 or d.open_first:
        raise Refused("has no ReverseSequence")
    time, batch = d.pick([(0, 1), (1, 0)])
    sizes = d.values[x].shape
    return "ReverseSequence", [x, d.constant(d.generator.integers(1, sizes[time] + 1, sizes[batch]))], {
        "time_axis": time, "batch_axis": batch}


def prelu(d):
    x = d.of_kind("f", 1)
    array = d.values[x]
    sizes = [size if d.chance() else 1 for size in array.shape][d.number(0, array.ndim):]
    return "PRelu", [x, d.constant(d.draw(array.dtype.name, *sizes), array.dtype)], {}


TEMPLATES = [
    *unary("Relu", "Sigmoid", "Tanh", "Abs", "Neg", "Exp", "Floor", "Ceil", "Round", "Sign", "Sin",
           "Cos", "Erf", "Softplus", "Softsign", "Atan", "Sinh", "HardSwish", "Identity", "Gelu",
           "Mish", "Reciprocal", "Sqrt", "Log", "IsNaN", "IsInf"),
    *unary("Abs", "Neg", "Sign", kinds="i"), *unary("Not", kinds="b"), *unary("BitwiseNot", kinds="i"),
    *binary("Add", "Sub", "Mul", "Div") * 2, *binary("Add", "Sub", "Mul", "Max", "Min", kinds="i"),
    *binary("Less", "Greater", "Equal", "LessOrEqual", "GreaterOrEqual", kinds="fi"),
    *binary("And", "Or", "Xor", "Equal", kinds="b"),
    *binary("BitwiseAnd", "BitwiseOr", "BitwiseXor", kinds="i"),
    parameters, parameters, softmax, softmax, reduction, reduction, reduction, extreme_place,
    transpose, transpose, transpose, reshape, reshape, reshape, reshape_like, shape, slice_, slice_,
    slice_, gather, gather, gather_elements, scatter_elements, gather_nd, concat, concat, split,
    squeeze, squeeze, unsqueeze, unsqueeze, expand, tile, pad, pad, flatten, matmul, matmul,
    matmul_self, gemm, gemm, convolution, convolution, convolution, pool, pool, global_pool,
    normalization, normalization, where, where, clip, cast, cast, cumulative_sum, top, one_hot,
    blocks, resize, resize, einsum, recurrence, recurrence, quantized, dequantized, trilu, remainder,
    power, divided, nonzero, variadic, reverse_rows, prelu]
