#!/usr/bin/env python3
"""Makes operators/: a small graph for each operator, and what TensorFlow.js gives for it.

Usage: make_operators.py ORACLE [NAME]      (in the root of the project)

ORACLE is ../shared/tools/tf-oracle after `npm ci`, or a copy of it: TensorFlow's kernels in
JavaScript, and the builder of graphs. Cases whose operator it lacks have the result of a NumPy
program, or of a definition in plain Python, given here; where both are there, both must agree.
tests/e2e/tf_cases_test.py runs the cases, folders as those of shared/data/tf-cases.
"""

import json
import pathlib
import re
import shutil
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import tfkit  # noqa: E402  pylint: disable=wrong-import-position
import tfrun  # noqa: E402  pylint: disable=wrong-import-position
from tfbuild import DTN, G, graphdef  # noqa: E402  pylint: disable=wrong-import-position

OUT = pathlib.Path(__file__).parent / "operators"
DRAW = np.random.default_rng(18)


def f32(*sizes):
    return DRAW.normal(size=sizes).astype(np.float32)


def i32(*values):
    return np.array(values, np.int32)


def type_name(array):
    if array.dtype == object:
        return "string"
    number = tfkit.NP2DT[array.dtype]
    return next(name for name, value in DTN.items() if value == number)


def save(name, graph, feeds, fetches, reference=None, oracle=True, onnx=True):
    if len(sys.argv) > 2 and sys.argv[2] not in name:
        return
    message = graphdef(graph)
    results = None
    if oracle:
        flat, tensors = tfkit.flatten(message, fetches)
        pruned = tfkit.prune(flat, tensors, extra=list(feeds))
        found = tfrun.run(pruned, list(dict.fromkeys(tensors)), [feeds])[0]
        results = [found[tensor] for tensor in tensors]
    if reference is not None:
        reference = [np.asarray(array) for array in reference]
        for found, wanted in zip(results or [], reference):
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=name)
        results = reference
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "graph.pb").write_bytes(message.SerializeToString(deterministic=True))
    np.savez(folder / "inputs.npz", **feeds)
    np.savez(folder / "outputs.npz", **{f"o{i}": array for i, array in enumerate(results)})
    golden = [source for source, used in (("tfjs", oracle), ("numpy", reference is not None)) if used]
    meta = {"inputs": list(feeds), "fetches": fetches, "golden": "+".join(golden)}
    if not onnx:
        meta["onnx"] = False  # its release that tests use has no operator for this
    (folder / "meta.json").write_text(json.dumps(meta) + "\n")


def case(name, op, operands, results=1, reference=None, oracle=True, **attributes):
    """operands: arrays; those in a tuple become constants."""
    graph, feeds, names = G(), {}, []
    for i, operand in enumerate(operands):
        if isinstance(operand, tuple):
            names.append(graph.const(operand[0], name=f"k{i}"))
        else:
            feeds[f"x{i}"] = operand
            names.append(graph.ph(f"x{i}", type_name(operand), operand.shape))
    graph.op(op, *names, name="y", **attributes)
    fetches = ["y"] + [f"y:{i}" for i in range(1, results)]
    save(name, graph, feeds, fetches, reference, oracle)


FLOAT = {"T": "dt:float"}


