#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators of Relay beyond the common ones, by NumPy formulas of what TVM computes.

Each test lists calls and what they give. All calls of a test are functions of one module, which is
run once.
"""

import unittest

import numpy as np

from relay_case import CallsCase, RelayCase, draw, tensor
from tvm_arrays import metadata

random = np.random.default_rng(12)


def integers(low, high, *sizes, dtype=np.int32):
    return random.integers(low, high, sizes).astype(dtype)


class Order(CallsCase):
    def test_sorted_lists(self):
        x, edges = draw(2, 3, 4), np.sort(draw(6))
        self.gives("searchsorted(%e, %x)", np.searchsorted(edges, x).astype(np.int32), e=edges, x=x)
        self.gives('searchsorted(%e, %e, right=True, dtype="int64")',
                   np.searchsorted(edges, edges, side="right"), e=edges)
        self.gives("sort(%x, axis=1, is_ascend=False)", -np.sort(-x, 1), x=x)
        self.gives('%0 = topk(%x, k=2, is_ascend=True, dtype="int64");\n%0', np.sort(x)[..., :2],
                   x.argsort()[..., :2], x=x)
        self.gives('topk(%x, k=3, axis=1, ret_type="indices")',
                   (-x).argsort(1).astype(np.int32), x=x)
        self.check()

    def test_unique_elements_are_filled_to_the_length_of_the_operand(self):
        x = np.array([3, 1, 3, 2, 1], np.int32)
        self.gives("unique(%x, return_counts=True)", np.array([1, 2, 3, 0, 0], np.int32),
                   np.array([1, 3, 0, 0, 0], np.int32), np.array([2, 0, 2, 1, 0], np.int32),
                   np.array([3], np.int32), np.array([2, 1, 2, 0, 0], np.int32), x=x)
        self.check()

    def test_places(self):
        x, y = draw(2, 3, 4), np.array([[1, 3, 3], [2, 2, 0]], np.float32)
        joined = x.transpose(1, 0, 2).reshape(3, 8).argmax(1).astype(np.int32)
        self.gives("argmax(%x, axis=[1], exclude=True, keepdims=True)", joined.reshape(1, 3, 1), x=x)
        self.gives("argmax(%x, axis=[0, 2])", joined, x=x)
        self.gives("argmax(%y, axis=[1], select_last_index=True)", np.array([2, 1], np.int32), y=y)
        places = np.array([2, 0, 3, 1], np.int32)
        self.gives("invert_permutation(%p)", np.argsort(places).astype(np.int32), p=places)
        self.check()

    def test_products_so_far(self):
        x = draw(2, 3, 4)
        self.gives("cumprod(%x, axis=2)", x.cumprod(2), x=x)
        self.gives("cumprod(%x, axis=0, exclusive=True)",
                   np.concatenate([np.ones_like(x[:1]), x[:1]]), x=x)
        self.check()


class Blocks(CallsCase):
    def test_space_and_batch(self):
        x, y = draw(1, 4, 6, 2), draw(4, 2, 3, 2)
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (0, 0)), constant_values=5)
        self.gives("nn.space_to_batch_nd(%x, block_shape=[2, 2], paddings=[[0, 0], [1, 1]], "
                   "pad_value=5f)",
                   padded.reshape(1, 2, 2, 4, 2, 2).transpose(2, 4, 0, 1, 3, 5).reshape(4, 2, 4, 2),
                   x=x)
        image = y.reshape(2, 2, 1, 2, 3, 2).transpose(2, 3, 0, 4, 1, 5).reshape(1, 4, 6, 2)
        self.gives("nn.batch_to_space_nd(%y, block_shape=[2, 2], crops=[[1, 0], [0, 2]])",
                   image[:, 1:, :4], y=y)
        self.check()

    def test_gaps_windows_and_buffers(self):
        x, y, z = draw(3, 3), draw(2, 12), draw(2, 5, 6)
        apart = np.full((3, 7), 9, np.float32)
        apart[:, ::3] = x
        self.gives("nn.dilate(%x, strides=[1, 3], dilation_value=9f)", apart, x=x)
        self.gives("sliding_window(%y, axis=1, window_shape=[4], strides=[2])",
                   np.stack([y[:, 2 * i:2 * i + 4] for i in range(5)], 1), y=y)
        self.gives("sliding_window(%z, axis=1, window_shape=[2, 3], strides=[1, 2])",
                   np.stack([np.stack([z[:, i:i + 2, j:j + 3] for j in (0, 2)], 1)
                             for i in range(4)], 1), z=z)
        buffer, new = draw(1, 5, 2), draw(1, 2, 2)
        self.gives("nn.fifo_buffer(%n, %b, axis=1)", np.concatenate([buffer[:, 2:], new], 1), n=new,
                   b=buffer)
        self.check()


class Indexing(CallsCase):
    def test_indices_of_leading_axes(self):
        x = draw(4, 8, 3)
        i, j = np.array([[0], [2]], np.int32), np.array([1, 4, 7], np.int32)
        self.gives("adv_index((%x, %i, %j))", x[i, j], x=x, i=i, j=j)
        of_rows, of_columns = integers(0, 8, 4, 5), integers(0, 3, 4, 5)
        self.gives("take(%x, %i, batch_dims=1, axis=1)",
                   np.stack([x[k][of_rows[k]] for k in range(4)]), x=x, i=of_rows)
        self.gives("take(%x, %i, batch_dims=1, axis=2)",
                   np.stack([x[k][:, of_columns[k]] for k in range(4)]), x=x, i=of_columns)
        one = integers(0, 8, 1, 4)
        self.gives("gather_nd(%x, %i, batch_dims=1)",
                   np.stack([x[k][one[0, k]] for k in range(4)]), x=x, i=one)
        flat = np.array([5, 17, 23], np.int64)
        self.gives('unravel_index(%f, cast(shape_of(%y, dtype="int64"), dtype="int64"))',
                   np.stack(np.unravel_index(flat, (2, 3, 4))).astype(np.int64), f=flat,
                   y=draw(2, 3, 4))
        self.gives('%0 = meshgrid((%a, %b), indexing="xy");\n%0',
                   *np.meshgrid(x[0, :, 0], x[:, 0, 0]), a=x[0, :, 0], b=x[:, 0, 0])
        self.check()

    def test_diagonals(self):
        x, one, three = draw(4, 5), draw(4), draw(3, 4)
        expected = x.copy()
        np.fill_diagonal(expected[:, :4], one)
        self.gives("matrix_set_diag(%x, %d)", expected, x=x, d=one)
        expected = x.copy()
        for k in (-1, 0, 1):
            length = min(5 - max(k, 0), 4 + min(k, 0))
            # Diagonals above the main one lie at the right, those below it at the left.
            offset = 4 - length if k >= 0 else 0
            for i in range(length):
                expected[i - min(k, 0), i + max(k, 0)] = three[1 - k, i + offset]
        self.gives("matrix_set_diag(%x, %d, k1=-1, k2=1)", expected, x=x, d=three)
        self.check()

    def test_sparse_products_and_sums(self):
        matrix = draw(4, 6) * (random.uniform(0, 1, (4, 6)) < 0.4)
        values = matrix[matrix != 0]
        columns = np.nonzero(matrix)[1].astype(np.int32)
        begins = np.append(0, (matrix != 0).sum(1).cumsum()).astype(np.int32)
        rows, other = draw(3, 6), draw(4, 6)
        self.gives("nn.sparse_dense(%x, %v, %i, %p)", rows @ matrix.T, x=rows, v=values, i=columns,
                   p=begins)
        self.gives("nn.sparse_dense(%v, %i, %p, %x, sparse_lhs=True)", matrix @ rows.T, v=values,
                   i=columns, p=begins, x=rows)
        self.gives("nn.sparse_add(%x, %v, %i, %p)", other + matrix, x=other, v=values, i=columns,
                   p=begins)
        blocks = draw(3, 2, 3)
        whole = np.zeros((4, 6), np.float32)
        whole[:2, 3:], whole[2:, :3], whole[2:, 3:] = blocks
        self.gives("nn.sparse_dense(%x, %v, %i, %p)", rows @ whole.T, x=rows, v=blocks,
                   i=np.array([1, 0, 1], np.int32), p=np.array([0, 1, 3], np.int32))
        rows, square = np.nonzero(matrix[:, :4])[::-1], matrix[:, :4].T
        count = np.append(0, (matrix[:, :4] != 0).sum(1).cumsum()).astype(np.int32)
        values = matrix[:, :4][matrix[:, :4] != 0]
        self.gives("nn.sparse_transpose(%v, %i, %p)", square[square != 0],
                   np.nonzero(square)[1].astype(np.int32),
                   np.append(0, (square != 0).sum(1).cumsum()).astype(np.int32), v=values,
                   i=rows[0].astype(np.int32), p=count)
        self.check()

    def test_rows_without_values_get_one(self):
        shape, given = np.array([6, 9]), np.array([7], np.int64)
        places = np.array([[0, 1], [0, 3], [3, 4], [4, 0]])
        filled = np.array([[0, 1], [0, 3], [1, 0], [2, 0], [3, 4], [4, 0], [5, 0]])
        self.gives("sparse_fill_empty_rows(%i, %v, %s, %d)", filled,
                   np.array([1, 2, 7, 7, 3, 4, 7]), np.array([0, 1, 1, 0, 0, 1]), i=places,
                   v=np.array([1, 2, 3, 4]), s=shape, d=given)
        self.gives("sparse_fill_empty_rows(%i, %v, %s, %d)", np.stack([np.arange(6), [0] * 6], 1),
                   np.array([7] * 6), np.array([1] * 6), i=places[:0], v=np.zeros(0, np.int64),
                   s=shape, d=given)
        self.check()

    def test_places_in_another_shape(self):
        places = np.array([[0, 0, 1], [1, 2, 3], [0, 2, 0]])
        flat = places @ [12, 4, 1]
        constants = metadata([np.array([2, 3, 4]), np.array([6, -1])])
        model = self.write(f"def @main(%i: {tensor(places)}) {{\n  sparse_reshape(%i, "
                           "meta[relay.Constant][0], meta[relay.Constant][1])\n}\n" + constants)
        expected = [np.stack([flat // 4, flat % 4], 1), np.array([6, 4])]
        self.agrees(model, expected, i=places)

    def test_sparse(self):
        places, values = np.array([[0, 2], [2, 0]], np.int32), np.array([5, 6], np.float32)
        expected = np.zeros((3, 4), np.float32)
        expected[0, 2], expected[2, 0] = values
        self.gives("sparse_to_dense(%p, %v, 0f, output_shape=[3, 4])", expected, p=places, v=values)
        self.check()


class Losses(CallsCase):
    def test_losses(self):
        x, target, weight = draw(3, 4), np.array([1, 0, 3], np.int32), np.abs(draw(4))
        loss = -x[np.arange(3), target] * weight[target]
        self.gives('nn.nll_loss(%x, %t, %w, reduction="mean", ignore_index=-100)',
                   loss.sum() / weight[target].sum(), x=x, t=target, w=weight)
        self.gives('nn.nll_loss(%x, %t, %w, reduction="sum", ignore_index=0)', loss[[0, 2]].sum(),
                   x=x, t=target, w=weight)
        self.gives('nn.nll_loss(%x, %t, %w, reduction="none", ignore_index=-100)', loss, x=x,
                   t=target, w=weight)
        self.gives("nn.cross_entropy(%p, %x)", np.float32(-(np.log(weight) * x).sum() / 3), x=x,
                   p=np.tile(weight, (3, 1)))
        self.gives("nn.cross_entropy_with_logits(%x, %y)", np.float32(-(x * x).sum() / 3), x=x, y=x)
        self.check()


def pooled(x, window, strides, pads, mean=False, ceil=False):
    """Pads are top, left, bottom, right; means count what lies in the image."""
    sizes = []
    for axis in range(2):
        room = x.shape[axis + 2] + pads[axis] + pads[axis + 2] - window[axis]
        sizes.append((-(-room // strides[axis]) if ceil else room // strides[axis]) + 1)
    y = np.zeros(x.shape[:2] + tuple(sizes), x.dtype)
    for i, j in np.ndindex(*sizes):
        top, left = i * strides[0] - pads[0], j * strides[1] - pads[1]
        part = x[:, :, max(top, 0):top + window[0], max(left, 0):left + window[1]]
        if mean and x.dtype != np.float32:
            y[:, :, i, j] = np.trunc(part.sum((2, 3)) / part[0, 0].size)
        else:
            y[:, :, i, j] = part.mean((2, 3)) if mean else part.max((2, 3))
    return y


def moved_windows(x, moves, weight, stride, pads, dilations, fields):
    """Convolution whose taps read where `moves` puts them, between elements; what lies beyond the
    image counts as zero, and so does a tap that lies there."""
    height, width = x.shape[2:]
    out = np.zeros((len(x), len(weight), *moves.shape[2:]), np.float32)
    taps = list(np.ndindex(weight.shape[2:]))
    for n, c, tap, i, j in np.ndindex(len(x), x.shape[1], len(taps), *moves.shape[2:]):
        field = c // (x.shape[1] // fields) * len(taps) + tap
        y = i * stride - pads[0] + taps[tap][0] * dilations[0] + moves[n, 2 * field, i, j]
        z = j * stride - pads[1] + taps[tap][1] * dilations[1] + moves[n, 2 * field + 1, i, j]
        if not (0 <= y < height and 0 <= z < width):
            continue
        row, column = int(y), int(z)
        value = 0
        for r, q in np.ndindex(2, 2):
            if row + r < height and column + q < width:
                part = (y - row if r else 1 - y + row) * (z - column if q else 1 - z + column)
                value += part * x[n, c, row + r, column + q]
        out[n, :, i, j] += weight[:, c, taps[tap][0], taps[tap][1]] * value
    return out


def correlation(a, b, window, most, stride, step, pad, multiplies):
    """For each displacement of b the mean of products or differences over a window."""
    a, b = (np.pad(image, ((0, 0), (0, 0), (pad, pad), (pad, pad))) for image in (a, b))
    border, radius = most + window // 2, most // step
    rows, columns = (-(-(size - 2 * border) // stride) for size in a.shape[2:])
    shifts = [step * shift for shift in range(-radius, radius + 1)]
    out = np.zeros((len(a), len(shifts) ** 2, rows, columns), np.float32)
    for place, i, j in np.ndindex(out.shape[1:]):
        down, right = shifts[place // len(shifts)], shifts[place % len(shifts)]
        y, x = i * stride + most, j * stride + most
        p = a[:, :, y:y + window, x:x + window]
        q = b[:, :, y + down:y + down + window, x + right:x + right + window]
        out[:, place, i, j] = (p * q if multiplies else abs(p - q)).mean((1, 2, 3))
    return out


class Images(CallsCase):
    def test_pools(self):
        x, whole = draw(1, 2, 7, 9), integers(-99, 99, 1, 2, 5, 5)
        self.gives("nn.max_pool2d(%x, pool_size=[2, 2], strides=[2, 2], ceil_mode=True)",
                   pooled(x, (2, 2), (2, 2), (0, 0, 0, 0), ceil=True), x=x)
        self.gives("nn.avg_pool2d(%x, pool_size=[3, 3], strides=[3, 2], padding=[0, 0, 0, 0], "
                   "ceil_mode=True)", pooled(x, (3, 3), (3, 2), (0, 0, 0, 0), True, True), x=x)
        self.gives("nn.avg_pool2d(%w, pool_size=[2, 2], strides=[1, 1])",
                   pooled(whole, (2, 2), (1, 1), (0, 0, 0, 0), True), w=whole)
        self.check()

    def test_crops(self):
        image, chosen = draw(2, 3, 5, 6), np.array([0, 1, 0], np.int32)
        boxes = np.array([[.1, .2, .8, .9], [-.2, 0, .5, 1.1], [.9, .1, .3, .6]], np.float32)

        def cropped(height, width, outside):
            y = np.full((3, 3, height, width), outside, np.float32)
            for box, i, j in np.ndindex(3, height, width):
                ends, places = boxes[box], []
                for at, count, size, first, last in ((i, height, 5, ends[0], ends[2]),
                                                     (j, width, 6, ends[1], ends[3])):
                    step = (last - first) * (size - 1) / (count - 1) if count > 1 else 0
                    begin = first * (size - 1) if count > 1 else (first + last) / 2 * (size - 1)
                    places.append((begin + at * step, size))
                if any(place < 0 or place > size - 1 for place, size in places):
                    continue
                (row, _), (column, _) = places
                top, left = int(row), int(column)
                part = image[chosen[box]][:, top:top + 2, left:left + 2]
                part = np.pad(part, ((0, 0), (0, 2 - part.shape[1]), (0, 2 - part.shape[2])), "edge")
                across = part[..., 0] * (1 - column + left) + part[..., 1] * (column - left)
                y[box, :, i, j] = across[:, 0] * (1 - row + top) + across[:, 1] * (row - top)
            return y

        self.gives("image.crop_and_resize(%x, %b, %i, crop_size=[3, 4], extrapolation_value=7f)",
                   cropped(3, 4, 7), x=image, b=boxes, i=chosen)
        self.gives('image.crop_and_resize(%x, %b, %i, crop_size=[1, 2], layout="NHWC")',
                   cropped(1, 2, 0).transpose(0, 2, 3, 1), x=image.transpose(0, 2, 3, 1), b=boxes,
                   i=chosen)
        self.check(atol=1e-4)

    def test_windows_that_are_moved(self):
        for fields, layout, strides, pads in ((1, "NCHW", 1, [1, 1]), (2, "NCHW", 2, [0, 1, 2, 1]),
                                              (1, "NHWC", 1, [1, 0])):
            x, weight = draw(2, 4, 6, 7), draw(3, 4, 3, 2)
            top, left, bottom, right = pads if len(pads) == 4 else pads * 2
            height = (6 + top + bottom - 2 * 2 - 1) // strides + 1
            width = (7 + left + right - 1 - 1) // strides + 1
            moves = draw(2, 2 * fields * 6, height, width) * 2
            expected = moved_windows(x, moves, weight, strides, (top, left), (2, 1), fields)
            kernel = "OIHW"
            if layout == "NHWC":
                kernel = "HWIO"
                weight = weight.transpose(2, 3, 1, 0)
                x, moves, expected = (array.transpose(0, 2, 3, 1) for array in (x, moves, expected))
            self.gives("nn.deformable_conv2d(%x, %o, %w, strides=[{0}, {0}], padding={1}, "
                       "dilation=[2, 1], deformable_groups={2}, channels=3, kernel_size=[3, 2], "
                       'data_layout="{3}", kernel_layout="{4}")'.format(strides, pads, fields,
                                                                        layout, kernel),
                       expected, x=np.ascontiguousarray(x), o=np.ascontiguousarray(moves),
                       w=np.ascontiguousarray(weight))
        self.check()

    def test_how_alike_displaced_images_are(self):
        for window, most, stride, step, multiplies in ((1, 1, 1, 1, True), (3, 2, 2, 2, True),
                                                       (1, 3, 2, 2, False)):
            a, b = draw(2, 3, 8, 9), draw(2, 3, 8, 9)
            self.gives(f"nn.correlation(%a, %b, kernel_size={window}, max_displacement={most}, "
                       f"stride1={stride}, stride2={step}, padding=[2, 2], "
                       f"is_multiply={multiplies})",
                       correlation(a, b, window, most, stride, step, 2, multiplies), a=a, b=b)
        self.check()

    def test_grids_and_dilations(self):
        theta, x, kernel = draw(2, 2, 3), draw(2, 3, 5, 6), draw(3, 2, 3)
        rows, columns = np.meshgrid(np.linspace(-1, 1, 3), np.linspace(-1, 1, 4), indexing="ij")
        points = np.stack([columns, rows, np.ones_like(rows)])
        self.gives("image.affine_grid(%t, target_shape=[3, 4])",
                   np.einsum("nij,jhw->nihw", theta, points).astype(np.float32), t=theta)
        padded = np.pad(x, ((0, 0), (0, 0), (1, 0), (0, 1)))
        taps = [padded[:, :, i:i + 5:2, 2 * j:2 * j + 3] + kernel[:, i, j, None, None]
                for i, j in np.ndindex(2, 3)]
        self.gives("image.dilation2d(%x, %k, strides=[2, 1], padding=[1, 0, 0, 1], "
                   "dilations=[1, 2])", np.max(taps, 0), x=x, k=kernel)
        self.check()

    def test_resizing_as_versions_before_0_8_spell_it(self):
        x = draw(1, 1, 4, 5)
        rows = np.linspace(0, 3, 7)
        low = np.minimum(rows.astype(int), 2)
        part = (rows - low)[:, None].astype(np.float32)
        expected = x[:, :, low] * (1 - part) + x[:, :, low + 1] * part
        self.gives('image.resize(%x, size=[7, 5], method="bilinear", align_corners=True)', expected,
                   x=x)
        scales = np.array(2, np.float32), np.array(3, np.float32)
        self.gives("dyn.nn.upsampling(%x, %h, %w)", x.repeat(2, 2).repeat(3, 3), x=x, h=scales[0],
                   w=scales[1])
        self.check()


def rescaled(x, quotient):
    """x · quotient by 31 bits and a shift, halves up."""
    fraction, shift = np.frexp(quotient)
    product = x.astype(np.int64) * (int(fraction * 2**31 + 0.5) << max(int(shift), 0))
    behind = 31 + max(-int(shift), 0)
    return (product + (1 << (behind - 1))) >> behind


class Quantised(CallsCase):
    def test_products(self):
        a, b = integers(-128, 127, 2, 3, 4, dtype=np.int8), integers(-128, 127, 2, 5, 4,
                                                                     dtype=np.int8)
        self.gives('qnn.batch_matmul(%a, %b, 3, -2, 0.1f, 0.2f, out_dtype="int32", '
                   "transpose_b=True)",
                   (a.astype(np.int32) - 3) @ (b.astype(np.int32) + 2).transpose(0, 2, 1), a=a, b=b)
        x, w = integers(0, 255, 1, 2, 3, 3, dtype=np.uint8), integers(-127, 127, 2, 3, 2, 2,
                                                                      dtype=np.int8)
        y = np.zeros((1, 3, 6, 6), np.int32)
        for i, j in np.ndindex(3, 3):
            y[:, :, 2 * i:2 * i + 2, 2 * j:2 * j + 2] += np.einsum(
                "nc,cohw->nohw", x[:, :, i, j].astype(np.int32) - 10, w.astype(np.int32))
        self.gives('qnn.conv2d_transpose(%x, %w, 10, 0, 0.1f, 0.2f, channels=3, kernel_size=[2, 2], '
                   'strides=[2, 2], padding=[0, 0, 0, 0], out_dtype="int32")', y, x=x, w=w)
        self.check()

    def test_pools_are_of_integers(self):
        x = integers(0, 255, 1, 3, 5, 5, dtype=np.uint8)
        window = ((2, 2), (1, 1), (0, 0, 0, 0))
        self.gives("qnn.avg_pool2d(%x, 0.1f, 3, 0.1f, 3, pool_size=[2, 2], strides=[1, 1])",
                   pooled(x.astype(np.int32), *window, True).astype(np.uint8), x=x)
        other = rescaled(x.astype(np.int64) - 3, float(np.float32(.1)) / float(np.float32(.3))) + 7
        self.gives("qnn.avg_pool2d(%x, 0.1f, 3, 0.3f, 7, pool_size=[2, 2], strides=[1, 1])",
                   pooled(np.clip(other, 0, 255).astype(np.int32), *window, True).astype(np.uint8),
                   x=x)
        self.check()

    def test_softmax_is_made_of_shifts(self):
        x = integers(-128, 127, 3, 6, dtype=np.int8)
        below = x.astype(np.int64) - x.max(-1, keepdims=True)
        power = below + (below >> 1) - (below >> 4)
        whole = -power // 10
        line = ((power + whole * 10) >> 1) + 10
        exponentials = np.floor(line * 2.0**(8 - whole)).astype(np.int64)
        parts = (1 << 30) // exponentials.sum(-1, keepdims=True) * exponentials >> 23
        self.gives("qnn.softmax(%x, 0.1f, 3, 0.0078125f, -128)",
                   np.clip(parts - 128, -128, 127).astype(np.int8), x=x)
        self.check()

    def test_multiplication_by_fixed_point(self):
        x = np.array([-1000, 7, -3, 99999], np.int32)
        self.gives("fixed_point_multiply(%x, multiplier=1288490189, shift=-2)",
                   ((x.astype(np.int64) * 1288490189 + (1 << 32)) >> 33).astype(np.int32), x=x)
        self.check()


class Spectra(CallsCase):
    def test_fourier_transforms(self):
        re, im, x, window = draw(2, 6), draw(2, 6), draw(2, 20), np.hanning(8).astype(np.float32)
        for inverse, transform in ((False, np.fft.fft), (True, np.fft.ifft)):
            y = transform(re + 1j * im)
            self.gives(f"dft(%r, %i, inverse={inverse})", y.real.astype(np.float32),
                       y.imag.astype(np.float32), r=re, i=im)
        frames = np.stack([x[:, 4 * k:4 * k + 8] * window for k in range(4)], 1)
        spectra = np.fft.rfft(frames).transpose(0, 2, 1)
        self.gives("stft(%x, %w, n_fft=8, hop_length=4, win_length=8)",
                   np.stack([spectra.real, spectra.imag], -1).astype(np.float32), x=x, w=window)
        self.check(atol=1e-4)


class KnownAtRunTime(CallsCase):
    """Axes and bounds that are operands."""

    def test_axes_and_bounds(self):
        x, one = draw(3, 4), np.array([1], np.int64)
        self.gives("dyn.squeeze(%x, %a)", x, x=x[:, None], a=one)
        self.gives("dyn.expand_dims(%x, %a, axis=0)", x[:, None], x=x, a=one)
        self.gives("dyn.expand_dims(%x, %a, axis=0, num_newaxis=2)", x[:, :, None, None], x=x,
                   a=np.array(-1, np.int64))
        self.gives('dyn.strided_slice(%x, %b, %e, %s, slice_mode="size")', x[1:3, 2:], x=x,
                   b=np.array([1, -2], np.int64), e=np.array([2, -1], np.int64),
                   s=np.array([1, 1], np.int64))
        y, v = draw(4, 5), draw(2, 2)
        expected = y.copy()
        expected[1:3, 0:4:2] = v
        self.gives("strided_set(%y, %v, %b, %e, %s)", expected, y=y, v=v,
                   b=np.array([1, 0], np.int32), e=np.array([3, 4], np.int32),
                   s=np.array([1, 2], np.int32))
        self.check()


class Random(RelayCase):
    def test_draws_have_the_shape_and_the_range_that_is_stated(self):
        key = np.arange(10, dtype=np.uint64)
        model = self.write(f"""def @main(%k: {tensor(key)}) {{
  %0 = random.threefry_split(%k);
  %1 = %0.0;
  %2 = random.uniform(%1, 2f, 5f, out_shape=[1000], out_dtype="float32");
  %3 = %0.1;
  %4 = random.normal(%3, -1f, 0.5f, out_shape=[20, 50], out_dtype="float32");
  (%2.1, %4.1)
}}
""")
        uniform, normal = self.outputs(model, "interpreter", k=key)
        self.assertTrue(2 <= uniform.min() < 2.2 and 4.8 < uniform.max() < 5, uniform)
        self.assertEqual(normal.shape, (20, 50))
        self.assertAlmostEqual(normal.mean(), -1, delta=0.1)
        self.assertAlmostEqual(normal.std(), 0.5, delta=0.1)


if __name__ == "__main__":
    unittest.main()
