# SPDX-License-Identifier: Apache-2.0
"""Quantisation, gradients, activations, and loops over steps."""

import numpy as np

from operator_cases import DRAW, FLOAT, G, Group, case, f32, i32, save, sigmoid


def make_quantized():
    x = f32(4, 3)
    for bits, narrow, axis in ((8, False, -1), (8, True, 1), (6, False, -1)):
        low = np.array([-1.5, -0.5, -2] if axis == 1 else -1.5, np.float32)
        high = np.array([1, 0.75, 2.5] if axis == 1 else 1, np.float32)
        most = 2 ** (bits - 1) - 1
        least = -most if narrow else -most - 1
        step = np.maximum(low / least, high / most)
        wanted = np.clip(np.rint(x / step), least, most) * step
        case(f"quantize_and_dequantize_{bits}_{narrow}", "QuantizeAndDequantizeV2", [x, (low,), (high,)],
             oracle=False, reference=[wanted.astype(np.float32)], num_bits=bits, range_given=True,
             narrow_range=narrow, axis=axis, signed_input=True, **FLOAT)
    # Halves of a constant are rounded up: -1.5, -0.5, 0.5, 1.5 of steps of 1 from -8 on.
    halves = np.array([-9, -1.5, -0.5, 0.25, 0.5, 1.5, 2.5, 9], np.float32)
    graph = G()
    graph.ph("x", "float", (8,))
    graph.op("FakeQuantWithMinMaxArgs", graph.const(halves, name="halves"), name="rounded", min=-8.0,
             max=7.0, num_bits=4)
    graph.op("AddV2", "rounded", "x", name="y", **FLOAT)
    wanted = np.clip(np.floor(halves + 0.5), -8, 7).astype(np.float32)
    save("fake_quant_constant", graph, {"x": np.zeros(8, np.float32)}, ["y"], [wanted], oracle=False)


def make_dequantized():
    """Integers as TensorFlow's kernel reads them."""
    for kind, name in ((np.uint8, "quint8"), (np.int8, "qint8")):
        stored = DRAW.integers(np.iinfo(kind).min, np.iinfo(kind).max + 1, (4, 3)).astype(kind)
        least, most = np.iinfo(kind).min, np.iinfo(kind).max
        low, high = np.float32(-1.3), np.float32(2.5)
        step = (high - low) / np.float32(255)
        from_low = stored.astype(np.float32) - least
        scaled = high / most if least == 0 else max(low / least, high / most)
        wanted = {"MIN_COMBINED": from_low * step + low,
                  "MIN_FIRST": from_low * step + np.round(low / step) * step,
                  "SCALED": stored.astype(np.float32) * np.float32(scaled)}
        for mode, array in wanted.items():
            graph = G()
            graph.ph("x", stored.dtype.name, stored.shape)
            graph.op("Dequantize", "x", graph.const(low, name="low"), graph.const(high, name="high"),
                     name="y", T=f"dt:{name}", mode=mode)
            save(f"dequantize_{name}_{mode}", graph, {"x": stored}, ["y"], [array.astype(np.float32)],
                 oracle=False)


def block_lstm(x, w, bias, count):
    """All of cs and h, from zeros; gates in the order i, candidate, f, o, forget bias 1."""
    hidden = len(bias) // 4
    cs = h = np.zeros((x.shape[1], hidden), np.float32)
    rows = []
    for row in x[:count]:
        i, candidate, f, o = np.split(np.concatenate([row, h], 1) @ w + bias, 4, axis=1)
        cs = sigmoid(f + 1) * cs + sigmoid(i) * np.tanh(candidate)
        h = sigmoid(o) * np.tanh(cs)
        rows.append((cs, h))
    rest = [(np.zeros_like(h),) * 2] * (len(x) - count)
    return [np.stack(rows).astype(np.float32) for rows in zip(*rows, *rest)]