def make_images():
    boxes = np.array([[0, 0, 1, 1], [0.1, 0.33, 0.7, 0.91], [-0.5, 0.2, 0.52, 1.4],
                      [0.8, 0.93, 0.2, 0.12]],
                     np.float32)
    for method in ("bilinear", "nearest"):
        for size in ((3, 4), (1, 2)):
            case(f"crop_and_resize_{method}_{size[0]}", "CropAndResize",
                 [f32(2, 5, 6, 3), boxes, (i32(0, 1, 1, 0),), (i32(*size),)], method=method,
                 extrapolation_value=0.25, **FLOAT)
    for padding in ("SAME", "VALID"):
        for batch in (False, True):
            case(f"max_pool_with_argmax_{padding}_{batch}", "MaxPoolWithArgmax", [f32(2, 5, 6, 3)], 2,
                 ksize=[1, 2, 3, 1], strides=[1, 2, 2, 1], padding=padding, Targmax="dt:int64",
                 include_batch_in_index=batch, **FLOAT)
        case(f"dilation_2d_{padding}", "Dilation2D", [f32(1, 7, 6, 2), (f32(3, 2, 2),)],
             strides=[1, 2, 1, 1], rates=[1, 1, 2, 1], padding=padding, **FLOAT)
    image = f32(1, 6, 5, 2)
    patches = np.stack([np.stack([image[0, y:y + 3:2, x:x + 2].reshape(-1) for x in (0, 2)])
                        for y in (0, 1, 2, 3)])[None]
    case("extract_image_patches", "ExtractImagePatches", [image], reference=[patches], oracle=False,
         ksizes=[1, 2, 2, 1], strides=[1, 1, 2, 1], rates=[1, 2, 1, 1], padding="VALID", **FLOAT)
    x = f32(1, 5, 6, 2)

    def area(n, m):
        """Shares of n pixels in each of m, in hundreds of parts."""
        shares = np.zeros((m, n))
        for part in range(n * m):
            shares[part // n, part // m] += 1 / n
        return shares
    case("resize_area", "ResizeArea", [x, (i32(3, 9),)], oracle=False, reference=[
        np.einsum("yh,bhwc,xw->byxc", area(5, 3), x, area(6, 9)).astype(np.float32)], **FLOAT)
    colours = DRAW.uniform(size=(2, 3, 3)).astype(np.float32)
    colours[0, 0] = 0.5
    hsv = np.array([rgb_to_hsv(*pixel) for pixel in colours.reshape(-1, 3).tolist()], np.float32)
    case("rgb_to_hsv", "RGBToHSV", [colours], oracle=False,
         reference=[hsv.reshape(colours.shape)], **FLOAT)
    case("hsv_to_rgb", "HSVToRGB", [hsv.reshape(colours.shape)], oracle=False, reference=[colours],
         **FLOAT)
    mean = colours.mean((0, 1), keepdims=True)
    case("adjust_contrast", "AdjustContrastv2", [colours, (np.float32(1.5),)], oracle=False,
         reference=[(colours - mean) * np.float32(1.5) + mean], **FLOAT)


def rgb_to_hsv(*pixel):
    import colorsys  # pylint: disable=import-outside-toplevel
    return colorsys.rgb_to_hsv(*pixel)


def make_spectra():
    z = (f32(2, 3, 4) + 1j * f32(2, 3, 4)).astype(np.complex64)
    x = f32(2, 6, 8)
    kind = {"Tcomplex": "dt:complex64"}
    real = {"Treal": "dt:float", **kind}
    for inverse, prefix in ((False, ""), (True, "I")):
        for axes, suffix in ((1, ""), (2, "2D"), (3, "3D")):
            transform = np.fft.ifftn if inverse else np.fft.fftn
            case(f"{prefix}fft{suffix}".lower(), f"{prefix}FFT{suffix}", [z], oracle=False,
                 reference=[transform(z, axes=range(3 - axes, 3)).astype(np.complex64)], **kind)
    for length in (8, 5, 12):
        case(f"rfft_{length}", "RFFT", [x, (i32(length),)], oracle=False,
             reference=[np.fft.rfft(x, length).astype(np.complex64)], **real)
        case(f"irfft_{length}", "IRFFT", [z, (i32(length),)], oracle=False,
             reference=[np.fft.irfft(z, length).astype(np.float32)], **real)
    case("rfft2d", "RFFT2D", [x, (i32(4, 10),)], oracle=False,
         reference=[np.fft.rfft2(x, (4, 10)).astype(np.complex64)], **real)
    case("irfft2d", "IRFFT2D", [z, (i32(5, 6),)], oracle=False,
         reference=[np.fft.irfft2(z, (5, 6)).astype(np.float32)], **real)


def make_segments():
    x = f32(5, 3)
    numbers = i32(2, 0, -1, 2, 5)
    for op, fold, start in (("Max", np.maximum, np.finfo(np.float32).min),
                            ("Min", np.minimum, np.finfo(np.float32).max),
                            ("Prod", np.multiply, 1)):
        wanted = np.full((6, 3), start, np.float32)
        for row, number in zip(x, numbers):
            if number >= 0:
                wanted[number] = fold(wanted[number], row)
        case(f"unsorted_segment_{op}".lower(), f"UnsortedSegment{op}",
             [x, (numbers,), (np.int32(6),)], oracle=False, reference=[wanted], **FLOAT)
        wanted = np.full((4, 3), 1 if op == "Prod" else 0, np.float32)
        for number in (0, 1, 3):
            wanted[number] = fold.reduce(x[i32(0, 0, 1, 3, 3) == number])
        case(f"segment_{op}".lower(), f"Segment{op}", [x, (i32(0, 0, 1, 3, 3),)], oracle=False,
             reference=[wanted], **FLOAT)
    case("sparse_to_dense", "SparseToDense",
         [(i32(0, 1, 2, 3).reshape(2, 2),), (i32(3, 4),), f32(2), (np.float32(-1),)],
         Tindices="dt:int32", **FLOAT)
    case("sparse_to_dense_scalar", "SparseToDense",
         [(i32(1, 3),), (i32(5),), (np.float32(2),), f32()], Tindices="dt:int32", **FLOAT)
    dense = np.zeros((3, 4), np.float32)
    values, b = f32(3), f32(4, 2)
    dense[[0, 1, 2], [3, 0, 1]] = values
    case("sparse_dense_mat_mul", "SparseTensorDenseMatMul",
         [(np.array([[0, 3], [1, 0], [2, 1]]),), values, (np.array([3, 4]),), b], oracle=False,
         reference=[dense @ b], Tindices="dt:int64", **FLOAT)
    case("bucketize", "Bucketize", [i32(-5, 10, 150, 10, 100)], oracle=False,
         reference=[i32(0, 2, 3, 2, 3)], T="dt:int32", boundaries=[0.0, 10.0, 100.0])
    rows = np.sort(DRAW.integers(0, 9, (2, 6)).astype(np.int32))
    for bound in ("Lower", "Upper"):
        case(f"{bound}_bound".lower(), f"{bound}Bound", [rows, DRAW.integers(0, 9, (2, 4)).astype(np.int32)],
             T="dt:int32", out_type="dt:int32")
    weights = np.zeros(0, np.float32)
    for binary in (False, True):
        case(f"dense_bincount_{binary}", "DenseBincount",
             [DRAW.integers(0, 5, (2, 7)).astype(np.int32), (np.int32(4),), (weights,)],
             binary_output=binary, Tidx="dt:int32", **FLOAT)
    case("dense_bincount_weights", "DenseBincount",
         [i32(0, 3, 3, 1, 9), (np.int32(4),), f32(5)], binary_output=False, Tidx="dt:int32", **FLOAT)
    case("list_diff", "ListDiff", [i32(1, 2, 3, 4, 5, 6, 2), i32(2, 4, 9)], 2, T="dt:int32",
         out_idx="dt:int32")
    first, second = f32(2, 3), f32(2, 3)
    case("dynamic_stitch", "DynamicStitch", [(i32(3, 0),), (i32(1, 2),), first, second],
         oracle=False, reference=[np.stack([first[1], *second, first[0]])], N=2, **FLOAT)
    case("dynamic_stitch_run_time", "DynamicStitch", [i32(3, 0), i32(1, 3), first, second],
         oracle=False, reference=[np.stack([first[1], second[0], 0 * first[0], second[1]])], N=2,
         **FLOAT)
    data = f32(5, 2)
    parts = i32(1, 0, 1, 1, 0)
    case("dynamic_partition", "DynamicPartition", [data, parts], 2, oracle=False,
         reference=[data[parts == 0], data[parts == 1]], num_partitions=2, **FLOAT)


def make_sparse():
    x = f32(6, 3)
    chosen, segments = i32(4, 0, 0, 5, 2), i32(0, 0, 1, 1, 3)
    for kind, over in (("Sum", lambda n: 1), ("Mean", lambda n: max(n, 1)),
                       ("SqrtN", lambda n: max(n, 1) ** 0.5)):
        wanted = [x[chosen[segments == i]].sum(0) / over((segments == i).sum()) for i in range(4)]
        case(f"sparse_segment_{kind}".lower(), f"SparseSegment{kind}", [x, chosen, (segments,)],
             oracle=False, reference=[np.array(wanted, np.float32)], **FLOAT)
    indices = np.array([[0, 1], [0, 3], [2, 0], [3, 2]])
    for new in ((2, -1), (4, 2, 2), (16,)):
        flat = np.ravel_multi_index(tuple(indices.T), (4, 4))
        sizes = np.zeros(16).reshape(new).shape
        case(f"sparse_reshape_{len(new)}", "SparseReshape",
             [indices, (np.array([4, 4]),), (np.array(new),)], 2, oracle=False,
             reference=[np.stack(np.unravel_index(flat, sizes), 1), np.array(sizes)])
    case("sparse_fill_empty_rows", "SparseFillEmptyRows",
         [np.array([[3, 1], [0, 3], [0, 1], [5, 0]])[[1, 2, 0, 3]], f32(4), (np.array([6, 4]),),
          (np.float32(9),)], 4, **FLOAT)


def overlap(a, b):
    (top, left), (bottom, right) = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    common = max(bottom - top, 0) * max(right - left, 0)
    return common / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - common)


