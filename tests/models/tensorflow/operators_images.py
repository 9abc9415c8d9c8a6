# SPDX-License-Identifier: Apache-2.0
"""Images: crops, pools, patches, colours, boxes, layouts."""

import numpy as np

from operator_cases import DRAW, FLOAT, G, case, f32, i32, save


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


def soft_suppression(boxes, scores, most, least, sigma):
    """Numbers and scores of the boxes that are kept, the best first: the scores of the others fade,
    however much they overlap."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    area = (high - low).prod(1)
    left = {i: float(score) for i, score in enumerate(scores) if score > least}
    kept = []
    while left and len(kept) < most:
        best = max(left, key=left.get)
        kept.append((best, left.pop(best)))
        for i in list(left):
            sides = np.minimum(high[i], high[best]) - np.maximum(low[i], low[best])
            shared = np.maximum(sides, 0).prod()
            part = shared / (area[i] + area[best] - shared)
            left[i] *= np.exp(-part ** 2 / 2 / sigma)
            if left[i] <= least:
                del left[i]
    return kept


def make_suppression():
    corner = DRAW.uniform(size=(14, 2)).astype(np.float32)
    boxes = np.concatenate([corner, corner + 0.5], 1).astype(np.float32)
    scores = DRAW.uniform(size=14).astype(np.float32)
    for sigma, overlap, padded in ((0.5, 1.0, False), (0.1, 0.4, True)):
        kept = soft_suppression(boxes, scores, 9, 0.1, sigma)
        rows = kept + [(0, 0)] * (9 - len(kept)) * padded
        case(f"soft_nms_{sigma}", "NonMaxSuppressionV5",
             [boxes, scores, (np.int32(9),), (np.float32(overlap),), (np.float32(0.1),), (np.float32(sigma),)],
             3, oracle=False, pad_to_max_output_size=padded, T="dt:float", T_threshold="dt:float",
             reference=[np.array([row[0] for row in rows], np.int32),
                        np.array([row[1] for row in rows], np.float32), np.int32(len(kept))])
    table = DRAW.uniform(size=(9, 9)).astype(np.float32)
    kept = []
    for number in np.argsort(-scores[:9], kind="stable"):
        hit = any(table[number, other] > 0.6 for other in kept)
        if scores[number] > 0.2 and not hit and len(kept) < 4:
            kept.append(number)
    case("nms_with_overlaps", "NonMaxSuppressionWithOverlaps",
         [table, scores[:9], (np.int32(4),), (np.float32(0.6),), (np.float32(0.2),)], oracle=False,
         reference=[np.array(kept, np.int32)])


def make_layouts():
    case("data_format_dim_map", "DataFormatDimMap", [i32(0, 1, 2, 3, -1)], oracle=False,
         reference=[i32(0, 2, 3, 1, 1)], T="dt:int32")
    case("data_format_vec_permute", "DataFormatVecPermute", [i32(7, 4, 9, 3)], oracle=False,
         reference=[i32(7, 3, 4, 9)], T="dt:int32")


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


def make_projective():
    """TensorFlow.js leaves all images but the first as they were made, so that it judges one."""
    image = f32(2, 5, 6, 2)
    turn = np.array([[0.9, -0.3, 1.2, 0.25, 0.8, -0.6, 0.01, -0.02],
                     [1.7, 0.1, -4.3, 0.2, -1.4, 6.1, 0, 0]], np.float32)
    for mode in ("CONSTANT", "REFLECT", "WRAP", "NEAREST"):
        for i, interpolation in enumerate(("NEAREST", "BILINEAR")):
            case(f"projective_{mode.lower()}_{interpolation.lower()}", "ImageProjectiveTransformV3",
                 [image[i:i + 1], turn[i:i + 1], (i32(4, 7),), (np.float32(0.5),)], dtype="dt:float",
                 fill_mode=mode, interpolation=interpolation)
    for count in (1, 2):
        case(f"projective_by_{count}", "ImageProjectiveTransformV2", [image, (turn[:count],), (i32(3, 3),)],
             oracle=False, reference=[projected(image, turn[:count], 3, 3)], dtype="dt:float",
             interpolation="BILINEAR")


def projected(image, transforms, height, width):
    """Bilinear, with zeros beyond the border."""
    result = np.zeros((len(image), height, width, image.shape[3]), np.float32)
    for number, y, x in np.ndindex(len(image), height, width):
        a = transforms[number % len(transforms)].astype(np.float64)
        scale = a[6] * x + a[7] * y + 1
        at = np.array([a[3] * x + a[4] * y + a[5], a[0] * x + a[1] * y + a[2]]) / scale
        first = np.floor(at).astype(int)
        for step in np.ndindex(2, 2):
            place = first + step
            if (place >= 0).all() and (place < image.shape[1:3]).all():
                share = np.prod(1 - np.abs(at - place))
                result[number, y, x] += share * image[number, place[0], place[1]]
    return result


def cubic_shares(n, m, corners, middles):
    """Shares of n pixels in each of m; offsets are rounded to steps of 1/1024."""
    a = -0.5 if middles else -0.75
    scale = np.float32((n - 1) / (m - 1) if corners else n / m)

    def weight(x):
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        return near if x <= 1 else ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    shares = np.zeros((m, n))
    for i in range(m):
        at = np.float32((np.float32(i + 0.5) * scale - np.float32(0.5)) if middles
                        else np.float32(i) * scale)
        first = int(np.floor(at))
        step = np.round((at - np.float32(first)) * 1024) / 1024
        for k, distance in ((-1, 1 + step), (0, step), (1, 1 - step), (2, 2 - step)):
            place = first + k
            if middles and not 0 <= place < n:
                continue
            shares[i, min(max(place, 0), n - 1)] += weight(distance)
        if middles:
            shares[i] /= shares[i].sum()
    return shares


def make_bicubic():
    image = f32(1, 5, 6, 2)
    for name, corners, middles in (("plain", False, False), ("corners", True, False),
                                   ("middles", False, True)):
        for size in ((7, 11), (3, 4), (10, 12)):
            rows = cubic_shares(5, size[0], corners, middles)
            columns = cubic_shares(6, size[1], corners, middles)
            case(f"bicubic_{name}_{size[0]}", "ResizeBicubic", [image, (i32(*size),)], oracle=False,
                 reference=[np.einsum("yh,bhwc,xw->byxc", rows, image, columns).astype(np.float32)],
                 align_corners=corners, half_pixel_centers=middles, **FLOAT)