def make_block_lstm():
    """Sequences of a length known at run time only: all of it, or as much as an input says."""
    x, w, bias = f32(5, 2, 3), f32(7, 16), f32(16)
    for masked in (False, True):
        graph = G()
        graph.ph("x", "float", (-1, 2, 3))
        feeds = {"x": x}
        if masked:
            feeds["length"] = np.array(3, np.int64)
            graph.ph("length", "int64", ())
        else:
            graph.op("Shape", "x", name="sizes", out_type="dt:int64", **FLOAT)
            at = [graph.const(i32(i), name=f"at{i}") for i in (0, 1)]
            graph.op("StridedSlice", "sizes", *at, at[1], name="length", shrink_axis_mask=1,
                     T="dt:int64", Index="dt:int32")
        zeros = graph.const(np.zeros((2, 4), np.float32), name="zeros")
        peepholes = [graph.const(np.zeros(4, np.float32), name="peepholes")] * 3
        graph.op("BlockLSTM", "length", "x", zeros, zeros, graph.const(w, name="w"), *peepholes,
                 graph.const(bias, name="bias"), name="y", cell_clip=-1.0, forget_bias=1.0, **FLOAT)
        cs, h = block_lstm(x, w, bias, 3 if masked else 5)
        save(f"block_lstm_{'masked' if masked else 'whole'}", graph, feeds, ["y:6", "y:1"], [h, cs],
             oracle=False)


def lstm_steps(x, cs, h, w, bias, peepholes, order, forget_bias, clip):
    """i, cs, f, o, ci, co, h of each step; order: of the gates in the matrix."""
    steps = []
    for row in x:
        gates = dict(zip(order, np.split(np.concatenate([row, h], 1) @ w + bias, 4, axis=1)))
        i = sigmoid(gates["i"] + peepholes[0] * cs)
        f = sigmoid(gates["f"] + forget_bias + peepholes[1] * cs)
        ci = np.tanh(gates["c"])
        cs = ci * i + cs * f
        cs = np.clip(cs, -clip, clip) if clip > 0 else cs
        o = sigmoid(gates["o"] + peepholes[2] * cs)
        co = np.tanh(cs)
        h = co * o
        steps.append((i, cs, f, o, ci, co, h))
    return [np.stack(rows).astype(np.float32) for rows in zip(*steps)]


def make_lstm_blocks():
    """All results of all steps, of both orders of the gates."""
    group = Group("lstm_blocks")
    x, cs, h, w, bias = f32(4, 2, 3), f32(2, 5), f32(2, 5), f32(8, 20), f32(20)
    peepholes, none = [f32(5) for _ in range(3)], [np.zeros(5, np.float32)] * 3
    for uses, clip in ((True, 0.4), (False, -1.0)):
        ends = [(end,) for end in (w, *(peepholes if uses else none), bias)]
        told = {"use_peephole": uses, "cell_clip": clip}
        for op, order, forget in (("BlockLSTM", "icfo", 0.7), ("BlockLSTMV2", "ifco", 0)):
            wanted = lstm_steps(x, cs, h, w, bias, peepholes if uses else none, order, forget, clip)
            group.call(op, (np.int64(4),), x, cs, h, *ends, wanted=wanted, **told,
                       **({"forget_bias": forget} if forget else {}), **FLOAT)
        wanted = [rows[0] for rows in lstm_steps(x[:1], cs, h, w, bias, peepholes if uses else none, "icfo",
                                                 0.7, clip)]
        group.call("LSTMBlockCell", x[0], cs, h, *ends, wanted=wanted, forget_bias=0.7, **told)
    group.save()