def best_boxes(boxes, scores, per_class, total, most_overlap, least):
    """Of one image: (score, class, box) of the best, by the definition."""
    found = []
    for number in range(scores.shape[1]):
        kept = []
        for i in np.argsort(-scores[:, number]):
            box = boxes[i, number % boxes.shape[1]]
            if len(kept) < per_class and scores[i, number] > least:
                if all(overlap(box, other) <= most_overlap for _, _, other in kept):
                    kept.append((scores[i, number], number, box))
        found += kept
    return sorted(found, key=lambda item: -item[0])[:total]


def make_boxes():
    for classes, total in ((1, 4), (3, 20)):
        corner = DRAW.uniform(size=(2, 8, classes, 2)).astype(np.float32)
        boxes = np.concatenate([corner, corner + 0.4], 3).astype(np.float32)
        scores = DRAW.uniform(size=(2, 8, 3)).astype(np.float32)
        wanted = [np.zeros((2, total, 4)), np.zeros((2, total)), np.zeros((2, total)), np.zeros(2)]
        for image in range(2):
            best = best_boxes(boxes[image], scores[image], 3, total, 0.3, 0.25)
            for i, (score, number, box) in enumerate(best):
                wanted[0][image, i] = np.clip(box, 0, 1)
                wanted[1][image, i], wanted[2][image, i] = score, number
            wanted[3][image] = len(best)
        wanted = [array.astype(np.float32) for array in wanted[:3]] + [wanted[3].astype(np.int32)]
        case(f"combined_nms_{classes}", "CombinedNonMaxSuppression",
             [boxes, scores, (np.int32(3),), (np.int32(total),), (np.float32(0.3),),
              (np.float32(0.25),)], 4, oracle=False, reference=wanted)


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


