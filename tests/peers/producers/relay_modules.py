# SPDX-License-Identifier: Apache-2.0
"""Modules of Relay as the last TVM that has it prints them: calls of operators, control flow, open
sizes, and what its passes make of a small network. Outputs are those of its virtual machine."""

import math

import ml_dtypes  # registers the element types that NumPy lacks
import numpy
import tvm
from tvm import relay
from tvm.relay import transform

from shared.cases import write_case
from shared.produce import numbers, serve_producer

assert ml_dtypes
numpy.math = math  # which TVM 0.19 looks for in it
FORM = "Relay text"
INFER = transform.InferType()


def draw(*sizes, dtype="float32"):
    return numbers(numpy.random.default_rng(sum(sizes)), *sizes, dtype=dtype)


def integers(low, high, *sizes, dtype="int32"):
    return numpy.random.default_rng(sum(sizes)).integers(low, high, sizes).astype(dtype)


def flat(result):
    """The arrays of a result: a tensor, or a nested tuple of them."""
    if hasattr(result, "numpy"):
        return [result.numpy()]
    return [array for part in result for array in flat(part)]


def save(module, params, runs, folder, **facts):
    params = {name: tvm.nd.array(value) for name, value in params.items()}
    with tvm.transform.PassContext(opt_level=1):
        compiled = relay.vm.compile(module, target="llvm", params=params)
    machine = tvm.runtime.vm.VirtualMachine(compiled, tvm.cpu())
    outputs = [flat(machine.invoke("main", *map(tvm.nd.array, run.values()))) for run in runs]
    (folder / "model.relay").write_text(module.astext(show_meta_data=True))
    if params:
        (folder / "model.params").write_bytes(tvm.runtime.save_param_dict(params))
    write_case(folder, "model.relay", list(zip(runs, outputs)), **facts)


def calls(make, *arrays, sizes=None):
    """A case of what `make` makes of variables for the arrays; `sizes` where they are open."""
    def write(folder):
        declared = sizes or [array.shape for array in arrays]
        variables = [relay.var(f"x{place}", shape=shape, dtype=str(array.dtype))
                     for place, (shape, array) in enumerate(zip(declared, arrays))]
        function = relay.Function(variables, make(*variables))
        run = {f"x{place}": array for place, array in enumerate(arrays)}
        save(INFER(tvm.IRModule.from_expr(function)), {}, [run], folder)
    return write


SIGNS = numpy.array([-7, 7, -7, 7, 0, -6]), numpy.array([3, -3, -3, 3, 5, 3])
HALVES = numpy.array([-3.5, -2.5, -0.5, 0, 0.5, 1.5, 2.5, 1e30], "float32")


def scalar(value, dtype="float32"):
    return relay.const(value, dtype)


def elementwise():
    named = {name: calls(getattr(relay, name), HALVES)
             for name in ("ceil", "floor", "round", "trunc", "sign", "tanh", "erf", "isfinite")}
    for dtype in ("int8", "int32", "int64", "float16", "float32"):
        a, b = (side.astype(dtype) for side in SIGNS)
        for name in ("divide", "mod", "trunc_divide", "trunc_mod", "maximum", "less_equal"):
            named[f"{name}, {dtype}"] = calls(getattr(relay, name), a, b)
    for dtype in ("int32", "uint8", "int64"):
        x, bits = integers(0, 100, 7, dtype=dtype), integers(0, 6, 7, dtype=dtype)
        for name in ("left_shift", "right_shift"):
            named[f"{name}, {dtype}"] = calls(getattr(relay, name), x, bits)
    for dtype in ("int8", "uint8", "int32", "float16"):
        x = integers(0, 20, 3, 40, dtype=dtype)
        for name in ("sum", "mean", "max"):
            named[f"{name}, {dtype}"] = calls(
                lambda x, name=name: getattr(relay, name)(x, axis=1, keepdims=True), x)
    return named


