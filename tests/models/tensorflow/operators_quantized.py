# SPDX-License-Identifier: Apache-2.0
"""Integers with the ends that they stand for, by the definitions of TensorFlow's kernels."""

import numpy as np

from operator_cases import DRAW, Group, f32, i32
from operators_sparse import numpy_case
from operators_windows import convolved, depthwise

ENDS = {np.uint8: (0, 255), np.int8: (-128, 127), np.int32: (-2 ** 31, 2 ** 31 - 1)}
NAMES = {np.uint8: "quint8", np.int8: "qint8", np.int32: "qint32"}
F32 = np.float32


def away(x):
    return np.sign(x) * np.floor(np.abs(x) + 0.5)


def numbers(stored, low, high, kind):
    """What integers stand for."""
    least, most = ENDS[kind]
    step = (float(high) - float(low)) / (most - least)
    return away(low / float(F32(step))) * float(F32(step)) + (stored.astype(float) - least) * step


def stored(values, low, high, kind):
    least, most = ENDS[kind]
    steps = (most - least) / (float(high) - float(low))
    found = away(np.asarray(values, float) * steps) - away(low * steps) + least
    return np.clip(found, least, most).astype(kind)


def zero(low, high, kind):
    least, most = ENDS[kind]
    return int(least - away(low * (most - least) / (float(high) - float(low))))


def product_ends(a, b):
    step = F32(1)
    for low, high, kind in (a, b):
        least, most = ENDS[kind]
        step *= F32((high - low) / (most - least))
    return [F32(step * F32(end)) for end in ENDS[np.int32]]


def kinds(**named):
    return {name: f"dt:{NAMES[kind]}" for name, kind in named.items()}


def operand(kind, *sizes):
    low, high = F32(-1.5), F32(2.25)
    values = DRAW.integers(ENDS[kind][0], ENDS[kind][1] + 1, sizes).astype(kind)
    return values, low, high


def make_quantize():
    x = np.append(f32(18), [7, -9]).astype(F32)
    low, high = F32(-1.2), F32(2.1)
    for kind in (np.uint8, np.int8):
        least, most = ENDS[kind]
        scale = F32(most - least) / (high - low)
        place = (np.clip(x, low, high) - low) * scale
        combined = np.floor(place + F32(0.5)) if least == 0 else away(place + least)
        for mode, wanted, ends in (
                ("MIN_COMBINED", combined.astype(kind), (low, high)),
                ("MIN_FIRST", stored(x, low, high, kind), (low, high)),
                ("SCALED", *scaled(x, low, high, kind))):
            numpy_case(f"quantize_{NAMES[kind]}_{mode}", "QuantizeV2", [x, (low,), (high,)], results=3,
                       reference=[wanted, *ends], mode=mode, round_mode="HALF_TO_EVEN",
                       narrow_range=False, axis=-1, ensure_minimum_range=0.01, **kinds(T=kind))


def make_halves_away():
    """Just below a half, the sum with a half is 1 in float32."""
    x = F32([0.49999997, -0.49999997, 0.5, -0.5, 2.5, -2.5, 1.4999999])
    numpy_case("quantize_halves_away", "QuantizeV2", [x, (F32(-127),), (F32(127),)], results=3,
               reference=[np.int8([0, 0, 1, -1, 3, -3, 1]), F32(-127), F32(127)], mode="SCALED",
               round_mode="HALF_AWAY_FROM_ZERO", narrow_range=True, axis=-1,
               ensure_minimum_range=0.01, **kinds(T=np.int8))


def scaled(x, low, high, kind):
    least, most = ENDS[kind]
    scale = min(least / low if least * low > 0 else np.inf, most / high if most * high > 0 else np.inf)
    ends = F32(least / scale), F32(most / scale)
    return np.rint(np.clip(x, *ends) * F32(scale)).astype(kind), ends