def make_layouts():
    case("data_format_dim_map", "DataFormatDimMap", [i32(0, 1, 2, 3, -1)], oracle=False,
         reference=[i32(0, 2, 3, 1, 1)], T="dt:int32")
    case("data_format_vec_permute", "DataFormatVecPermute", [i32(7, 4, 9, 3)], oracle=False,
         reference=[i32(7, 3, 4, 9)], T="dt:int32")


def make_products():
    for exclusive in (False, True):
        for reverse in (False, True):
            case(f"cumprod_{exclusive}_{reverse}", "Cumprod", [f32(2, 4, 3), (np.int32(1),)],
                 exclusive=exclusive, reverse=reverse, Tidx="dt:int32", **FLOAT)
    a, b = f32(2, 3), f32(2, 3)
    case("cross", "Cross", [a, b], oracle=False, reference=[np.cross(a, b)], **FLOAT)
    for sizes in ((3, 3), (2, 4), (4, 2)):
        x, diagonal = f32(2, *sizes), f32(2, min(sizes))
        wanted = x.copy()
        for i in range(min(sizes)):
            wanted[:, i, i] = diagonal[:, i]
        case(f"matrix_set_diag_{sizes[0]}", "MatrixSetDiagV3", [x, diagonal, (np.int32(0),)],
             oracle=False, reference=[wanted], **FLOAT)