def layers():
    image, kernel = draw(2, 6, 9, 8), draw(4, 3, 3, 2)
    settings = dict(strides=(2, 1), padding=(1, 2, 0, 1), dilation=(1, 2), groups=2, channels=4,
                    kernel_size=(3, 2))
    named = {
        "conv2d": calls(lambda x, w: relay.nn.conv2d(x, w, **settings), image, kernel),
        "conv2d, NHWC": calls(
            lambda x, w: relay.nn.conv2d(x, w, data_layout="NHWC", kernel_layout="HWIO",
                                         **settings),
            image.transpose(0, 2, 3, 1).copy(), kernel.transpose(2, 3, 1, 0).copy()),
        "conv2d_transpose": calls(lambda x, w: relay.nn.conv2d_transpose(
            x, w, channels=4, kernel_size=(3, 2), strides=(2, 3), padding=(1, 0),
            output_padding=(1, 1)), draw(2, 3, 7, 6), draw(3, 4, 3, 2)),
        "dense, int8": calls(lambda x, w: relay.nn.dense(x, w, out_dtype="int32"),
                             integers(-128, 127, 3, 4, dtype="int8"),
                             integers(-128, 127, 5, 4, dtype="int8")),
        "reshape by codes": calls(lambda x: relay.reshape(x, (-4, 2, -1, -3, -2)),
                                  draw(6, 2, 3, 4)),
        "take, wrapping": calls(lambda x, i: relay.take(x, i, axis=0, mode="wrap"), draw(3, 4),
                                integers(-5, 7, 2, 5)),
        "requantize": calls(lambda x: relay.qnn.op.requantize(
            x, scalar(0.0123), scalar(2, "int32"), scalar(0.0456), scalar(5, "int32"),
            out_dtype="int8"), integers(-2000, 2000, 40)),
    }
    for ceil in (False, True):
        for kind in ("max", "avg"):
            named[f"{kind}_pool2d, ceil {ceil}"] = calls(
                lambda x, kind=kind, ceil=ceil: getattr(relay.nn, f"{kind}_pool2d")(
                    x, (3, 2), (2, 2), padding=(1, 1), ceil_mode=ceil), draw(2, 3, 9, 8))
    # Other methods fail where this TVM compiles them.
    for mode in ("half_pixel", "align_corners", "asymmetric"):
        named[f"resize2d, {mode}"] = calls(
            lambda x, mode=mode: relay.image.resize2d(
                x, (7, 11), layout="NCHW", method="nearest_neighbor", rounding_method="",
                coordinate_transformation_mode=mode), draw(1, 2, 5, 6))
    return named


def open_sizes():
    any_size, x = relay.Any(), draw(5, 4)
    rows = [(any_size, 4)]
    kept = lambda x: relay.take(x, relay.reshape(relay.argwhere(
        relay.greater(relay.sum(x, 1), scalar(0.0))), [-1]), axis=0)
    return {
        "open, softmax": calls(lambda x: relay.nn.softmax(x, axis=0), x, sizes=rows),
        "open, rows that are chosen": calls(kept, x, sizes=rows),
        "open, mean": calls(lambda x: relay.mean(x, axis=0, keepdims=True), x, sizes=rows),
        "open, product": calls(lambda x: relay.nn.dense(x, relay.const(draw(6, 4))), x, sizes=rows),
        "open, resize": calls(lambda x: relay.image.resize2d(x, (8, 10), layout="NCHW"),
                              draw(2, 3, 6, 7), sizes=[(any_size, 3, any_size, any_size)]),
    }


def branch(x):
    return relay.If(relay.greater(relay.sum(x), scalar(0.0)), relay.tanh(x), relay.exp(x))


