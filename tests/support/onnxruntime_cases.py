"""Operators of com.microsoft and others of ONNX Runtime: calls with seeded operands.

The results are ONNX Runtime's, recorded in tests/e2e/onnxruntime_expected.npz by
tests/tools/record_onnxruntime.py.
"""

import dataclasses
import zlib

import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSET = 17
F32, I32, I64, U8, I8 = np.float32, np.int32, np.int64, np.uint8, np.int8


@dataclasses.dataclass
class Case:
    """One node. `wanted` are the indices of the results that it names."""
    name: str
    op: str
    operands: list
    attributes: dict
    wanted: tuple = (0,)
    constants: tuple = ()  # indices of operands that the file holds
    domain: str = "com.microsoft"
    ml: int = 3  # the operator set of ai.onnx.ml that it needs

    def operand_name(self, i):
        return "" if self.operands[i] is None else f"{self.name}_x{i}"

    def result_names(self):
        return [f"{self.name}_y{i}" if i in self.wanted else ""
                for i in range(max(self.wanted) + 1)]

    def feeds(self):
        return {self.operand_name(i): operand for i, operand in enumerate(self.operands)
                if operand is not None and i not in self.constants}

    def node(self):
        return helper.make_node(self.op, [self.operand_name(i) for i in range(len(self.operands))],
                                self.result_names(), name=self.name, domain=self.domain,
                                **self.attributes)


def model_of(cases):
    """One model of all nodes; its outputs are of types that readers infer."""
    inputs, constants, outputs = [], [], []
    for case in cases:
        for i, operand in enumerate(case.operands):
            if operand is None:
                continue
            if i in case.constants:
                constants.append(numpy_helper.from_array(operand, case.operand_name(i)))
            else:
                kind = helper.np_dtype_to_tensor_dtype(operand.dtype) if hasattr(
                    helper, "np_dtype_to_tensor_dtype") else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[
                        operand.dtype]
                inputs.append(helper.make_tensor_value_info(case.operand_name(i), kind,
                                                            operand.shape))
        outputs += [onnx.ValueInfoProto(name=name) for name in case.result_names() if name]
    graph = helper.make_graph([case.node() for case in cases], "cases", inputs, outputs, constants)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1),
              helper.make_opsetid("ai.onnx.ml", max(case.ml for case in cases))]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


class Draws:
    """Operands of one case, seeded by its name."""

    def __init__(self, name):
        self.random = np.random.default_rng(zlib.crc32(name.encode()))

    def real(self, *sizes):
        return self.random.standard_normal(sizes).astype(F32)

    def ints(self, low, high, *sizes, dtype=I32):
        return self.random.integers(low, high, sizes).astype(dtype)

    def quantized(self, dtype, *sizes):
        return self.ints(*((0, 120) if dtype == U8 else (-60, 60)), *sizes, dtype=dtype)


def scalar(value, dtype=F32):
    return np.array(value, dtype)


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


def learners():
    draw = Draws("learners")
    x, vectors, ml = draw.real(5, 3), draw.real(6, 3), {"domain": "ai.onnx.ml"}
    for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        shared = {"kernel_type": kernel, "kernel_params": [0.5, 0.3, 3.0],
                  "support_vectors": vectors.ravel().tolist()}
        yield Case(f"SVMRegressor_{kernel}", "SVMRegressor", [x],
                   {**shared, "coefficients": draw.real(6).tolist(), "n_supports": 6,
                    "rho": [0.3]}, **ml)
        yield Case(f"SVMClassifier_{kernel}", "SVMClassifier", [x],
                   {**shared, "coefficients": draw.real(12).tolist(), "rho": draw.real(3).tolist(),
                    "vectors_per_class": [2, 1, 3], "classlabels_ints": [3, 4, 5]},
                   wanted=(0, 1), **ml)
    two = {"kernel_type": "RBF", "kernel_params": [0.5, 0.0, 3.0],
           "support_vectors": vectors.ravel().tolist(), "coefficients": draw.real(6).tolist(),
           "vectors_per_class": [2, 4], "rho": [0.1], "classlabels_ints": [3, 4]}
    yield from linear_machines(x)
    yield Case("SVMClassifier_two_SOFTMAX", "SVMClassifier", [x],
               {**two, "post_transform": "SOFTMAX"}, wanted=(0, 1), **ml)
    for transform in ("NONE", "LOGISTIC"):
        yield Case(f"SVMClassifier_two_{transform}", "SVMClassifier", [x],
                   {**two, "post_transform": transform}, wanted=(0, 1), **ml)
        yield Case(f"LinearClassifier_two_{transform}", "LinearClassifier", [x],
                   {"coefficients": draw.real(3).tolist(), "intercepts": [0.2],
                    "classlabels_ints": [0, 1], "post_transform": transform},
                   wanted=(0, 1), **ml)
    yield Case("LinearClassifier_zero", "LinearClassifier", [x],
               {"coefficients": draw.real(9).tolist(), "intercepts": draw.real(3).tolist(),
                "classlabels_ints": [0, 1, 2], "post_transform": "SOFTMAX_ZERO"},
               wanted=(0, 1), **ml)
    yield Case("LinearClassifier_nearly_zero", "LinearClassifier",
               [np.array([[0, 1, -5e-8], [2, 3e-8, 0]], F32)],
               {"coefficients": np.eye(3).ravel().tolist(), "intercepts": [0.0] * 3,
                "classlabels_ints": [0, 1, 2], "post_transform": "SOFTMAX_ZERO"},
               wanted=(0, 1), **ml)
    yield from coupled_machines()
    yield from labels()
    yield from trees()
    words = draw.ints(0, 4, 3, 12, dtype=I64)
    pool = {"pool_int64s": [0, 2, 3, 1, 0, 2, 3, 3, 1, 0, 1], "ngram_counts": [0, 2, 8],
            "ngram_indexes": [5, 0, 1, 2, 6, 3], "weights": draw.real(6).tolist()}
    for mode, skips, longest in (("TF", 0, 3), ("IDF", 2, 2), ("TFIDF", 5, 3)):
        yield Case(f"TfIdfVectorizer_{mode}", "TfIdfVectorizer", [words],
                   {**pool, "mode": mode, "min_gram_length": 1, "max_gram_length": longest,
                    "max_skip_count": skips}, domain="")