def make_tables():
    """Keys of a vocabulary to numbers, and numbers to words."""
    for kind, keys, values, asked, other in (
            ("words", np.array([b"a", b"bc", b"d"], object), np.array([5, 0, 7], np.int64),
             np.array([[b"bc", b"x"], [b"d", b"a"]], object), np.int64(-1)),
            ("numbers", np.array([3, -2, 9], np.int64), f32(3), np.array([9, 3, 4, -2]),
             np.float32(0.5)),
            ("places", np.arange(3, dtype=np.int64), np.array([b"x", b"y", b"z"], object),
             np.array([2, 0, 3, -1]), np.array(b"?", object))):
        graph = G()
        types = {"key_dtype": "dt:" + type_name(keys), "value_dtype": "dt:" + type_name(values)}
        table = graph.op("HashTableV2", name="table", **types)
        graph.op("LookupTableImportV2", table, graph.const(keys, name="keys"),
                 graph.const(values, name="values"), name="fill",
                 Tin=types["key_dtype"], Tout=types["value_dtype"])
        graph.ph("x", type_name(asked), asked.shape)
        graph.op("LookupTableFindV2", table, "x", graph.const(other, name="other"), name="y",
                 Tin=types["key_dtype"], Tout=types["value_dtype"])
        found = dict(zip(keys.tolist(), values.tolist()))
        wanted = np.array([found.get(key, other.item()) for key in asked.reshape(-1).tolist()])
        wanted = wanted.astype(values.dtype if values.dtype != object else "S").reshape(asked.shape)
        feeds = {"x": asked.astype("S") if asked.dtype == object else asked}
        save(f"table_{kind}", graph, feeds, ["y"], [wanted], oracle=False)


def make_dilated():
    """A convolution with gaps as TensorFlow 1 spells it: blocks, a plain convolution, blocks back."""
    graph = G()
    x, w = f32(1, 7, 8, 2), f32(3, 3, 2, 3)
    graph.ph("x", "float", x.shape)
    block = graph.const(i32(2, 2), name="block")
    blocks = graph.op("SpaceToBatchND", "x", block, graph.const(np.array([[2, 3], [2, 2]], np.int32)),
                      name="blocks", Tblock_shape="dt:int32", Tpaddings="dt:int32", **FLOAT)
    conv = graph.op("Conv2D", blocks, graph.const(w, name="w"), name="conv", strides=[1, 1, 1, 1],
                    padding="VALID", **FLOAT)
    graph.op("BatchToSpaceND", conv, block, graph.const(np.array([[0, 1], [0, 0]], np.int32)),
             name="y", Tblock_shape="dt:int32", Tcrops="dt:int32", **FLOAT)
    save("dilated_convolution", graph, {"x": x}, ["y"])


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


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def make_block_lstm():
    """Sequences of a length that only run time tells: all of it, or as much as an input says."""
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


def words(*texts):
    return np.array([text.encode() for text in texts], object)


def text_case(name, op, operands, reference, results=1, **attributes):
    """Strings, which TensorFlow.js has no kernels for, and ONNX few."""
    graph, feeds, names = G(), {}, []
    for i, operand in enumerate(operands):
        if isinstance(operand, tuple):
            names.append(graph.const(operand[0], name=f"k{i}"))
        else:
            feeds[f"x{i}"] = operand.astype("S") if operand.dtype == object else operand
            names.append(graph.ph(f"x{i}", type_name(operand), operand.shape))
    graph.op(op, *names, name="y", **attributes)
    fetches = ["y"] + [f"y:{i}" for i in range(1, results)]
    save(name, graph, feeds, fetches, reference, oracle=False, onnx=False)


