# SPDX-License-Identifier: Apache-2.0
"""Operators of com.microsoft and others of ONNX Runtime: calls with seeded operands.

The results are ONNX Runtime's, recorded in tests/e2e/onnxruntime_expected.npz by
tests/tools/record_onnxruntime.py.
"""

import numpy as np

from onnxruntime_case import F32, I32, I64, U8, I8, Case, Draws, scalar
from onnxruntime_learners import learners


def activations():
    for op, bias in (("Gelu", False), ("BiasGelu", True), ("FastGelu", False), ("FastGelu", True)):
        name = f"{op}{'_bias' if bias else ''}"
        draw = Draws(name)
        yield Case(name, op, [draw.real(3, 5)] + ([draw.real(5)] if bias else []), {})
    yield Case("QuickGelu", "QuickGelu", [Draws("q").real(3, 5)], {"alpha": 1.3})


def normalizations():
    draw = Draws("normalizations")
    x, skip = draw.real(2, 3, 8), draw.real(2, 3, 8)
    scale, bias, more = draw.real(8), draw.real(8), draw.real(8)
    yield Case("SimplifiedLayerNormalization", "SimplifiedLayerNormalization", [x, scale],
               {"axis": -1, "epsilon": 1e-3}, wanted=(0, 1), domain="")
    yield Case("LayerNormalization", "LayerNormalization", [x, scale, bias], {"epsilon": 1e-3},
               domain="")
    yield Case("SkipLayerNormalization", "SkipLayerNormalization", [x, skip, scale, bias, more],
               {"epsilon": 1e-3}, wanted=(0, 3))
    yield Case("SkipLayerNormalization_default", "SkipLayerNormalization",
               [x * F32(1e-5), skip[0] * F32(1e-5), scale], {})
    yield Case("SkipSimplifiedLayerNormalization", "SkipSimplifiedLayerNormalization",
               [x, skip, scale, bias], {"epsilon": 1e-6}, wanted=(0, 3))
    yield Case("SkipSimplifiedLayerNormalization_default", "SkipSimplifiedLayerNormalization",
               [x * F32(1e-5), skip * F32(1e-5), scale], {})
    ids, segments = draw.ints(0, 10, 2, 4), draw.ints(0, 2, 2, 4)
    tables = draw.real(10, 8), draw.real(6, 8), draw.real(2, 8)
    mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], I32)
    yield Case("EmbedLayerNormalization", "EmbedLayerNormalization",
               [ids, segments, *tables, scale, bias, mask], {"epsilon": 0.01}, wanted=(0, 1, 2))
    yield Case("EmbedLayerNormalization_positions", "EmbedLayerNormalization",
               [ids, None, tables[0], tables[1], None, scale, bias, None,
                np.array([[3, 2, 1, 0]], I32)], {}, wanted=(0, 2))


    bytes_ = [draw.ints(0, 256, *table.shape, dtype=U8) for table in tables]
    weights = [draw.ints(0, 256, 8, dtype=U8) for _ in range(2)]
    yield Case("QEmbedLayerNormalization", "QEmbedLayerNormalization",
               [ids, segments, *bytes_, *weights, mask,
                *(scalar(0.01 * (i + 1)) for i in range(5)),
                *(scalar(120 + i, U8) for i in range(5))], {"epsilon": 0.01}, wanted=(0, 1))