def make_gradients():
    y, dy = f32(3, 4), f32(3, 4)
    positive = np.abs(y) + np.float32(0.1)
    for op, first, wanted in (
            ("TanhGrad", y, dy * (1 - y * y)), ("SigmoidGrad", y, dy * y * (1 - y)),
            ("SqrtGrad", positive, dy * 0.5 / positive),
            ("RsqrtGrad", positive, dy * -0.5 * positive ** 3), ("InvGrad", y, -dy * y * y)):
        case(op.lower(), op, [first, dy], oracle=False, reference=[wanted.astype(np.float32)], **FLOAT)
    x = (3 * y).astype(np.float32)
    scale, alpha = 1.0507009873554805, 1.7580993408473766
    for op, wanted, attributes in (
            ("ReluGrad", dy * (x > 0), {}), ("Relu6Grad", dy * ((x > 0) & (x < 6)), {}),
            ("LeakyReluGrad", np.where(x > 0, dy, dy * 0.25), {"alpha": 0.25}),
            ("SoftplusGrad", dy * sigmoid(x), {}), ("SoftsignGrad", dy / (1 + np.abs(x)) ** 2, {}),
            ("EluGrad", np.where(x < 0, dy * (x + 1), dy), {}),
            ("SeluGrad", np.where(x < 0, dy * (x + alpha), dy * scale), {})):
        case(op.lower(), op, [dy, x], oracle=False, reference=[wanted.astype(np.float32)],
             **attributes, **FLOAT)
    image = f32(2, 3, 4)
    case("bias_add_grad", "BiasAddGrad", [image], oracle=False, reference=[image.sum((0, 1))], **FLOAT)


def make_normalisation_gradients():
    """Mean and variance are those of the batch in training, else given."""
    group, draw = Group("normalisation_gradients"), np.random.default_rng(37)
    channels = (0, 1, 2)
    x, dy = (draw.normal(size=(2, 3, 4, 5)).astype(np.float32) for _ in range(2))
    scale, given = (draw.uniform(0.5, 2, 5).astype(np.float32) for _ in range(2))
    for op in ("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"):
        kinds = {} if op.endswith("Grad") else {"U": "dt:float"}
        for training in (True, False):
            mean, variance = (x.mean(channels), x.var(channels)) if training else (given - 1, given)
            root = np.sqrt(variance + 0.01)
            normal = (x - mean) / root
            d_scale, d_offset = (dy * normal).sum(channels), dy.sum(channels)
            rest = dy - training * (dy.mean(channels) + normal * (dy * normal).mean(channels))
            for layout, turn in (("NHWC", np.asarray), ("NCHW", lambda a: np.moveaxis(a, 3, 1))):
                others = [np.zeros(0, np.float32)] if op.endswith("V3") else []
                group.call(op, turn(dy), turn(x), scale, mean, variance, *others, epsilon=0.01,
                           wanted=[turn(rest * scale / root).astype(np.float32), d_scale, d_offset],
                           data_format=layout, is_training=training, **kinds)
    group.save()


def make_activations():
    # Steps of 1 from -8 on: halves are rounded up.
    x = np.array([-9, -1.5, -0.5, 0.25, 0.5, 1.5, 2.5, 9], np.float32)
    wanted = np.clip(np.floor(x + 0.5), -8, 7).astype(np.float32)
    case("fake_quant", "FakeQuantWithMinMaxArgs", [x], oracle=False, reference=[wanted], min=-8.0,
         max=7.0, num_bits=4)
    image, mean, variance, beta, gamma = f32(1, 3, 3, 4), f32(4), np.abs(f32(4)), f32(4), f32(4)
    for scaled in (False, True):
        factor = (gamma if scaled else 1) / np.sqrt(variance + np.float32(0.001))
        case(f"batch_norm_global_{scaled}", "BatchNormWithGlobalNormalization",
             [image, (mean,), (variance,), (beta,), (gamma,)], oracle=False,
             reference=[((image - mean) * factor + beta).astype(np.float32)],
             variance_epsilon=0.001, scale_after_normalization=scaled, **FLOAT)