def make_text():
    x = words("Hello, World!", "", " aB1 \t", "Gr\u00dc\u00df 3 4")
    text = [value.decode() for value in x]
    text_case("string_lower", "StringLower", [x], [words(
        "hello, world!", "", " ab1 \t", "gr\u00dc\u00df 3 4").astype("S")])
    text_case("string_upper", "StringUpper", [x], [words(
        "HELLO, WORLD!", "", " AB1 \t", "GR\u00dc\u00df 3 4").astype("S")])
    text_case("string_strip", "StringStrip", [x], [words(*(t.strip() for t in text)).astype("S")])
    for number, (pattern, rewrite) in enumerate(((r"[!\"#$%&()\*\+,-\./:;<=>?@\[\\\]^_`{|}~\']", ""),
                                                 (r"(\w)(\d| )", r"<\2\1>"))):
        wanted = [re.sub(pattern, rewrite, t, flags=re.ASCII) for t in text]
        text_case(f"static_regex_replace_{number}", "StaticRegexReplace", [x],
                  [words(*wanted).astype("S")], pattern=pattern, rewrite=rewrite)
    text_case("regex_replace_first", "RegexReplace",
              [x, (np.array(b"[lo]+", object),), (np.array(b"_", object),)],
              [words(*(re.sub("[lo]+", "_", t, count=1) for t in text)).astype("S")],
              replace_global=False)
    text_case("regex_full_match", "StaticRegexFullMatch", [x],
              [np.array([bool(re.fullmatch(r"\s*\w*\s*", t, re.ASCII)) for t in text])],
              pattern=r"\s*\w*\s*")
    for unit in ("BYTE", "UTF8_CHAR"):
        lengths = [len(t) if unit == "UTF8_CHAR" else len(t.encode()) for t in text]
        text_case(f"string_length_{unit}", "StringLength", [x], [np.array(lengths, np.int32)], unit=unit)
        start, size = i32(1, 0, -3, 2), i32(3, 5, 2, 2)
        pieces = []
        for t, s, n in zip(text, start, size):
            whole = t if unit == "UTF8_CHAR" else t.encode()
            s = s + len(whole) if s < 0 else s
            piece = whole[s:s + n]
            pieces.append(piece.encode() if unit == "UTF8_CHAR" else piece)
        text_case(f"substr_{unit}", "Substr", [x, (start,), (size,)], [np.array(pieces, "S")],
                  unit=unit, T="dt:int32")
    joined = np.array([[f"{a}-{b}" for b in ("x", "yz")] for a in ("p", "")], "S")
    text_case("string_join", "StringJoin",
              [words("p", "").reshape(2, 1), words("x", "yz")], [joined], N=2, separator="-")
    # As Keras' documentation of Hashing and TensorFlow's of to_hash_bucket_* print them.
    letters = words("A", "B", "C", "D", "E")
    for name, op, key, wanted in (("fast", "Fast", None, i32(1, 0, 1, 1, 2)),
                                  ("strong", "Strong", [133, 137], i32(1, 2, 1, 0, 2))):
        attributes = {"num_buckets": 3, **({"key": key} if key else {})}
        text_case(f"hash_bucket_{name}", f"StringToHashBucket{op}", [letters],
                  [wanted.astype(np.int64)], **attributes)
    rows = words(" the  quick fox ", "", "jumps")
    pieces = [row.decode().split() for row in rows]
    for name, op, separator, pieces, attributes in (
            ("space", "StringSplitV2", "", pieces, {"maxsplit": -1}),
            ("separator", "StringSplitV2", "u", [row.decode().split("u") for row in rows], {}),
            ("most", "StringSplitV2", " ", [row.decode().split(" ", 2) for row in rows],
             {"maxsplit": 2}),
            ("bytes", "StringSplit", "ui", [re.split("[ui]", row.decode()) for row in rows],
             {"skip_empty": False}),
            ("bytes_skip", "StringSplit", " t", [
                [p for p in re.split("[ t]", row.decode()) if p] for row in rows],
             {"skip_empty": True})):
        indices = [(i, j) for i, row in enumerate(pieces) for j in range(len(row))]
        values = words(*(piece for row in pieces for piece in row)).astype("S")
        most = max(len(row) for row in pieces)
        text_case(f"string_split_{name}", op, [rows, (np.array(separator.encode(), object),)],
                  [np.array(indices, np.int64), values, np.array([3, most])], 3, **attributes)
    numbers = words("12", "-3.5", "1e3")
    text_case("string_to_number", "StringToNumber", [numbers],
              [np.array([12, -3.5, 1000], np.float32)], out_type="dt:float")
    text_case("as_string", "AsString", [i32(12, -7, 0)], [np.array([b"12", b"-7", b"0"])], T="dt:int32")


