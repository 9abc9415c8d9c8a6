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


def save(name, graph, feeds, fetches, reference=None, oracle=True):
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
    (folder / "meta.json").write_text(json.dumps(
        {"inputs": list(feeds), "fetches": fetches, "golden": "+".join(golden)}) + "\n")


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