def linear_machines(x):
    """Without support vectors; a transformation of one score, which leaves it as it is."""
    draw, ml = Draws("linear machines"), {"domain": "ai.onnx.ml"}
    for classes, sign in ((2, "signed"), (2, "positive"), (3, "signed")):
        coefficients = draw.real(classes * 3)
        if sign == "positive":
            coefficients = np.abs(coefficients)
        yield Case(f"SVMClassifier_linear_{classes}_{sign}", "SVMClassifier", [x],
                   {"coefficients": coefficients.tolist(), "rho": [0.2], "kernel_type": "LINEAR",
                    "kernel_params": [0.0, 0.0, 0.0],
                    "classlabels_ints": list(range(5, 5 + classes)),
                    "post_transform": "SOFTMAX"}, wanted=(0, 1), **ml)
    yield Case("SVMRegressor_LOGISTIC", "SVMRegressor", [x],
               {"coefficients": draw.real(3).tolist(), "rho": [0.3], "kernel_type": "LINEAR",
                "kernel_params": [0.0, 0.0, 0.0],
                "post_transform": "LOGISTIC"}, **ml)


def coupled_machines():
    """Support vector machines that give probabilities."""
    for counts in ([3, 4], [2, 1, 4], [2, 2, 1, 2]):
        classes = len(counts)
        pairs = classes * (classes - 1) // 2
        draw = Draws(f"{classes} classes")
        machine = {"kernel_type": "RBF", "kernel_params": [0.5, 0.0, 3.0],
                   "support_vectors": draw.real(7 * 3).tolist(),
                   "coefficients": draw.real((classes - 1) * 7).tolist(),
                   "rho": draw.real(pairs).tolist(), "vectors_per_class": counts,
                   "prob_a": (-np.abs(draw.real(pairs))).tolist(),
                   "prob_b": draw.real(pairs).tolist(),
                   "classlabels_ints": list(range(10, 10 + classes))}
        for transform in ("NONE", "SOFTMAX"):
            yield Case(f"SVMClassifier_probabilities_{classes}_{transform}", "SVMClassifier",
                       [draw.real(6, 3)], {**machine, "post_transform": transform},
                       wanted=(0, 1), domain="ai.onnx.ml")


def labels():
    """A key may be NaN, which ONNX Runtime knows in the newest operator sets; what is no key has the
    default of the values' type."""
    x = np.array([np.nan, 0.5, 9], F32)
    keys = {"keys_floats": [0.5, np.nan]}
    yield Case("LabelEncoder_nan", "LabelEncoder", [x], {**keys, "values_int64s": [7, 8]},
               domain="ai.onnx.ml", ml=5)
    numbers = {name: numpy_helper.from_array(np.array(values, np.float64))
               for name, values in (("keys_tensor", [2, 5]), ("values_tensor", [7, 8]))}
    yield Case("LabelEncoder_f64", "LabelEncoder",
               [np.array([[5, 2], [9, 5]], np.float64)], numbers, domain="ai.onnx.ml", ml=5)