def unrolled_by_a_loop(x):
    """A recurrence as importers wrote it: a function that calls itself."""
    index, state = relay.var("i", shape=(), dtype="int64"), relay.var("h", shape=(2, 3))
    loop = relay.loops.while_loop(
        lambda i, h: relay.less(i, scalar(5, "int64")), [index, state],
        lambda i, h: (i + scalar(1, "int64"), relay.tanh(relay.take(x, i, axis=0) + h)))
    return relay.TupleGetItem(loop(scalar(0, "int64"), relay.zeros((2, 3), "float32")), 1)


def twice(x):
    """A function that takes one and gives one."""
    matrix = relay.TensorType((2, 3))
    function, y, z = relay.var("f", relay.FuncType([matrix], matrix)), *(
        relay.var(name, matrix) for name in "yz")
    repeat = relay.Function([function], relay.Function([y], function(function(y))))
    return repeat(relay.Function([z], relay.exp(z) - x))(x)


def network():
    x = relay.var("x", shape=(1, 3, 12, 12))
    shapes = {"kernel": (8, 3, 3, 3), "gamma": (8,), "beta": (8,), "mean": (8,), "var": (8,),
              "weight": (10, 8)}
    params = {name: draw(*shape) * numpy.float32(0.3) for name, shape in shapes.items()}
    params["var"] = numpy.abs(params["var"]) + numpy.float32(0.5)
    kernel, *moments, weight = (relay.var(name, shape=shape) for name, shape in shapes.items())
    y = relay.nn.conv2d(x, kernel, padding=(1, 1), channels=8, kernel_size=(3, 3))
    y = relay.nn.relu(relay.nn.batch_norm(y, *moments)[0])
    y = relay.nn.batch_flatten(relay.nn.global_avg_pool2d(relay.nn.max_pool2d(y, (2, 2), (2, 2))))
    function = relay.Function([x, kernel, *moments, weight],
                              relay.nn.softmax(relay.nn.dense(y, weight)))
    return INFER(tvm.IRModule.from_expr(function)), params, [{"x": draw(1, 3, 12, 12)}]


def quantized(module, params):
    with relay.quantize.qconfig(skip_conv_layers=None, calibrate_mode="global_scale"):
        bound = {name: tvm.nd.array(value) for name, value in params.items()}
        return relay.quantize.quantize(module, bound), {}


def passes():
    sequence = tvm.transform.Sequential
    plain = {
        "fused": sequence([transform.SimplifyInference(), transform.FuseOps(2)]),
        "as let": transform.ToANormalForm(),
        "in blocks": transform.ToBasicBlockNormalForm(),
        "in float16": transform.ToMixedPrecision("float16"),
        "NHWC": transform.ConvertLayout({"nn.conv2d": ["NHWC", "default"]}),
        "in blocks of channels": transform.ConvertLayout({"nn.conv2d": ["NCHW4c", "OIHW4i4o"]}),
        "scales folded": sequence([transform.SimplifyInference(), transform.BackwardFoldScaleAxis(),
                                   transform.FoldConstant()]),
    }

    def write(name, change):
        # Halves are rounded where each side pleases.
        facts = {"atol": 1e-2} if name == "in float16" else {}

        def write_it(folder):
            module, params, runs = network()
            with tvm.transform.PassContext(opt_level=4):
                module, params = change(module, params)
            save(INFER(module), params, runs, folder, **facts)
        return write_it

    named = {name: lambda module, params, change=change: (change(module), params)
             for name, change in plain.items()}
    named |= {"as it was made": lambda *given: given, "quantized": quantized}
    return {name: write(name, change) for name, change in named.items()}


def cases():
    control = {"branch": calls(branch, draw(2, 3)),
               "loop": calls(unrolled_by_a_loop, draw(5, 2, 3)),
               "closures": calls(twice, draw(2, 3))}
    named = elementwise() | layers() | open_sizes() | control | {
        f"network, {name}": write for name, write in passes().items()}
    return {f"{FORM}/{name}": write for name, write in named.items()}


if __name__ == "__main__":
    serve_producer(cases(), f"TVM {tvm.__version__}")