def make_vectorization():
    """What Keras' TextVectorization saves: standardise, split, look up, and pad."""
    graph = G()
    x = words("Hello big, World", "", "the world! the end of the big world")
    graph.ph("x", "string", x.shape)
    plain = graph.op("StaticRegexReplace", graph.op("StringLower", "x", name="lower"), name="plain",
                     pattern=r"[!,\.\?]", rewrite="")
    split = graph.op("StringSplitV2", plain, graph.const(np.array(b"", object), name="space"),
                     name="split", maxsplit=-1)
    vocabulary = ["the", "world", "big", "hello"]
    table = graph.op("HashTableV2", name="table", key_dtype="dt:string", value_dtype="dt:int64")
    graph.op("LookupTableImportV2", table, graph.const(words(*vocabulary), name="keys"),
             graph.const(np.arange(2, 6), name="values"), name="fill", Tin="dt:string", Tout="dt:int64")
    graph.op("LookupTableFindV2", table, f"{split}:1", graph.const(np.int64(1), name="unknown"),
             name="found", Tin="dt:string", Tout="dt:int64")
    at = [graph.const(i32(*v), name=f"at{i}") for i, v in enumerate(((0, 0), (0, 1), (1, 1), (0,), (1,)))]
    graph.op("StridedSlice", split, at[0], at[1], at[2], name="rows", begin_mask=1, end_mask=1,
             shrink_axis_mask=2, T="dt:int64", Index="dt:int32")
    graph.op("StridedSlice", f"{split}:2", at[3], at[4], at[4], name="count", shrink_axis_mask=1,
             T="dt:int64", Index="dt:int32")
    for width in (-1, 4):
        graph.op("RaggedTensorToTensor", graph.const(np.array([-1, width]), name=f"sizes{width}"),
                 "found", graph.const(np.int64(0), name=f"zero{width}"), "count", "rows",
                 name=f"y{width}", T="dt:int64", Tindex="dt:int64", Tshape="dt:int64",
                 num_row_partition_tensors=2, row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"])
    wanted = np.zeros((3, 8), np.int64)
    for row, text in zip(wanted, x):
        for i, word in enumerate(re.sub("[!,]", "", text.decode().lower()).split()):
            row[i] = vocabulary.index(word) + 2 if word in vocabulary else 1
    save("text_vectorization", graph, {"x": x.astype("S")}, ["y-1", "y4"], [wanted, wanted[:, :4]],
         oracle=False, onnx=False)


def make_ragged():
    values, filler = f32(6, 2), np.float32(-1)
    rows = [values[:3], values[:0], values[3:4], values[4:]]

    def padded(count, width):
        result = np.full((count, width, 2), filler, np.float32)
        for i, row in enumerate(rows[:count]):
            result[i, :len(row)] = row[:width]
        return result
    splits = (np.array([0, 3, 3, 4, 6]),)
    for name, sizes, wanted in (("free", [-1, -1, 2], padded(4, 3)), ("less", [3, 2, 2], padded(3, 2)),
                                ("more", [5, 4, 2], padded(5, 4))):
        case(f"ragged_to_tensor_{name}", "RaggedTensorToTensor",
             [(np.array(sizes),), values, (filler,), splits[0]], oracle=False, reference=[wanted],
             Tindex="dt:int64", Tshape="dt:int64", num_row_partition_tensors=1,
             row_partition_types=["ROW_SPLITS"], **FLOAT)
    # Rows of rows: [[0, 1], []], [[2, 3, 4]]
    x = np.arange(5, dtype=np.float32)
    deep = np.array([[[0, 1, 9], [9, 9, 9]], [[2, 3, 4], [9, 9, 9]]], np.float32)
    case("ragged_to_tensor_deep", "RaggedTensorToTensor",
         [(np.array(-1),), x, (np.float32(9),), np.array([0, 2, 3]), np.array([0, 2, 2, 5])],
         oracle=False, reference=[deep], Tindex="dt:int64", Tshape="dt:int64",
         num_row_partition_tensors=2, row_partition_types=["ROW_SPLITS", "ROW_SPLITS"], **FLOAT)
    starts, limits, deltas = i32(2, 5, 8), i32(7, 5, 1), i32(2, 1, -3)
    parts = [np.arange(*row) for row in zip(starts, limits, deltas)]
    case("ragged_range", "RaggedRange", [starts, limits, deltas], 2, oracle=False, reference=[
        np.cumsum([0] + [len(part) for part in parts]), np.concatenate(parts).astype(np.int32)],
        T="dt:int32", Tsplits="dt:int64")


def make_audio():
    sound = DRAW.normal(size=(400, 2)).astype(np.float32)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(100) / 100)
    frames = np.stack([sound[i:i + 100].T * window for i in range(0, 301, 60)], 1)
    power = np.abs(np.fft.rfft(frames, 128)) ** 2
    for squared in (True, False):
        case(f"audio_spectrogram_{squared}", "AudioSpectrogram", [sound], oracle=False,
             reference=[(power if squared else np.sqrt(power)).astype(np.float32)], window_size=100,
             stride=60, magnitude_squared=squared)
    spectrogram = power.astype(np.float32)
    rate = np.array(8000, np.int32)
    for name, told in (("mfcc", (rate,)), ("mfcc_run_time", rate)):
        case(name, "Mfcc", [spectrogram, told], oracle=False,
             reference=[mfcc(spectrogram, 8000, 20, 4000, 20, 10)], upper_frequency_limit=4000.0,
             lower_frequency_limit=20.0, filterbank_channel_count=20, dct_coefficient_count=10)