def make_quantized_products():
    for a_kind, b_kind in ((np.uint8, np.uint8), (np.uint8, np.int8)):
        a, b = operand(a_kind, 3, 4), operand(b_kind, 4, 5)
        exact = (a[0].astype(int) - zero(*a[1:], a_kind)) @ (b[0].astype(int) - zero(*b[1:], b_kind))
        numpy_case(f"quantized_mat_mul_{NAMES[b_kind]}", "QuantizedMatMul",
                   [a[0], (b[0],), *(F32(v) for v in a[1:]), *((v,) for v in b[1:])], results=3,
                   reference=[exact.astype(np.int32),
                              *product_ends((*a[1:], a_kind), (*b[1:], b_kind))],
                   transpose_a=False, transpose_b=False,
                   **kinds(T1=a_kind, T2=b_kind, Toutput=np.int32))
    x, kernel = operand(np.uint8, 1, 5, 6, 2), operand(np.uint8, 3, 3, 2, 4)
    exact = np.zeros((1, 5, 6, 4), int)
    padded = np.pad(x[0].astype(int) - zero(*x[1:], np.uint8), ((0, 0), (1, 1), (1, 1), (0, 0)))
    weights = kernel[0].astype(int) - zero(*kernel[1:], np.uint8)
    for row, column in np.ndindex(5, 6):
        window = padded[:, row:row + 3, column:column + 3]
        exact[:, row, column] = np.einsum("bhwc,hwcd->bd", window, weights)
    numpy_case("quantized_convolution", "QuantizedConv2D",
               [x[0], (kernel[0],), *x[1:], *((v,) for v in kernel[1:])], results=3,
               reference=[exact.astype(np.int32),
                          *product_ends((*x[1:], np.uint8), (*kernel[1:], np.uint8))],
               strides=[1, 1, 1, 1], padding="SAME",
               **kinds(Tinput=np.uint8, Tfilter=np.uint8, out_type=np.int32))