def trees():
    """Two trees of one question; thresholds that no operand meets."""
    x = Draws("trees").real(6, 3)
    nodes = {"nodes_treeids": [0, 0, 0, 1, 1, 1], "nodes_nodeids": [0, 1, 2, 0, 1, 2],
             "nodes_featureids": [0, 0, 0, 1, 0, 0], "nodes_values": [0.1, 0, 0, -0.2, 0, 0],
             "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"] * 2,
             "nodes_truenodeids": [1, 0, 0, 1, 0, 0], "nodes_falsenodeids": [2, 0, 0, 2, 0, 0],
             "target_treeids": [0, 0, 1, 1], "target_nodeids": [1, 2, 1, 2],
             "target_weights": [0.1, 0.3, 0.2, 0.5]}
    for targets, ids in ((1, [0, 0, 0, 0]), (2, [0, 0, 1, 1])):
        shared = {**nodes, "target_ids": ids, "n_targets": targets}
        for transform in ("LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"):
            yield Case(f"TreeEnsembleRegressor_{targets}_{transform}", "TreeEnsembleRegressor",
                       [x], {**shared, "post_transform": transform}, domain="ai.onnx.ml")
        for function in ("MIN", "MAX", "AVERAGE"):
            yield Case(f"TreeEnsembleRegressor_{targets}_{function}", "TreeEnsembleRegressor",
                       [x], {**shared, "aggregate_function": function,
                             "base_values": [1.0, 2.0][:targets]}, domain="ai.onnx.ml")
    yield from tree_classifiers(nodes)
    linear = {"coefficients": [0.1, 0.2, 0.3], "intercepts": [0.5], "targets": 1}
    yield Case("LinearRegressor_LOGISTIC", "LinearRegressor", [x],
               {**linear, "post_transform": "LOGISTIC"}, domain="ai.onnx.ml")
    yield Case("LinearRegressor_PROBIT", "LinearRegressor", [np.abs(x) * F32(0.1)],
               {**linear, "post_transform": "PROBIT"}, domain="ai.onnx.ml")
    yield from trees_of_version_5()


def tree_classifiers(nodes):
    """Two classes, of which the leaves know one, both, or now this one and now that one; and three."""
    asked = {key: value for key, value in nodes.items() if key.startswith("nodes_")}
    x = Draws("tree classifiers").real(8, 3)
    known = {"first": [(1, 0), (2, 0)], "second": [(1, 1), (2, 1)],
             "both": [(1, 0), (1, 1), (2, 0), (2, 1)], "mixed": [(1, 0), (2, 1)],
             "three": [(1, 0), (1, 2), (2, 1)]}
    weights = {"positive": [0.1, 0.45, 0.3, 0.15], "signed": [0.4, -0.7, -0.2, 0.5]}
    for name, pairs in known.items():
        classes = 3 if name == "three" else 2
        for sign, values in weights.items():
            leaves = {"class_treeids": [0] * len(pairs) + [1] * len(pairs),
                      "class_nodeids": [node for node, _ in pairs] * 2,
                      "class_ids": [target for _, target in pairs] * 2,
                      "class_weights": [values[i % 4] for i in range(2 * len(pairs))],
                      "classlabels_int64s": [7, 5, 3][:classes]}
            # One base value, where now one class is known and now the other, is refused.
            for base in ([], [0.25], [0.2, -0.3, 0.1])[::2 if name in ("three", "mixed") else 1]:
                transform = ("NONE", "LOGISTIC", "SOFTMAX")[len(base) % 3]
                more = {"base_values": base[:classes]} if base else {}
                yield Case(f"TreeEnsembleClassifier_{name}_{sign}_{len(base)}",
                           "TreeEnsembleClassifier", [x],
                           {**asked, **leaves, **more, "post_transform": transform},
                           wanted=(0, 1), domain="ai.onnx.ml")


def trees_of_version_5():
    draw = Draws("trees of version 5")
    for kind in (F32, np.float64):
        real = lambda name, values: numpy_helper.from_array(np.array(values, kind), name)
        modes = numpy_helper.from_array(np.array([0, 6, 2, 3], U8), "nodes_modes")
        forest = {"nodes_featureids": [0, 1, 2, 1], "nodes_modes": modes,
                  "nodes_splits": real("nodes_splits", [0.2, 0, 1.5, 2.5]),
                  "nodes_truenodeids": [1, 0, 3, 3], "nodes_trueleafs": [0, 1, 0, 1],
                  "nodes_falsenodeids": [2, 1, 2, 4], "nodes_falseleafs": [1, 1, 1, 1],
                  "membership_values": real("membership_values", [1, 3, 4, np.nan]),
                  "leaf_targetids": [0, 1, 0, 1, 0], "tree_roots": [0, 2],
                  "leaf_weights": real("leaf_weights", [0.5, 1.25, -2.0, 0.75, 0.125]),
                  "n_targets": 2}
        x = draw.ints(0, 5, 12, 3).astype(kind)
        x[:, 0] = draw.real(12)
        for number in range(4):
            yield Case(f"TreeEnsemble_{np.dtype(kind).name}_{number}", "TreeEnsemble", [x],
                       {**forest, "aggregate_function": number,
                        "post_transform": 0 if number != 1 else 3}, domain="ai.onnx.ml", ml=5)


def all_cases():
    groups = (learners, activations, normalizations, products, quantized_elementwise,
              quantized_products, quantized_recurrences, experts, quantized_experts, attentions,
              grouped_attentions, movement)
    return [case for group in groups for case in group()]