def products():
    draw = Draws("products")
    for attributes, a, b in (({"transA": 1, "transB": 1, "alpha": 0.5}, (2, 4, 3), (2, 5, 4)),
                             ({"transBatchA": 1}, (3, 2, 6, 4), (2, 6, 4, 5)),
                             ({"transBatchB": 1, "transB": 1}, (2, 6, 3, 4), (5, 2, 6, 4))):
        name = "FusedMatMul_" + "_".join(attributes)
        yield Case(name, "FusedMatMul", [draw.real(*a), draw.real(*b)], attributes)
    # Relu has no parameter: that of its node means nothing.
    for kind, parameters in (("Relu", (0.2,)), ("LeakyRelu", (0.2,)), ("HardSigmoid", (0.3, 0.4))):
        names = ("activation_alpha", "activation_beta")
        yield Case(f"FusedGemm_{kind}", "FusedGemm",
                   [draw.real(2, 3), draw.real(4, 3), draw.real(4)],
                   {"activation": kind, "transB": 1, "alpha": 0.7, "beta": 0.3,
                    **dict(zip(names, parameters))})
    for kind, parameters in (("Tanh", ()), ("Clip", (-0.5, 1.0)), ("HardSigmoid", (0.3, 0.4))):
        given = {"activation_params": parameters} if parameters else {}
        yield Case(f"FusedConv_{kind}", "FusedConv",
                   [draw.real(2, 3, 6, 6), draw.real(4, 3, 3, 3), draw.real(4)],
                   {"activation": kind, "pads": [1, 1, 1, 1], **given})
    yield Case("FusedConv_sum", "FusedConv", [draw.real(2, 3, 6, 6), draw.real(4, 3, 3, 3),
                                              draw.real(4), draw.real(2, 4, 4, 4)],
               {"activation": "Relu", "kernel_shape": [3, 3]})
    yield from block_products(draw)
    yield from large_block_products()
    yield from table_products()
    yield from matrices_of_state()