def make_quantized_elementwise():
    x = operand(np.uint8, 2, 3, 4)
    for name, bound in (("", None), ("6", 6), ("X", 1.5)):
        wanted = np.maximum(x[0], stored(0, *x[1:], np.uint8))
        if bound is not None:
            wanted = np.minimum(wanted, stored(bound, *x[1:], np.uint8))
        numpy_case(f"quantized_relu{name}", f"QuantizedRelu{name}",
                   [x[0], *([F32(bound)] if name == "X" else []), *x[1:]], results=3,
                   reference=[wanted, *x[1:]], **kinds(Tinput=np.uint8, out_type=np.uint8))
    bias = operand(np.uint8, 4)
    most = F32(2.25) * F32(2 ** 17)
    total = numbers(*x, np.uint8) + numbers(*bias, np.uint8)
    numpy_case("quantized_bias_add", "QuantizedBiasAdd", [x[0], (bias[0],), *x[1:], *bias[1:]],
               results=3, reference=[stored(total, -most, most, np.int32), -most, most],
               **kinds(T1=np.uint8, T2=np.uint8, out_type=np.int32))
    other = DRAW.integers(0, 256, (2, 3, 2)).astype(np.uint8), F32(-0.5), F32(1)
    moved = stored(numbers(*other, np.uint8), *x[1:], np.uint8)
    numpy_case("quantized_concat", "QuantizedConcat",
               [(np.int32(2),), x[0], other[0], x[1], other[1], x[2], other[2]], results=3,
               reference=[np.concatenate([x[0], moved], 2), *x[1:]], N=2, **kinds(T=np.uint8))
    image = operand(np.uint8, 1, 4, 4, 2)
    blocks = image[0].reshape(1, 2, 2, 2, 2, 2)
    for name, wanted in (("Max", blocks.max((2, 4))), ("Avg", blocks.astype(int).sum((2, 4)) // 4)):
        numpy_case(f"quantized_{name}_pool", f"Quantized{name}Pool", list(image), results=3,
                   reference=[wanted.astype(np.uint8), *image[1:]], ksize=[1, 2, 2, 1],
                   strides=[1, 2, 2, 1], padding="VALID", **kinds(T=np.uint8))


def requantized(values, low, high, to_low, to_high):
    """By integers of 64 bits, as the kernel counts."""
    one = 1 << 16
    scale = int(255.0 * one * F32(high - low) / F32(to_high - to_low))
    reciprocal = F32(255.0 / F32(to_high - to_low))
    offset = int(float(F32((low + high) / 2)) * reciprocal * one)
    least = int(one * (to_low * 255.0) / F32(to_high - to_low))
    fixed = ((values.astype(np.int64) * scale) >> 32) + offset - least + (one >> 1)
    return np.clip(fixed >> 16, 0, 255).astype(np.uint8)


def make_requantized():
    values, low, high = DRAW.integers(-2 ** 24, 2 ** 25, (3, 4)).astype(np.int32), F32(-900), F32(900)
    used = [F32(numbers(end, low, high, np.int32)) for end in (values.min(), values.max())]
    source = kinds(Tinput=np.int32)
    numpy_case("requantization_range", "RequantizationRange", [values, low, high], results=2,
               reference=used, **source)
    numpy_case("requantize", "Requantize", [values, low, high, F32(-3), F32(9)], results=3,
               reference=[requantized(values, low, high, F32(-3), F32(9)), F32(-3), F32(9)],
               **kinds(Tinput=np.int32, out_type=np.uint8))
    numpy_case("quantize_down", "QuantizeDownAndShrinkRange", [values, low, high], results=3,
               reference=[requantized(values, low, high, *used), *used],
               **kinds(Tinput=np.int32, out_type=np.uint8))


def on_grid(x, low, high, bits, narrow):
    """FakeQuantWithMinMaxVars as TensorFlow's kernel computes it, in float32."""
    least, most = np.float32(narrow), np.float32(2 ** bits - 1)
    scale = (high - low) / (most - least)
    from_low = least - low / scale
    zero = np.clip(np.sign(from_low) * np.floor(np.abs(from_low) + np.float32(0.5)), least, most)
    start, end, inverse = (least - zero) * scale, (most - zero) * scale, np.float32(1) / scale
    steps = (np.clip(x, start, end) - start) * inverse - np.floor(-start * inverse + np.float32(0.5))
    return (np.floor(steps + np.float32(0.5)) * scale).astype(np.float32)


def make_run_time_ranges():
    x = f32(5, 3) * 2
    for bits, narrow in ((8, False), (4, True)):
        low, high = np.float32(-1.3), np.float32(2.1)
        numpy_case(f"fake_quant_range_{bits}", "FakeQuantWithMinMaxVars", [x, low, high],
                   reference=[on_grid(x, low, high, bits, narrow)], num_bits=bits, narrow_range=narrow)
        low, high = np.array([-1, 0, -3], np.float32), np.array([0.7, 2, 1.5], np.float32)
        numpy_case(f"fake_quant_ranges_{bits}", "FakeQuantWithMinMaxVarsPerChannel", [x, low, high],
                   reference=[on_grid(x, low, high, bits, narrow)], num_bits=bits,
                   narrow_range=narrow)
def rounded(x, low, high, is_signed, narrow):
    """QuantizeAndDequantize with 8 bits, of numbers within the range."""
    least, most = (-127 if narrow else -128, 127) if is_signed else (int(narrow), 255)
    none = np.finfo(F32).max
    steps = [F32(end / value) if end * value > 0 else none for end, value in ((least, low), (most, high))]
    size = F32(low / least) if steps[0] < steps[1] else F32(high / most)
    return np.rint(x * min(steps)).astype(F32) * size


def make_own_ranges():
    x = f32(2, 3, 4) * 3
    zero = F32(0)
    for is_signed, narrow in ((True, False), (True, True), (False, False)):
        values = x if is_signed else np.abs(x)
        numpy_case(f"quantize_and_dequantize_of_{is_signed}_{narrow}", "QuantizeAndDequantizeV2",
                   [values, (zero,), (zero,)],
                   reference=[rounded(values, values.min(), values.max(), is_signed, narrow)],
                   num_bits=8, signed_input=is_signed, range_given=False, narrow_range=narrow)
    wanted = [rounded(x[:, i], x[:, i].min(), x[:, i].max(), True, False) for i in range(3)]
    numpy_case("quantize_and_dequantize_of_axis", "QuantizeAndDequantizeV2", [x, (zero,), (zero,)],
               reference=[np.stack(wanted, 1)], num_bits=8, signed_input=True,
               range_given=False, axis=1)
    ends = F32(-2), F32(4)
    numpy_case("quantize_and_dequantize_run_time", "QuantizeAndDequantizeV3",
               [x, *ends, (np.int32(8),)],
               reference=[rounded(np.clip(x, F32(4) / F32(127) * F32(-128), 4), *ends, True, False)],
               signed_input=True, range_given=True)


def one_dnn_range(stored_kind):
    return 127 if stored_kind == np.int8 else 255


def make_fused_convolutions():
    """As oneDNN's kernels for TensorFlow: what is stored as 0 stands for 0."""
    group = Group("quantized_fused_convolutions")
    for x_kind in (np.uint8, np.int8):
        x = DRAW.integers(ENDS[x_kind][0], ENDS[x_kind][1] + 1, (2, 5, 4, 3)).astype(x_kind)
        ends = (F32(0) if x_kind == np.uint8 else F32(-1.75), F32(1.75))
        for deep in (False, True):
            w = DRAW.integers(-127, 128, (3, 2, 3, 2 if deep else 4)).astype(np.int8)
            name = "QuantizedDepthwiseConv2D" if deep else "QuantizedConv2D"
            channels = 6 if deep else 4
            told = {"strides": [1, 2, 1, 1], "padding": "SAME", **kinds(Tinput=x_kind, Tfilter=np.int8)}
            convolve = depthwise if deep else convolved
            sums = np.rint(convolve(x.astype(np.float64), w.astype(np.float64), [2, 1], "SAME"))
            for per_channel in (False, True):
                reach = np.abs(f32(channels)) + F32(0.5) if per_channel else F32(0.8)
                fixed = [x, (w,)], [*((F32(end),) for end in ends), (-reach,), (reach,)]
                fused_convolutions(group, name, fixed, sums, told, x_kind, reach, ends)
    group.save()


def fused_convolutions(group, name, fixed, sums, told, x_kind, reach, ends):
    (operands, limits), channels = fixed, sums.shape[-1]
    unit = 1.75 * reach.astype(float) / (127 * one_dnn_range(x_kind))
    wide = F32(F32(ends[1] - ends[0]) / F32(one_dnn_range(x_kind) * (2 if x_kind == np.int8 else 1))) * (
        F32(2) * reach / F32(254))
    wide_ends = [wide * F32(end) for end in ENDS[np.int32]]
    bias = (f32(channels) * 2).astype(np.float32)
    biased = sums + bias / unit
    whole = {"out_type": "dt:qint32"}

    def call(suffix, more, wanted, **types):
        group.call(f"{name}{suffix}", *operands, *more, wanted=wanted, **told, **types)
    call("", limits, [sums.astype(np.int32), *wide_ends], **whole) if "Depthwise" in name else call(
        "PerChannel", limits, [sums.astype(np.int32), *wide_ends], **whole)
    call("WithBias", [(bias,), *limits], [np.rint(biased).astype(np.int32), *wide_ends], **whole)
    call("WithBiasAndRelu", [(bias,), *limits], [
        np.maximum(np.rint(biased), 0).astype(np.int32), *wide_ends], **whole)
    low, high = F32(-9), F32(11)
    frozen = [*limits, (low,), (high,)]

    def stored(numbers, kind):
        place = np.rint(numbers * one_dnn_range(kind) / 11)
        return [np.clip(place, *ENDS[kind]).astype(kind), low, high]
    integers = np.rint(bias / unit).astype(np.int32)
    call("WithBiasAndReluAndRequantize", [(bias,), *frozen], stored(np.maximum(biased * unit, 0), np.uint8),
         **kinds(out_type=np.uint8), Tbias="dt:float")
    call("WithBiasAndReluAndRequantize", [(integers,), *frozen], stored(np.maximum((
        sums + integers) * unit, 0), np.uint8), **kinds(out_type=np.uint8, Tbias=np.int32))
    if "Depthwise" in name:
        return
    call("AndRelu", limits, [np.maximum(sums, 0).astype(np.int32), *wide_ends], **whole)
    call("AndRequantize", frozen, stored(sums * unit, np.int8), **kinds(out_type=np.int8))
    call("AndReluAndRequantize", frozen, stored(np.maximum(sums * unit, 0), np.uint8),
         **kinds(out_type=np.uint8))
    call("WithBiasAndRequantize", [(bias,), *frozen], stored(biased * unit, np.int8),
         **kinds(out_type=np.int8), Tbias="dt:float")
    more = (f32(*sums.shape) * 3).astype(np.float32)
    call("WithBiasSumAndRelu", [(bias,), *limits, more], [
        np.maximum(np.rint(biased + np.rint(more / unit)), 0).astype(np.int32), *wide_ends], **whole)
    for kind, sum_name in ((np.uint8, "Sum"), (np.int8, "SignedSum")):
        added = DRAW.integers(ENDS[kind][0], ENDS[kind][1] + 1, sums.shape).astype(kind)
        number = added * 6.0 / one_dnn_range(kind)
        call(f"WithBias{sum_name}AndReluAndRequantize", [(bias,), *frozen, added, (F32(-6),), (F32(6),)],
             stored(np.maximum(biased * unit + number, 0), np.uint8), Tbias="dt:float",
             **kinds(out_type=np.uint8, Tsummand=kind))


def make_fused_products():
    group = Group("quantized_fused_products")
    a = DRAW.integers(0, 256, (3, 4)).astype(np.uint8)
    b = DRAW.integers(-127, 128, (4, 5)).astype(np.int8)
    least, most, reach = F32(-0.7), F32(2.3), F32(0.9)
    step = float(most - least) / 255 * float(reach) / 127
    columns = b.astype(float).sum(0) * 255 * float(least) / float(most - least)
    bias = f32(5)
    biased = a.astype(float) @ b.astype(float) + bias / step + columns
    limits = [(least,), (most,), (-reach,), (reach,)]
    told = {"input_quant_mode": "MIN_FIRST", "Tbias": "dt:float", **kinds(T1=np.uint8, T2=np.int8)}
    frozen = [*limits, (F32(-4),), (F32(5),)]
    wide = [F32(step) * F32(end) for end in ENDS[np.int32]]

    def call(suffix, limits, wanted, out, bias=bias, **more):
        group.call(f"QuantizedMatMulWithBias{suffix}", a, (b,), (bias,), *limits, wanted=wanted,
                   Toutput=f"dt:{out}", **{**told, **more})

    def stored(numbers, kind):
        place = np.rint(numbers * step * (128 if kind == np.int8 else 256) / 5)
        return [np.clip(place, *ENDS[kind]).astype(kind), F32(-4), F32(5)]
    call("", limits, [np.rint(biased).astype(np.int32), *wide], "qint32")
    call("AndRelu", limits, [np.maximum(np.rint(biased), 0).astype(np.int32), *wide], "qint32")
    call("AndRequantize", frozen, stored(biased, np.int8), "qint8")
    call("AndReluAndRequantize", frozen, stored(np.maximum(biased, 0), np.uint8), "quint8")
    call("AndDequantize", frozen, [(biased * step).astype(np.float32)], "float")
    integers = np.rint(bias / step).astype(np.int32)
    call("AndDequantize", frozen, [((a.astype(float) @ b.astype(float) + integers) * step).astype(np.float32)],
         "float", bias=integers, input_quant_mode="SCALED", Tbias="dt:qint32")
    group.save()


def make_quantized_arithmetic():
    a, b = operand(np.uint8, 2, 3), operand(np.uint8, 3)
    for op in ("Mul", "Add"):
        if op == "Mul":
            exact = (a[0].astype(int) - zero(*a[1:], np.uint8)) * (b[0].astype(int) - zero(*b[1:], np.uint8))
            wanted = [exact.astype(np.int32), *product_ends((*a[1:], np.uint8), (*b[1:], np.uint8))]
        else:
            most = F32(2.25) * F32(2 ** 17)
            total = numbers(*a, np.uint8) + numbers(*b, np.uint8)
            wanted = [stored(total, -most, most, np.int32), -most, most]
        numpy_case(f"quantized_{op.lower()}", f"Quantized{op}", [a[0], b[0], *a[1:], *b[1:]], results=3,
                   reference=wanted, **kinds(T1=np.uint8, T2=np.uint8, Toutput=np.int32))
    numpy_case("quantized_reshape", "QuantizedReshape", [a[0], (i32(3, -1),), *a[1:]], results=3,
               reference=[a[0].reshape(3, 2), *a[1:]], Tshape="dt:int32", **kinds(T=np.uint8))
    x, ends = f32(3, 4) * 3, (F32(-2), F32(4))
    numpy_case("quantize_and_dequantize_v4", "QuantizeAndDequantizeV4", [x, *ends],
               reference=[rounded(np.clip(x, F32(4) / F32(127) * F32(-128), 4), *ends, True, False)],
               signed_input=True, range_given=True, num_bits=8)