def make_growing_array():
    """A loop of version 1 that appends rows to a TensorArray which is empty at first."""
    for known in (True, False):
        graph = G()
        x, count = f32(5, 2), np.array(3, np.int32)
        graph.ph("x", "float", x.shape)
        feeds = {"x": x}
        if known:
            graph.const(count, name="count")
        else:
            graph.ph("count", "int32", ())
            feeds["count"] = count
        zero, one = graph.const(i32(0)[0], name="zero"), graph.const(i32(1)[0], name="one")
        graph.op("TensorArrayV3", zero, name="array", dtype="dt:float", dynamic_size=True,
                 element_shape=(2,))

        def enter(name, of, constant):
            return graph.op("Enter", of, name=name, frame_name="loop", is_constant=constant)
        enter("i", zero, False)
        enter("flow", "array:1", False)
        for name, of in (("handle", "array"), ("limit", "count"), ("rows", "x"), ("step", one)):
            enter(name, of, True)
        for name in ("i", "flow"):
            graph.op("Merge", name, f"{name}_next", name=f"{name}_now", N=2)
        graph.op("LoopCond", graph.op("Less", "i_now", "limit", name="less", T="dt:int32"), name="more")
        for name in ("i", "flow"):
            graph.op("Switch", f"{name}_now", "more", name=f"{name}_switch")
        axis = graph.const(i32(0)[0], name="axis")
        enter("axis_in", axis, True)
        graph.op("GatherV2", "rows", "i_switch:1", "axis_in", name="row", Tindices="dt:int32",
                 Taxis="dt:int32", Tparams="dt:float")
        graph.op("TensorArrayWriteV3", "handle", "i_switch:1", "row", "flow_switch:1", name="written",
                 **FLOAT)
        graph.op("AddV2", "i_switch:1", "step", name="i_more", T="dt:int32")
        graph.op("NextIteration", "i_more", name="i_next")
        graph.op("NextIteration", "written", name="flow_next")
        graph.op("Exit", "flow_switch", name="end")
        graph.op("TensorArraySizeV3", "array", "end", name="size")
        graph.op("Range", zero, "size", one, name="all", Tidx="dt:int32")
        graph.op("TensorArrayGatherV3", "array", "all", "end", name="y", dtype="dt:float",
                 element_shape=(2,))
        save(f"growing_array_{known}", graph, feeds, ["y", "size"], [x[:3], count], oracle=False)


def make_integer_convolution():
    x = DRAW.integers(-9, 10, (1, 4, 5, 2)).astype(np.int32)
    w = DRAW.integers(-9, 10, (1, 1, 2, 3)).astype(np.int32)
    case("convolution_int32", "Conv2D", [x, (w,)], oracle=False, reference=[x @ w[0, 0]],
         strides=[1, 1, 1, 1], padding="SAME", T="dt:int32")


def make_fused_for_javascript():
    """What TensorFlow.js' converter writes, and TensorFlow has not: slopes after a convolution."""
    window = {"strides": [1, 2, 2, 1], "padding": "SAME", "data_format": "NHWC", **FLOAT}
    fused = {"fused_ops": ["BiasAdd", "Prelu"], "num_args": 2, "epsilon": 0.0, **window}
    image, slopes = f32(1, 5, 4, 3), f32(1, 1, 6)
    case("fused_conv2d_prelu", "_FusedConv2D",
         [image, (f32(3, 3, 3, 6),), (f32(6),), (slopes,)], dilations=[1, 1, 1, 1], **fused)
    case("fused_depthwise_prelu", "FusedDepthwiseConv2dNative",
         [image, (f32(3, 3, 3, 2),), (f32(6),), (slopes,)], dilations=[1, 1, 1, 1], **fused)
    case("prelu", "Prelu", [image, (f32(5, 4, 3),)], **FLOAT)


def make_fused():
    """What TensorFlow's optimiser joins, whose results nothing else in the graph reads."""
    x, w, bias = f32(2, 3), f32(3, 4), f32(4)
    y = x @ w + bias
    for name, wanted in (("Relu6", np.clip(y, 0, 6)), ("LeakyRelu", np.where(y < 0, 0.2 * y, y))):
        case(f"fused_matmul_{name}", "_FusedMatMul", [x, (w,), (bias,)], oracle=False,
             reference=[wanted.astype(np.float32)], num_args=1, fused_ops=["BiasAdd", name], **FLOAT)
    image, kernel = f32(1, 4, 4, 3), f32(1, 1, 3, 4)
    wanted = np.maximum(image.reshape(16, 3) @ kernel[0, 0] + bias, 0).reshape(1, 4, 4, 4)
    case("fused_conv", "_FusedConv2D", [image, (kernel,), (bias,)], oracle=False,
         reference=[wanted.astype(np.float32)], num_args=1, fused_ops=["BiasAdd", "Relu"],
         strides=[1, 1, 1, 1], padding="VALID", **FLOAT)