def mfcc(power, rate, low, high, channels, coefficients):
    """By the definition: shares of each bin by its distance from the centres on the mel scale."""
    def mel(hertz):
        return 1127 * np.log1p(hertz / 700)
    centres = np.linspace(mel(low), mel(high), channels + 2)
    bins = power.shape[-1]
    hertz = np.arange(bins) * rate / 2 / (bins - 1)
    counted = (np.arange(bins) >= int(1.5 + low * 2 * (bins - 1) / rate)) & (hertz <= high)
    position = np.interp(mel(hertz), centres, np.arange(channels + 2))
    weights = np.clip(1 - np.abs(position[:, None] - np.arange(1, channels + 1)), 0, 1)
    energy = np.sqrt(power.astype(np.float64)) @ (weights * counted[:, None])
    logs = np.log(np.maximum(energy, 1e-12))
    turns = np.outer(np.arange(channels) + 0.5, np.arange(coefficients)) * np.pi / channels
    return (logs @ (np.sqrt(2 / channels) * np.cos(turns))).astype(np.float32)


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


def make_linalg():
    a = f32(2, 3, 3) + 3 * np.eye(3, dtype=np.float32)
    b = f32(2, 3, 2)
    definite = (a @ a.swapaxes(1, 2)).astype(np.float32)
    case("matrix_determinant", "MatrixDeterminant", [a], oracle=False, reference=[np.linalg.det(a)],
         **FLOAT)
    case("matrix_inverse", "MatrixInverse", [a], oracle=False, reference=[np.linalg.inv(a)], **FLOAT)
    case("matrix_solve_adjoint", "MatrixSolve", [a, b], oracle=False,
         reference=[np.linalg.solve(a.swapaxes(1, 2), b)], adjoint=True, **FLOAT)
    case("cholesky", "Cholesky", [definite], oracle=False, reference=[np.linalg.cholesky(definite)],
         **FLOAT)
    for lower in (False, True):
        half = np.tril(a) if lower else np.triu(a)
        case(f"matrix_triangular_solve_{lower}", "MatrixTriangularSolve", [a, b], oracle=False,
             reference=[np.linalg.solve(half, b)], lower=lower, **FLOAT)


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


if __name__ == "__main__":
    make_images()
    make_spectra()
    make_segments()
    make_sparse()
    make_boxes()
    make_quantized()
    make_layouts()
    make_products()
    make_tables()
    make_dilated()
    make_block_lstm()
    DRAW = np.random.default_rng(19)
    make_text()
    make_vectorization()
    make_ragged()
    make_audio()
    make_gradients()
    make_linalg()
    make_activations()
    make_growing_array()
