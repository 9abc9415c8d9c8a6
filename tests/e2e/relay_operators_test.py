#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators of Relay, in the spellings of its front ends, compared with NumPy and torch."""

import unittest

import numpy as np

from commands import dragoman
from relay_case import RelayCase, draw
from tvm_arrays import metadata

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None


def ints(*values, dtype=np.int32):
    return np.array(values, dtype)


def whole_numbers(dtype, *sizes):
    info = np.iinfo(dtype)
    return np.random.default_rng(sum(sizes)).integers(info.min, info.max + 1, sizes).astype(dtype)


def rescaled(x, quotient):
    """x · quotient by 31 bits and a shift, halves up, as TVM multiplies quantised values."""
    fraction, shift = np.frexp(quotient)
    product = x.astype(np.int64) * (int(fraction * 2**31 + 0.5) << max(int(shift), 0))
    behind = 31 + max(-int(shift), 0)
    return (product + (1 << (behind - 1))) >> behind


class Elementwise(RelayCase):
    def test_round_is_away_from_zero(self):
        x = np.array([0.5, 1.5, -0.5, -2.5, 0.49999997, 2.4], np.float32)
        self.computes("round(%x)", np.array([1, 2, -1, -3, 0, 2], np.float32), x=x)

    def test_quotients_of_integers(self):
        a, b = ints(7, -7, 7, -7), ints(2, 2, -2, -2)
        for op, expected in (("divide", ints(3, -3, -3, 3)), ("mod", ints(1, -1, 1, -1)),
                             ("floor_divide", ints(3, -4, -4, 3)),
                             ("floor_mod", ints(1, 1, -1, -1)),
                             ("trunc_divide", ints(3, -3, -3, 3)),
                             ("trunc_mod", ints(1, -1, 1, -1))):
            with self.subTest(op=op):
                self.computes(f"{op}(%a, %b)", expected, a=a, b=b)

    def test_shifts(self):
        a, b = ints(5, -5, 1, -8), ints(1, 1, 30, 2)
        self.computes("left_shift(%a, %b)", a << b, a=a, b=b)
        self.computes("right_shift(%a, %b)", a >> b, a=a, b=b)

    def test_truths_of_no_elements(self):
        x = np.zeros((0, 2), bool)
        self.computes("any(%x, axis=[0])", np.array([False, False]), x=x)
        self.computes("all(%x, axis=[0])", np.array([True, True]), x=x)

    def test_means_of_integers_are_of_sums_in_their_type(self):
        x = np.array([[100, 100, 100, 7]], np.uint8)
        self.computes("mean(%x, axis=[1])", np.array([51 // 4], np.uint8), x=x)
        x = np.array([[-100, 99, -9]], np.int8)
        self.computes("mean(%x, axis=[1], keepdims=True)", np.array([[-3]], np.int8), x=x)

    def test_global_pools_of_integers(self):
        x = np.array([[[[7, -2], [4, 9]], [[-7, -2], [-4, -9]]]], np.int32)
        self.computes("nn.global_avg_pool2d(%x)", np.array([4, -5], np.int32).reshape(1, 2, 1, 1),
                      x=x)
        self.computes("nn.global_max_pool2d(%x)", np.array([9, -2], np.int32).reshape(1, 2, 1, 1),
                      x=x)

    def test_clip_of_integers(self):
        x = ints(-5, 0, 9)
        self.computes("clip(%x, a_min=-2f, a_max=4f)", ints(-2, 0, 4), x=x)

    def test_defaults_that_differ_from_other_formats(self):
        x = draw(2, 3)
        self.computes("nn.leaky_relu(%x)", np.where(x > 0, x, np.float32(0.25) * x), x=x)
        self.computes("nn.prelu(%x, %a)", np.where(x > 0, x, x * np.float32([1, 2, 3])), x=x,
                      a=np.array([1, 2, 3], np.float32))

    def test_comparisons_and_where(self):
        a, b = draw(3, 4), draw(4)
        self.computes("where(greater(%a, %b), %a, %b)", np.maximum(a, b), a=a, b=b)
        self.computes("logical_or(isnan(%a), less_equal(%a, %b))", a <= b, a=a, b=b)


    def test_bits_as_another_type(self):
        x = draw(2, 3)
        self.computes('reinterpret(%x, dtype="int32")', x.view(np.int32), x=x)
        self.refused('def @main(%x: Tensor[(2), float32]) { reinterpret(%x, dtype="int64") }', 2,
                     "different sizes")


class Shapes(RelayCase):
    def test_codes_of_reshape(self):
        x = draw(4, 8, 3)
        for codes, shape in (([-3, -2], (32, 3)), ([-1, 0], (12, 8)), ([-4, 2, -1, -2], (2, 2, 8, 3)),
                             ([0, -1], (4, 24)), ([-2], (4, 8, 3))):
            with self.subTest(codes=codes):
                self.computes(f"reshape(%x, newshape={codes})", x.reshape(shape), x=x)

    def test_squeeze_of_nothing_and_of_all(self):
        x = draw(1, 3, 1)
        self.computes("squeeze(%x, axis=[])", x, x=x)
        self.computes("squeeze(%x)", x[0, :, 0], x=x)

    def test_strided_slice(self):
        x = draw(5, 6)
        for attributes, expected in (
                ("begin=[1, 0], end=[-1, 4], strides=[2]", x[1:-1:2, 0:4]),
                ("begin=[1], end=[9], strides=[1], axes=[1]", x[:, 1:9]),
                ("begin=[-1], end=[-7], strides=[-1], axes=[1]", x[:, ::-1]),
                ("begin=[1, 2], end=[2, -1], strides=[3], slice_mode=\"size\"", x[1:3, 2:])):
            with self.subTest(attributes=attributes):
                self.computes(f"strided_slice(%x, {attributes})", expected, x=x)

    def test_take_clips_wraps_or_trusts(self):
        x, i = draw(4, 3), ints(-1, 2, 9)
        self.computes("take(%x, %i, axis=0)", x[[0, 2, 3]], x=x, i=i)
        self.computes('take(%x, %i, axis=0, mode="wrap")', x[[3, 2, 1]], x=x, i=i)
        self.computes("take(%x, %i)", x.ravel()[[0, 2, 9]], x=x, i=i)

    def test_split_and_stack(self):
        x = draw(2, 6)
        self.computes("%0 = split(%x, indices_or_sections=[1, 4], axis=1);\n(%0.2, %0.0, %0.1)",
                      [x[:, 4:], x[:, :1], x[:, 1:4]], x=x)
        self.computes("stack((%x, %x), axis=-1)", np.stack([x, x], -1), x=x)

    def test_tuples_of_indices_come_first(self):
        x, i, u = draw(3, 4), ints(0, 2, 1, 3).reshape(2, 2), draw(2)
        self.computes("gather_nd(%x, %i)", x[i[0], i[1]], x=x, i=i)
        updated = x.copy()
        updated[i[0], i[1]] += u
        self.computes('scatter_nd(%x, %i, %u, mode="add")', updated, x=x, i=i, u=u)

    def test_layouts(self):
        x = draw(1, 8, 2, 3)
        blocked = x.reshape(1, 2, 4, 2, 3).transpose(0, 1, 3, 4, 2)
        self.computes('layout_transform(%x, src_layout="NCHW", dst_layout="NCHW4c")', blocked, x=x)
        self.computes('layout_transform(%b, src_layout="NCHW4c", dst_layout="NHWC")',
                      x.transpose(0, 2, 3, 1), b=blocked)

    def test_repeats_tiles_and_pads(self):
        x = draw(2, 3)
        self.computes("repeat(%x, repeats=2, axis=1)", np.repeat(x, 2, 1), x=x)
        self.computes("tile(%x, reps=[2, 1, 2])", np.tile(x, (2, 1, 2)), x=x)
        self.computes("nn.pad(%x, 7f, pad_width=[[1, 0], [0, 2]])",
                      np.pad(x, ((1, 0), (0, 2)), constant_values=7), x=x)
        for mode in ("SYMMETRIC", "REFLECT"):
            self.computes(f'nn.mirror_pad(%x, mode="{mode}", pad_width=[[1, 1], [0, 2]])',
                          np.pad(x, ((1, 1), (0, 2)), mode.lower()), x=x)

    def test_sequences_and_masks(self):
        x, n = draw(4, 3), ints(1, 4, 2)
        expected = np.where(np.arange(4)[:, None] < n, x, -1)
        self.computes("sequence_mask(%x, %n, mask_value=-1f, axis=0)", expected, x=x, n=n)

    def test_one_hot_and_arange(self):
        i = ints(1, 0, 2)
        self.computes('one_hot(%i, 1f, 0f, depth=3, axis=-1, dtype="float32")',
                      np.eye(3, dtype=np.float32)[i], i=i)
        self.computes('arange(0, %n, 2, start=0, stop=%n, step=2, dtype="int32")',
                      np.arange(0, 7, 2, dtype=np.int32), n=np.array(7, np.int32))

    def test_strided_set(self):
        x, v = draw(4, 5), draw(2, 2)
        expected = x.copy()
        expected[1:3, 0:4:2] = v
        self.computes("%0 = strided_set(%x, %v, arange(1, -1, -1, dtype=\"int32\"), "
                      "arange(3, 5, 1, dtype=\"int32\"), arange(1, 3, 1, dtype=\"int32\"));\n%0",
                      expected, x=x, v=v)


class Reductions(RelayCase):
    def test_axes_and_their_complement(self):
        x = draw(2, 3, 4)
        self.computes("sum(%x, axis=[1])", x.sum(1), x=x)
        self.computes("mean(%x, axis=[1], exclude=True, keepdims=True)",
                      x.mean((0, 2), keepdims=True), x=x)
        self.computes("max(%x)", x.max(), x=x)
        self.computes("all(greater(%x, 0f), axis=[0])", (x > 0).all(0), x=x)

    def test_variance(self):
        x = draw(2, 5)
        self.computes("variance(%x, mean(%x, axis=[1], keepdims=True), axis=[1], unbiased=True)",
                      x.var(1, ddof=1), x=x)

    def test_places(self):
        x = draw(3, 4)
        self.computes("argmax(%x, axis=[1])", x.argmax(1).astype(np.int32), x=x)
        self.computes("argmin(%x)", np.int32(x.argmin()), x=x)
        self.computes('argsort(%x, axis=1, dtype="int32")', x.argsort(1).astype(np.int32), x=x)
        self.computes('topk(%x, k=2, axis=1, ret_type="values", dtype="int32")',
                      -np.sort(-x, 1)[:, :2], x=x)
        self.computes("cumsum(%x, axis=1)", x.cumsum(1), x=x)


@unittest.skipIf(torch is None, "needs python3-torch")
class Networks(RelayCase):
    @staticmethod
    def numbers(result):
        return result.numpy()

    def test_convolutions(self):
        x, w = draw(1, 4, 7, 6), draw(6, 2, 3, 3)
        y = F.conv2d(torch.tensor(x), torch.tensor(w), stride=(2, 1), padding=(1, 0), groups=2)
        attributes = "strides=[2, 1], padding=[1, 0, 1, 0], groups=2, channels=6, kernel_size=[3, 3]"
        self.computes(f"nn.conv2d(%x, %w, {attributes})", y.numpy(), x=x, w=w)
        self.computes(f'nn.conv2d(%x, %w, {attributes}, data_layout="NHWC", kernel_layout="HWIO")',
                      y.numpy().transpose(0, 2, 3, 1), x=x.transpose(0, 2, 3, 1),
                      w=w.transpose(2, 3, 1, 0))

    def test_depthwise_as_tensorflow_writes_it(self):
        x, w = draw(1, 5, 5, 3), draw(3, 3, 3, 2)  # HWC and multiplier
        weight = torch.tensor(w.transpose(2, 3, 0, 1).reshape(6, 1, 3, 3))
        y = F.conv2d(torch.tensor(x.transpose(0, 3, 1, 2)), weight, groups=3)
        self.computes('nn.conv2d(%x, %w, padding=[0, 0, 0, 0], groups=3, channels=6, '
                      'kernel_size=[3, 3], data_layout="NHWC", kernel_layout="HWOI")',
                      y.numpy().transpose(0, 2, 3, 1), x=x, w=w)

    def test_blocks_of_channels_as_layout_passes_leave_them(self):
        x, w = draw(1, 8, 4, 4), draw(8, 8, 3, 3)
        blocks = x.reshape(1, 2, 4, 4, 4).transpose(0, 1, 3, 4, 2)
        kernel = w.reshape(2, 4, 2, 4, 3, 3).transpose(0, 2, 4, 5, 3, 1)
        expected = np.zeros((1, 8, 2, 2), np.float32)
        for i, j in np.ndindex(2, 2):
            expected[:, :, i, j] = np.tensordot(x[:, :, i:i + 3, j:j + 3], w, ((1, 2, 3), (1, 2, 3)))
        layouts = 'data_layout="NCHW4c", out_layout="NCHW4c", out_dtype="float32"'
        self.computes("nn.contrib_conv2d_NCHWc(%x, %w, channels=8, kernel_size=[3, 3], "
                      f'kernel_layout="OIHW4i4o", {layouts})',
                      expected.reshape(1, 2, 4, 2, 2).transpose(0, 1, 3, 4, 2),
                      x=np.ascontiguousarray(blocks), w=np.ascontiguousarray(kernel))
        deep = draw(8, 1, 3, 3)
        for i, j in np.ndindex(2, 2):
            expected[:, :, i, j] = (x[:, :, i:i + 3, j:j + 3] * deep[:, 0]).sum((2, 3))
        kernel = deep.reshape(2, 4, 1, 3, 3, 1).transpose(0, 2, 3, 4, 5, 1)
        self.computes("nn.contrib_depthwise_conv2d_NCHWc(%x, %w, groups=8, channels=8, "
                      f'kernel_size=[3, 3], kernel_layout="OIHW1i4o", {layouts})',
                      expected.reshape(1, 2, 4, 2, 2).transpose(0, 1, 3, 4, 2),
                      x=np.ascontiguousarray(blocks), w=np.ascontiguousarray(kernel))
        rows, weight = draw(3, 5), draw(8, 5)
        packed = np.ascontiguousarray(weight.reshape(2, 4, 5).transpose(0, 2, 1))
        self.computes('nn.contrib_dense_pack(%x, %w, units=8, weight_layout="NC4n", '
                      'out_dtype="float32")', rows @ weight.T, x=rows, w=packed)

    def test_transposed_convolution(self):
        x, w = draw(1, 3, 4, 4), draw(3, 2, 3, 3)
        y = F.conv_transpose2d(torch.tensor(x), torch.tensor(w), stride=2, padding=1,
                               output_padding=1)
        for layout in ("IOHW", "OIHW"):
            self.computes(f'nn.conv2d_transpose(%x, %w, channels=2, kernel_size=[3, 3], '
                          f'strides=[2, 2], padding=[1, 1, 1, 1], output_padding=[1, 1], '
                          f'kernel_layout="{layout}")', y.numpy(), x=x, w=w)

    def test_pools(self):
        x = draw(1, 2, 7, 8)
        t = torch.tensor(x)
        window = "pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1], ceil_mode=True"
        self.computes(f"nn.max_pool2d(%x, {window})",
                      F.max_pool2d(t, 3, 2, 1, ceil_mode=True).numpy(), x=x)
        self.computes(f"nn.avg_pool2d(%x, {window})",
                      F.avg_pool2d(t, 3, 2, 1, ceil_mode=True, count_include_pad=False).numpy(), x=x)
        self.computes("nn.adaptive_avg_pool2d(%x, output_size=[3, 5])",
                      F.adaptive_avg_pool2d(t, (3, 5)).numpy(), x=x)
        self.computes("nn.adaptive_max_pool2d(%x, output_size=[1, 1])",
                      F.adaptive_max_pool2d(t, 1).numpy(), x=x)

    def test_windows_of_integers(self):
        x = np.arange(-8, 24, dtype=np.int32).reshape(1, 2, 4, 4) * 1000003 // 7
        pooled = x.reshape(1, 2, 2, 2, 2, 2).max((3, 5))
        self.computes("nn.max_pool2d(%x, pool_size=[2, 2], strides=[2, 2], padding=[0, 0, 0, 0])",
                      pooled, x=x)
        self.computes("nn.global_max_pool2d(%x)", x.max((2, 3), keepdims=True), x=x)
        w = np.array([3, -2], np.int32).reshape(1, 2, 1, 1)
        product = (x * w[:, :, 0, 0, None, None]).sum(1, keepdims=True, dtype=np.int32)
        self.computes("nn.conv2d(%x, %w, kernel_size=[1, 1], channels=1)", product, x=x, w=w)
        small = (x % 100).astype(np.int16)
        self.computes('nn.conv2d(%x, %w, kernel_size=[1, 1], channels=1, out_dtype="int16")',
                      (small * w[:, :, 0, 0, None, None]).sum(1, keepdims=True).astype(np.int16),
                      x=small, w=w.astype(np.int16))

    def test_devices_of_tvm_0_8(self):
        x = draw(3)
        self.computes("%0 = on_device(%x, device_type=2, is_fixed=False);\n"
                      "%1 = device_copy(%0, src_dev_type=2, dst_dev_type=1);\nadd(%1, %x)", x + x, x=x)

    def test_normalisations(self):
        x, g, b = draw(2, 4, 3, 3), draw(4), draw(4)
        mean, variance = draw(4), np.abs(draw(4)) + 1
        t = [torch.tensor(a) for a in (x, g, b, mean, variance)]
        y = F.batch_norm(t[0], t[3], t[4], t[1], t[2], eps=1e-5).numpy()
        self.computes("%0 = nn.batch_norm(%x, %g, %b, %m, %v);\n%0.0", y, x=x, g=g, b=b, m=mean,
                      v=variance)
        self.computes("%0 = nn.batch_norm(%x, %g, %b, %m, %v, axis=3);\n%0.0",
                      y.transpose(0, 2, 3, 1), x=x.transpose(0, 2, 3, 1), g=g, b=b, m=mean,
                      v=variance)
        self.computes("nn.instance_norm(%x, %g, %b)",
                      F.instance_norm(t[0], weight=t[1], bias=t[2]).numpy(), x=x, g=g, b=b)
        self.computes("nn.group_norm(%x, %g, %b, num_groups=2)",
                      F.group_norm(t[0], 2, t[1], t[2]).numpy(), x=x, g=g, b=b)
        rows = draw(5, 4)
        self.computes("nn.layer_norm(%x, %g, %b, epsilon=1e-3f, center=False)",
                      F.layer_norm(torch.tensor(rows), (4,), t[1], eps=1e-3).numpy(), x=rows, g=g,
                      b=b)

    def test_images(self):
        x = draw(1, 2, 4, 5)
        t = torch.tensor(x)
        self.computes('image.resize2d(%x, size=[7, 9], roi=[0f, 0f, 0f, 0f], '
                      'rounding_method="", cubic_alpha=-0.75f)',
                      F.interpolate(t, (7, 9), mode="bilinear").numpy(), x=x)
        self.computes('image.resize2d(%x, size=[8, 10], method="nearest_neighbor", '
                      'coordinate_transformation_mode="asymmetric", rounding_method="floor")',
                      F.interpolate(t, (8, 10), mode="nearest").numpy(), x=x)
        self.computes("nn.upsampling(%x, scale_h=2f, scale_w=3f)",
                      F.interpolate(t, (8, 15), mode="nearest").numpy(), x=x)
        grid = np.tanh(draw(1, 3, 3, 2))
        self.computes("image.grid_sample(%x, %g)",
                      F.grid_sample(t, torch.tensor(grid), align_corners=True).numpy(), x=x,
                      g=grid.transpose(0, 3, 1, 2))

    def test_products(self):
        a, b = draw(2, 3, 4), draw(2, 4, 5)
        self.computes("nn.batch_matmul(%a, %b)", a @ b, a=a, b=b)
        self.computes("nn.batch_matmul(%a, %b, transpose_b=True)", a @ b, a=a,
                      b=b.transpose(0, 2, 1))
        # As versions up to 0.7 wrote it.
        self.computes("nn.batch_matmul(%a, %b)", a @ b, a=a, b=b.transpose(0, 2, 1))
        self.computes("nn.matmul(%a, %b, units=None, transpose_b=True)", a[0] @ b[0], a=a[0],
                      b=b[0].T)

    def test_a_product_with_two_readings_is_that_of_later_versions_with_a_warning(self):
        a, b = draw(2, 3, 4), draw(2, 4, 4)
        self.computes("nn.batch_matmul(%a, %b)", a @ b, a=a, b=b)
        done = dragoman("convert", self.out / "model.relay", "-o", self.out / "out.onnx")
        self.assertIn("warning: nn.batch_matmul without attributes is a · b", done.stderr)
        self.assertIn("(line 3:", done.stderr)

    def test_products_of_version_0_0_4_transpose_their_second_operand(self):
        a, b = draw(2, 3, 4), draw(2, 4, 4)
        model = self.write("v0.0.4\ndef @main(%a: Tensor[(2, 3, 4), float32], "
                           "%b: Tensor[(2, 4, 4), float32]) {\n  nn.batch_matmul(%a, %b)\n}\n")
        self.agrees(model, [a @ b.transpose(0, 2, 1)], a=a, b=b)
        done = dragoman("convert", model, "-o", self.out / "out.onnx")
        self.assertNotIn("warning", done.stderr)


class Resized(RelayCase):
    def test_operands_of_another_rank_are_refused(self):
        call = "def @main(%x: Tensor[(1, 1, 3, 3), uint8], %v: Tensor[(3), float32]) {{ {} }}"
        kernel = "kernel_size=[2, 2], channels=1"
        for text, said in (
                (f'qnn.conv2d(%x, 1f, {kernel}, out_dtype="int32")', 'a tensor of rank 0 in layout "OIHW"'),
                (f"nn.conv2d(%v, %v, {kernel})", 'a tensor of rank 1 in layout "NCHW"'),
                (f"nn.conv2d_transpose(%x, %v, {kernel})", "rank 1"),
                ("image.dilation2d(%x, %v)", 'a tensor of rank 1 in layout "IHW"'),
                ("image.grid_sample(%v, %v)", "an image of rank 1 at places of rank 1"),
                ("image.grid_sample(%x, %v)", "an image of rank 4 at places of rank 1"),
                ("nn.layer_norm(1f, %v, %v)", "a number in place of a tensor with axes")):
            with self.subTest(text):
                self.refused(call.format(text), 2, said)

    def test_what_tvm_computes_otherwise_is_refused(self):
        call = ('def @main(%x: Tensor[(1, 1, 4, 6), float32]) {{\n  image.resize2d(%x, size={}, '
                'roi=[0f, 0f, 0f, 0f], method="{}", coordinate_transformation_mode="{}", '
                'rounding_method="{}")\n}}\n')
        nearest = "nearest_neighbor"
        self.refused(call.format([8, 7], nearest, "asymmetric", "ceil"), 4, "multiple of the size")
        self.refused(call.format([1, 6], "linear", "align_corners", ""), 4, "a single element")
        x = draw(1, 1, 4, 6)
        rows, columns = (np.ceil(np.arange(n + 1) * n / (n + 1)).astype(int).clip(0, n - 1)
                         for n in (4, 6))
        self.agrees(self.write(call.format([5, 7], nearest, "asymmetric", "ceil")),
                    [x[:, :, rows][..., columns]], x=x)


class Quantized(RelayCase):
    def test_dense_and_requantize(self):
        x = np.random.default_rng(1).integers(0, 255, (3, 8)).astype(np.uint8)
        w = np.random.default_rng(2).integers(-127, 127, (4, 8)).astype(np.int8)
        sums = (x.astype(np.int32) - 120) @ w.T.astype(np.int32)
        self.computes('qnn.dense(%x, %w, 120, 0, 0.5f, 0.25f, units=4, out_dtype="int32")', sums,
                      x=x, w=w)
        expected = np.clip(np.floor(sums / 512 + 0.5) + 7, -128, 127).astype(np.int8)
        self.computes('%0 = qnn.dense(%x, %w, 120, 0, 0.5f, 0.25f, units=4, out_dtype="int32");\n'
                      'qnn.requantize(%0, 0.125f, 0, 64f, 7, out_dtype="int8")', expected, x=x, w=w)

    def test_requantize_rounds_halves_up_or_away_from_zero(self):
        x = np.array([[-1000, -5, -3, -1, 0, 1, 3, 1000]], np.int32)
        up = np.clip(np.floor(x / 2 + 0.5), -128, 127).astype(np.int8)
        away = np.clip(np.sign(x) * np.floor(np.abs(x) / 2 + 0.5), -128, 127).astype(np.int8)
        for rounding, expected in ("UPWARD", up), ("TONEAREST", away):
            self.computes(f'qnn.requantize(%x, 0.5f, 0, 1f, 0, rounding="{rounding}", '
                          'out_dtype="int8")', expected, x=x)
        self.computes('qnn.requantize(%x, 0.5f, 0, 1f, 0, out_dtype="int8")', up, x=x)

    def test_requantize_by_channel(self):
        x = np.random.default_rng(3).integers(-9999, 9999, (2, 2, 5)).astype(np.int32)
        scales = np.array([0.25, 0.75], np.float32)
        real = (x - 3) * scales[:, None] / 0.5
        expected = np.clip(np.floor(real + 0.5) + 10, 0, 255).astype(np.uint8)
        self.write("def @main(%x: Tensor[(2, 2, 5), int32]) {\n  qnn.requantize(%x, "
                   'meta[relay.Constant][0], 3, 0.5f, 10, axis=1, out_dtype="uint8")\n}\n' +
                   metadata([scales]))
        self.agrees(self.out / "model.relay", [expected], x=x)

    def test_quantize_rounds_halves_away_from_zero(self):
        x = np.arange(-9, 10).reshape(1, 19).astype(np.float32) / 4
        for dtype, zero in (np.int8, -3), (np.uint8, 128), (np.int16, 0):
            info = np.iinfo(dtype)
            whole = np.sign(x) * np.floor(np.abs(x / np.float32(0.5)) + 0.5)
            expected = np.clip(whole + zero, info.min, info.max).astype(dtype)
            self.computes(f'qnn.quantize(%x, 0.5f, {zero}, out_dtype="{np.dtype(dtype)}")', expected,
                          x=x)

    def test_quantize_by_channel(self):
        x = np.arange(-12, 12).reshape(2, 3, 4).astype(np.float32)
        scales, zeros = np.float32([2, 8, 0.5]), ints(1, -2, 3)
        quotient = x / scales[:, None]
        whole = np.sign(quotient) * np.floor(np.abs(quotient) + 0.5)
        expected = np.clip(whole + zeros[:, None], -128, 127).astype(np.int8)
        self.write("def @main(%x: Tensor[(2, 3, 4), float32]) {\n  qnn.quantize(%x, "
                   'meta[relay.Constant][0], meta[relay.Constant][1], out_dtype="int8", axis=1)\n}\n' +
                   metadata([scales, zeros]))
        self.agrees(self.out / "model.relay", [expected], x=x)

    def test_sums_and_products_are_those_of_fixed_point(self):
        a, b = whole_numbers(np.uint8, 4, 50), whole_numbers(np.uint8, 4, 50)
        scales = "0.37f, 128, 0.021f, 5, 0.3f, 120"
        scale = [float(np.float32(s)) for s in (.37, .021, .3)]
        wide_a, wide_b = a.astype(np.int64) - 128, b.astype(np.int64) - 5
        of_a, of_b = rescaled(wide_a, scale[0] / scale[2]), rescaled(wide_b, scale[1] / scale[2])
        product = float(np.float32(scale[0] * scale[1]))
        for op, expected in (("add", of_a + of_b), ("subtract", of_a - of_b),
                             ("mul", rescaled(wide_a * wide_b, product / scale[2]))):
            with self.subTest(op=op):
                self.computes(f"qnn.{op}(%a, %b, {scales})",
                              np.clip(expected + 120, 0, 255).astype(np.uint8), a=a, b=b)

    def test_concatenation_takes_operands_to_one_scale(self):
        a, b = whole_numbers(np.int8, 2, 9), whole_numbers(np.int8, 3, 9)
        scale = [float(np.float32(s)) for s in (.1, .7)]
        expected = np.clip(rescaled(b.astype(np.int64) + 4, scale[1] / scale[0]) + 2, -128, 127)
        self.computes("qnn.concatenate((%a, %b), (0.1f, 0.7f), (2, -4), 0.1f, 2, axis=0)",
                      np.concatenate([a, expected.astype(np.int8)]), a=a, b=b)

    def test_leaky_relu_rounds_each_part(self):
        x = whole_numbers(np.int8, 60)
        y = rescaled(x.astype(np.int64) - 3, 0.5 / 0.75) - 10
        parts = rescaled(y, 0.2) + rescaled(np.int64(-10), 1 - 0.2)
        expected = np.clip(np.where(x < 3, parts, y), -128, 127).astype(np.int8)
        self.computes("qnn.leaky_relu(%x, 0.5f, 3, 0.75f, -10, alpha=0.2f64)", expected, x=x)

    def test_simulated_quantisation(self):
        x = np.array([[-40, -0.75, 0.25], [0.3, 1.1, 90]], np.float32)
        away = np.trunc(x / np.float32(0.5) + np.copysign(np.float32(0.5), x))
        for code, low, high in ((1, -128, 127), (2, 0, 255), (3, -2**31, 2**31 - 1)):
            self.computes(f"qnn.simulated_quantize(%x, {code}, 0.5f, 3)",
                          np.clip(away + 3, low, high).astype(np.float32), x=x)
        scales = np.array([0.5, 2], np.float32)
        self.computes("qnn.simulated_dequantize(%x, 1, %s, 3, axis=0)",
                      (x - 3) * scales[:, None], x=x, s=scales)
        self.computes("qnn.simulated_quantize(%x, 0, 0.5f, 3)", x, x=x)

    def test_scales_of_fixed_point_must_be_known(self):
        self.refused("def @main(%x: Tensor[(4), int32], %s: float32) {\n"
                     "  qnn.requantize(%x, %s, 0, 1f, 0)\n}\n", 4, "known at run time only")
        self.refused("def @main(%x: Tensor[(4), int32]) {\n"
                     '  qnn.requantize(%x, 2f, 0, 1f, 0, compute_dtype="float32")\n}\n', 4,
                     "compute_dtype")


if __name__ == "__main__":
    unittest.main()