def large_block_products():
    """Weights that are not computed when the model is read: programs keep them packed."""
    rows, block, columns = 180, 32, 160
    count = columns // block
    for bits, zeros in ((2, "packed"), (4, "packed"), (4, "real"), (4, None), (8, None)):
        draw = Draws(f"large {bits} {zeros}")
        operands = [draw.real(3, columns),
                    draw.ints(0, 256, rows, count, block * bits // 8, dtype=U8),
                    draw.real(rows, count) * F32(0.05)]
        operands.append({"packed": draw.ints(0, 256, rows, -(-count * bits // 8), dtype=U8),
                         "real": draw.real(rows, count), None: None}[zeros])
        # Each group has as many columns as a block.
        groups = draw.random.permutation(np.arange(columns, dtype=I32) // block)
        yield Case(f"MatMulNBits_large_{bits}_{zeros}", "MatMulNBits",
                   operands + [groups if zeros == "real" else None, draw.real(rows)],
                   {"K": columns, "N": rows, "bits": bits, "block_size": block},
                   constants=(1, 2, 3, 4, 5))
    # The last block is not full, and groups differ in size; some have no column.
    columns = 150
    for bits, zeros, grouped in ((4, "real", True), (4, None, True), (4, "real", False),
                                 (8, "packed", False)):
        draw = Draws(f"padded {bits} {zeros} {grouped}")
        operands = [draw.real(2, 3, columns),
                    draw.ints(0, 256, rows, count, block * bits // 8, dtype=U8),
                    draw.real(rows, count) * F32(0.05)]
        operands.append({"packed": draw.ints(0, 256, rows, -(-count * bits // 8), dtype=U8),
                         "real": draw.real(rows, count), None: None}[zeros])
        groups = draw.ints(0, count - 1, columns, dtype=I32) if grouped else None
        yield Case(f"MatMulNBits_padded_{bits}_{zeros}_{grouped}", "MatMulNBits",
                   operands + [groups], {"K": columns, "N": rows, "bits": bits, "block_size": block},
                   constants=(1, 2, 3, 4))


def table_products():
    """Blocks of elements that run on from row to row; the last one is not full."""
    rows, columns, block = 5, 24, 16
    for kind in (0, 1):
        draw = Draws(f"table {kind}")
        operands = [draw.real(2, 3, columns), draw.ints(0, 256, rows * columns // 2, dtype=U8),
                    np.abs(draw.real(-(-rows * columns // block)))]
        yield Case(f"MatMulBnb4_{kind}", "MatMulBnb4", operands,
                   {"K": columns, "N": rows, "block_size": block, "quant_type": kind},
                   constants=(1, 2))


def matrices_of_state():
    """Attention whose past is a matrix a head, and what stands around it."""
    draw = Draws("matrices of state")
    steps, width = 3, 4
    for rule, queries, heads in (("linear", 2, 2), ("gated", 4, 2), ("delta", 2, 4), (None, 2, 2)):
        gated, delta = rule in ("gated", None), rule in ("delta", None)
        fading = heads * (width if delta else 1)
        yield Case(f"LinearAttention_{rule}", "LinearAttention",
                   [draw.real(2, steps, queries * width), draw.real(2, steps, heads * width) / 3,
                    draw.real(2, steps, heads * 2),
                    draw.real(2, heads, width, 2) if delta else None,
                    -np.abs(draw.real(2, steps, fading)) if gated else None,
                    draw.random.random((2, steps, heads)).astype(F32) if delta else None],
                   {"q_num_heads": queries, "kv_num_heads": heads,
                    **({"update_rule": rule} if rule else {"scale": 0.25})}, wanted=(0, 1))
    yield Case("CausalConvWithState_silu", "CausalConvWithState",
               [draw.real(2, 3, 5), draw.real(3, 1, 3), draw.real(3), draw.real(2, 3, 4)],
               {"activation": "silu", "dilation": 2}, wanted=(0, 1), constants=(1, 2))
    yield Case("CausalConvWithState_last", "CausalConvWithState",
               [draw.real(2, 1, 3), draw.real(3, 1, 4)], {"channels_last": 1}, wanted=(0, 1))
    yield Case("LinearAttentionGate", "LinearAttentionGate",
               [draw.real(2, 3, 4), draw.real(4), -np.abs(draw.real(4)), draw.real(2, 3, 4)], {},
               wanted=(0, 1))
    yield Case("GatedRMSNorm", "GatedRMSNorm",
               [draw.real(2, 3, 8) * F32(0.01), draw.real(4), draw.real(2, 3, 8)], {})
    yield Case("GatedAdd", "GatedAdd", [draw.real(2, 3), draw.real(2, 3), draw.real(2, 1)], {})
    for layout, sections in ((0, (1, 3, 2)), (1, (2, 2, 2))):
        yield Case(f"MRotaryEmbedding_{layout}", "MRotaryEmbedding",
                   [draw.real(2, 3, 2 * 16), draw.ints(0, 9, 3, 2, 3, dtype=I64), draw.real(9, 6),
                    draw.real(9, 6)],
                   {"num_heads": 2, "rotary_embedding_dim": 12, "mrope_section": sections,
                    "mrope_layout": layout, "interleaved": layout})


def block_products(draw):
    for bits, columns, zeros in ((2, 32, None), (4, 40, "packed"), (4, 64, "real"), (4, 64, None),
                                 (8, 40, "packed")):
        rows, block = 5, 16
        count = -(-columns // block)
        operands = [draw.real(2, columns), draw.ints(0, 256, rows, count, block * bits // 8,
                                                     dtype=U8), draw.real(rows, count) * F32(0.05)]
        if zeros == "packed":
            operands.append(draw.ints(0, 256, rows, -(-count * bits // 8), dtype=U8))
        elif zeros == "real":
            operands.append(draw.ints(0, 2**bits, rows, count).astype(F32) + F32(0.5))
        else:
            operands.append(None)
        shared = {"attributes": {"K": columns, "N": rows, "bits": bits, "block_size": block},
                  "constants": (1, 2, 3, 4, 5)}
        yield Case(f"MatMulNBits_{bits}_{zeros}", "MatMulNBits",
                   operands + [None, draw.real(rows)], **shared)
        if bits == 4 and zeros != "packed":
            groups = Draws(f"groups {zeros}").ints(0, count, columns)
            yield Case(f"MatMulNBits_groups_{zeros}", "MatMulNBits", operands + [groups], **shared)
    for bits, zeros in ((4, False), (4, True), (8, True)):
        operands = [draw.ints(0, 256, 6, 32 * bits // 8, dtype=U8),
                    np.array([[0, 5], [2, 2]], I64), draw.real(6, 2)]
        if zeros:
            operands.append(draw.ints(0, 256, 6, 2 * bits // 8, dtype=U8))
        yield Case(f"GatherBlockQuantized_{bits}_{zeros}", "GatherBlockQuantized", operands,
                   {"bits": bits, "block_size": 16, "quantize_axis": 1}, constants=(0, 2, 3))
    half = [draw.ints(0, 256, 6, 24, dtype=U8), np.array([0, 5, 2], I64), draw.real(6, 3),
            draw.ints(0, 256, 6, 2, dtype=U8)]
    yield Case("GatherBlockQuantized_half_a_byte", "GatherBlockQuantized", half,
               {"bits": 4, "block_size": 16, "quantize_axis": 1}, constants=(0, 2, 3))


def quantized_elementwise():
    for dtype in (U8, I8):
        kind = np.dtype(dtype).name
        draw = Draws(kind)
        x = [draw.quantized(dtype, 2, 3, 4), scalar(0.1), scalar(3, dtype)]
        y = [draw.quantized(dtype, 3, 4), scalar(0.23), scalar(5, dtype)]
        to = [scalar(0.31), scalar(7, dtype)]
        yield Case(f"QLinearAdd_{kind}", "QLinearAdd", x + y + to, {})
        yield Case(f"QLinearMul_{kind}", "QLinearMul", x + y + [scalar(1.7), to[1]], {})
        yield Case(f"QLinearLeakyRelu_{kind}", "QLinearLeakyRelu", x + to, {"alpha": 0.2})
        share = [scalar(1 / 256), scalar(0, dtype)]
        yield Case(f"QLinearSigmoid_{kind}", "QLinearSigmoid", x + share, {})
        for opset, axis in ((11, 1), (13, -1)):
            yield Case(f"QLinearSoftmax_{opset}_{kind}", "QLinearSoftmax", x + share,
                       {"axis": axis, "opset": opset})
        yield Case(f"QLinearConcat_{kind}", "QLinearConcat",
                   to + x + [draw.quantized(dtype, 2, 1, 4), *y[1:]], {"axis": 1})
        yield Case(f"QLinearWhere_{kind}", "QLinearWhere",
                   [draw.ints(0, 2, 3, 4, dtype=bool)] + x + y + to, {})
        image = [draw.quantized(dtype, 2, 3, 6, 6), scalar(0.1), scalar(3, dtype)]
        last = [image[0].transpose(0, 2, 3, 1).copy(), *image[1:]]
        to = [scalar(0.023), scalar(2, dtype)]
        yield Case(f"QLinearGlobalAveragePool_{kind}", "QLinearGlobalAveragePool", image + to, {})
        yield Case(f"QLinearGlobalAveragePool_last_{kind}", "QLinearGlobalAveragePool", last + to,
                   {"channels_last": 1})
        window = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 2]}
        yield Case(f"QLinearAveragePool_{kind}", "QLinearAveragePool",
                   image + [scalar(0.083), to[1]], window)
        yield Case(f"NhwcMaxPool_{kind}", "NhwcMaxPool", last[:1], window)
        yield Case(f"DequantizeLinear_{kind}", "DequantizeLinear",
                   [x[0], np.array([0.1, 0.2, 0.3], F32), np.array([3, 4, 5], dtype)], {"axis": 1})
        yield Case(f"QuantizeLinear_{kind}", "QuantizeLinear",
                   [draw.real(2, 3), scalar(0.013), scalar(3, dtype)], {})


def quantized_products():
    for dtype in (U8, I8):
        kind = np.dtype(dtype).name
        draw = Draws(kind + " products")
        a, b = draw.quantized(U8, 3, 4), draw.quantized(dtype, 4, 5)
        scales, zeros = np.abs(draw.real(5)), draw.ints(0, 9, 5, dtype=dtype)
        bias = draw.real(5)
        yield Case(f"MatMulIntegerToFloat_{kind}", "MatMulIntegerToFloat",
                   [a, b, scalar(0.1), scales, scalar(3, U8), zeros, bias], {})
        yield Case(f"DynamicQuantizeMatMul_{kind}", "DynamicQuantizeMatMul",
                   [draw.real(3, 4), b, scales, zeros, bias], {})
        yield Case(f"QGemm_{kind}", "QGemm",
                   [a, scalar(0.1), scalar(3, U8), b.T.copy(), scalar(0.2), scalar(5, dtype),
                    draw.ints(0, 50, 5), scalar(2.1), scalar(9, U8)], {"transB": 1})
        yield Case(f"QGemm_real_{kind}", "QGemm",
                   [a, scalar(0.1), scalar(3, U8), b, scales, zeros], {"alpha": 0.5})
    draw = Draws("convolution")
    yield Case("QLinearConv_last", "QLinearConv",
               [draw.quantized(U8, 1, 6, 6, 3), scalar(0.1), scalar(3, U8),
                draw.quantized(I8, 4, 3, 3, 3), scalar(0.1), scalar(0, I8), scalar(3.3),
                scalar(9, U8), draw.ints(0, 50, 4)], {"channels_last": 1, "pads": [1, 1, 1, 1]},
               constants=(3,))


def quantized_recurrences():
    """Weights so small that no processor's sums of products of bytes saturate."""
    for kind, by_column in ((U8, False), (I8, False), (I8, True)):
        draw = Draws(f"recurrence {np.dtype(kind).name} {by_column}")
        steps, batch, features, hidden = 5, 2, 3, 4
        weight = lambda rows: draw.ints(0 if kind == U8 else -60, 60, 2, rows, 4 * hidden,
                                        dtype=kind)
        sizes = (2, 4 * hidden) if by_column else (2,)
        scale = lambda: np.abs(draw.real(*sizes)) * F32(0.01)
        zero = lambda: np.full(sizes, 0 if by_column else 5, kind)
        operands = [draw.real(steps, batch, features), weight(features), weight(hidden),
                    draw.real(2, 8 * hidden), None, draw.real(2, batch, hidden),
                    draw.real(2, batch, hidden), None, scale(), zero(), scale(), zero()]
        yield Case(f"DynamicQuantizeLSTM_{np.dtype(kind).name}_{by_column}", "DynamicQuantizeLSTM",
                   operands, {"hidden_size": hidden, "direction": "bidirectional"},
                   wanted=(0, 1, 2), constants=(1, 2, 8, 9, 10, 11))


def experts():
    draw = Draws("experts")
    rows, hidden, inner, count = 5, 8, 16, 4
    x, router = draw.real(rows, hidden), draw.real(rows, count)
    outer = [draw.real(count, hidden, inner), draw.real(count, hidden)]
    weights = [draw.real(count, inner, hidden), draw.real(count, inner)]
    for kind in ("relu", "gelu", "silu", "identity"):
        yield Case(f"MoE_{kind}", "MoE", [x, router, *weights, *outer],
                   {"activation_type": kind, "k": 2, "normalize_routing_weights": kind == "silu"},
                   constants=(2, 3, 4, 5))
    gated = [draw.real(count, 2 * inner, hidden), draw.real(count, 2 * inner)]
    for name, given in (("plain", {}), ("limited", {"activation_alpha": 1.702, "swiglu_limit": 0.5,
                                                    "activation_beta": 1.0})):
        yield Case(f"MoE_swiglu_{name}", "MoE", [x, router, *gated, *outer],
                   {"activation_type": "swiglu", "k": 2, "swiglu_fusion": 1, **given},
                   constants=(2, 3, 4, 5))
    yield Case("MoE_steps", "MoE", [x[None], router, weights[0], None, outer[0]], {},
               constants=(2, 4))


def quantized_experts():
    for bits, block, kind in ((4, 0, "relu"), (4, 16, "swiglu"), (8, 0, "gelu"), (2, 16, "silu")):
        name = f"QMoE_{bits}_{block}_{kind}"
        draw = Draws(name)
        hidden, inner, count = 32, 16, 3
        wide = inner * (2 if kind == "swiglu" else 1)
        shape = lambda rows, size: (count, rows, size // block) if block else (count, rows)
        layer = lambda rows, size: [draw.ints(0, 256, count, rows, size * bits // 8, dtype=U8),
                                    np.abs(draw.real(*shape(rows, size))) * F32(2.0**-bits)]
        yield Case(name, "QMoE",
                   [draw.real(5, hidden), draw.real(5, count), *layer(wide, hidden),
                    draw.real(count, wide), *layer(hidden, inner), draw.real(count, hidden)],
                   {"activation_type": kind, "k": 2, "expert_weight_bits": bits,
                    **({"block_size": block} if block else {}),
                    **({"swiglu_fusion": 1} if kind == "swiglu" else {})},
                   constants=(2, 3, 4, 5, 6, 7))


def self_attention(name, mask=None, past=False, bias=False, wanted=(0,), width=24, **attributes):
    draw = Draws(name)
    operands = [draw.real(2, 3, 6), draw.real(6, width), draw.real(width), mask,
                draw.real(2, 2, 2, 4, 4) if past else None,
                draw.real(1, 2, 3, 3) if bias else None]
    return Case(f"Attention_{name}", "Attention", operands, {"num_heads": 2, **attributes}, wanted)


def attentions():
    yield self_attention("lengths", mask=np.array([2, 1], I32))
    yield self_attention("ends_and_starts", mask=np.array([2, 3, 0, 1], I32))
    yield self_attention("keys", mask=np.array([[1, 1, 0], [1, 0, 0]], I32), bias=True)
    yield self_attention("steps", mask=Draws("mask").ints(0, 2, 2, 3, 3))
    yield self_attention("past", past=True, wanted=(0, 1), unidirectional=1, scale=0.3,
                         mask=Draws("mask").ints(0, 2, 2, 7))
    yield self_attention("sizes", width=28, qkv_hidden_sizes=[8, 8, 12], mask_filter_value=-2.0,
                         mask=np.array([[1, 1, 0], [1, 0, 0]], I32))
    draw = Draws("quantized attention")
    yield Case("QAttention", "QAttention",
               [draw.quantized(U8, 2, 3, 6), draw.quantized(I8, 6, 24), draw.real(24),
                scalar(0.05), scalar(0.02), np.array([[1, 1, 0], [1, 0, 0]], I32), scalar(30, U8),
                scalar(0, I8)], {"num_heads": 2})
    query, key, value = draw.real(2, 3, 8), draw.real(2, 5, 8), draw.real(2, 5, 12)
    yield Case("MultiHeadAttention", "MultiHeadAttention",
               [query, key, value, draw.real(28), np.array([5, 2], I32), draw.real(2, 2, 3, 5)],
               {"num_heads": 2})
    yield Case("MultiHeadAttention_past", "MultiHeadAttention",
               [query, key[:, :3], value[:, :3, :8], draw.real(24), None, None,
                draw.real(2, 2, 4, 4), draw.real(2, 2, 4, 4)],
               {"num_heads": 2, "unidirectional": 1}, wanted=(0, 1, 2))
    yield Case("MultiHeadAttention_apart", "MultiHeadAttention",
               [query, draw.real(2, 2, 5, 4), draw.real(2, 2, 5, 4), draw.real(24)],
               {"num_heads": 2})


def grouped(name, last, total, batch=2, steps=3, past=0, packed=False, rotated=0, bias=None,
            sink=False, **attributes):
    """GroupQueryAttention of four heads on two, 16 features each."""
    draw = Draws(name)
    query, key, value = draw.real(batch, steps, 64), draw.real(batch, steps, 32), draw.real(
        batch, steps, 32)
    if packed:
        query, key, value = np.concatenate([query, key, value], 2), None, None
    angles = draw.real(32, rotated // 2)
    tables = [np.cos(angles), np.sin(angles)] if rotated else [None, None]
    if rotated:
        attributes["do_rotary"] = 1
    operands = [query, key, value, draw.real(batch, 2, past, 16), draw.real(batch, 2, past, 16),
                np.array(last, I32), scalar(total, I32), *tables, None,
                draw.real(*bias) if bias else None, draw.real(4) if sink else None]
    return Case(f"GroupQueryAttention_{name}", "GroupQueryAttention", operands,
                {"num_heads": 4, "kv_num_heads": 2, **attributes}, wanted=(0, 1, 2))


def grouped_attentions():
    yield grouped("prompt", [2, 1], 3, rotated=16)
    yield grouped("packed", [2, 2], 3, packed=True, rotated=16, rotary_interleaved=1)
    yield grouped("token", [4, 2], 5, steps=1, past=8, rotated=16, bias=(1, 4, 1, 5))
    yield grouped("chunk", [6], 7, batch=1, past=4, local_window_size=2, softcap=0.5)
    yield grouped("smooth", [2, 2], 3, smooth_softmax=1, scale=0.9)
    yield grouped("sink", [2, 2], 3, sink=True)
    for name, sizes, positions, attributes in (
            ("offset", (2, 3, 16), [2], {}),
            ("positions", (2, 2, 3, 8), [[0, 1, 2], [3, 4, 5]], {}),
            ("pairs", (2, 3, 16), [[0, 1, 2], [3, 4, 5]], {"interleaved": 1}),
            ("part", (2, 3, 32), [[0, 1, 2], [3, 4, 5]],
             {"rotary_embedding_dim": 8, "num_heads": 2})):
        draw = Draws(name)
        angles = draw.real(16, 4)
        yield Case(f"RotaryEmbedding_{name}", "RotaryEmbedding",
                   [draw.real(*sizes), np.array(positions, I64), np.cos(angles), np.sin(angles)],
                   attributes)


def movement():
    draw = Draws("movement")
    yield Case("Pad", "Pad", [draw.real(2, 3), np.array([[0, 1, 1, 0]], I64),
                              np.array([7], F32)], {"mode": "constant"})
    yield Case("Unique", "Unique", [np.array([3, 1, 1, 2, 3, 3], F32)], {}, wanted=(0, 1, 2))
    yield Case("Trilu", "Trilu", [draw.real(4, 5), scalar(1, I64)], {"upper": 0})
    yield Case("GridSample", "GridSample", [draw.real(1, 2, 5, 5), draw.real(1, 3, 3, 2)],
               {"mode": "bicubic", "padding_mode": "border", "align_corners": 1})
    yield Case("ExpandDims", "ExpandDims", [draw.real(2, 3), scalar(-1, I32)], {}, constants=(1,))
    yield Case("Range", "Range", [scalar(1), scalar(7), scalar(2)], {})
    yield Case("GatherND", "GatherND", [draw.real(2, 3, 4), np.array([[0, 1], [1, 2]], I32)], {})
    for metric in ("sqeuclidean", "euclidean"):
        yield Case(f"CDist_{metric}", "CDist", [draw.real(3, 4), draw.real(5, 4)],
                   {"metric": metric})
    yield Case("Inverse", "Inverse", [draw.real(2, 4, 4)], {})


def all_cases():
    groups = (learners, activations, normalizations, products, quantized_elementwise,
              quantized_products, quantized_recurrences, experts, quantized_experts, attentions,
              grouped_attentions, movement)
    return [case for group in groups for case in group()]
