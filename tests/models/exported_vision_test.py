#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators of torchvision and torchao in archives of torch.export, and their formulas in NumPy;
those of libraries that are not known are refused by name."""

import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from exported_case import ExportedPrograms
from exported_programs import Program, Raw


def boxes(count, generator):
    corners = generator.uniform(0, 6, size=(count, 2))
    return np.concatenate([corners, corners + generator.uniform(1, 5, size=(count, 2))],
                          1).astype(np.float32)


def overlap(a, b):
    """The area of the intersection over that of the union."""
    sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    both = np.prod(np.maximum(sides, 0))
    return both / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - both)


def nms(given, scores, threshold):
    kept = []
    for i in np.argsort(-scores, kind="stable"):
        if all(overlap(given[i], given[j]) <= threshold for j in kept):
            kept.append(i)
    return np.array(kept, np.int64)


def sample(plane, y, x):
    """The plane at a place between its elements, beyond which it is 0."""
    total = 0.0
    for i in (int(np.floor(y)), int(np.floor(y)) + 1):
        for j in (int(np.floor(x)), int(np.floor(x)) + 1):
            if 0 <= i < plane.shape[0] and 0 <= j < plane.shape[1]:
                total += plane[i, j] * (1 - abs(y - i)) * (1 - abs(x - j))
    return total


def roi_align(image, rois, sizes, scale, samples, aligned):
    """Within the image only, where no place lies more than half an element outside."""
    result = np.zeros((len(rois), image.shape[1], *sizes))
    last = np.array(image.shape[2:]) - 1
    for n, (batch, *corners) in enumerate(rois):
        x0, y0, x1, y1 = np.array(corners) * scale - (0.5 if aligned else 0)
        extent = np.array([y1 - y0, x1 - x0])
        extent = extent if aligned else np.maximum(extent, 1)
        for place in np.ndindex(*sizes):
            for part in np.ndindex(samples, samples):
                at = (np.array([y0, x0])
                      + extent / sizes * (np.array(place) + (np.array(part) + 0.5) / samples))
                y, x = np.clip(at, 0, last)
                for channel, plane in enumerate(image[int(batch)]):
                    result[n, channel][place] += sample(plane, y, x) / samples ** 2
    return result.astype(np.float32)


def roi_pool(image, rois, sizes, scale):
    """The largest element of each bin, whose corners are rounded; 0 where it lies outside."""
    result = np.zeros((len(rois), image.shape[1], *sizes), np.float32)
    for n, (batch, *corners) in enumerate(rois):
        x0, y0, x1, y1 = np.floor(np.array(corners) * scale + 0.5).astype(int)
        steps = np.maximum([y1 - y0 + 1, x1 - x0 + 1], 1) / np.array(sizes)
        for y, x in np.ndindex(*sizes):
            low = np.floor([y, x] * steps).astype(int) + [y0, x0]
            high = np.ceil(np.array([y + 1, x + 1]) * steps).astype(int) + [y0, x0]
            low, high = np.clip(low, 0, image.shape[2:]), np.clip(high, 0, image.shape[2:])
            part = image[int(batch), :, low[0]:high[0], low[1]:high[1]]
            if part.size:
                result[n, :, y, x] = part.max((1, 2))
    return result


def ps_roi_pool(image, rois, sizes, scale):
    """The mean of each bin, of a channel of its own; the last row and column are in none."""
    result = np.zeros((len(rois), image.shape[1] // (sizes[0] * sizes[1]), *sizes), np.float32)
    last = np.array(image.shape[2:]) - 1
    for n, (batch, *corners) in enumerate(rois):
        scaled = np.array(corners) * scale
        x0, y0, x1, y1 = (np.sign(scaled) * np.floor(np.abs(scaled) + 0.5)).astype(int)
        steps = np.maximum([y1 - y0, x1 - x0], 1) / np.array(sizes)
        for channel, y, x in np.ndindex(*result.shape[1:]):
            low = np.clip(np.floor([y, x] * steps).astype(int) + [y0, x0], 0, last)
            high = np.clip(np.ceil(np.array([y + 1, x + 1]) * steps).astype(int) + [y0, x0], 0, last)
            plane = image[int(batch), (channel * sizes[0] + y) * sizes[1] + x]
            part = plane[low[0]:high[0], low[1]:high[1]]
            if part.size:
                result[n, channel, y, x] = part.mean()
    return result


def deform_conv2d(image, weight, offset, mask, bias):
    """3 by 3, with padding 1."""
    result = np.zeros((1, len(weight), *image.shape[2:]))
    for y, x in np.ndindex(*image.shape[2:]):
        for k in range(9):
            dy, dx = offset[0, 2 * k:2 * k + 2, y, x]
            for channel, plane in enumerate(image[0]):
                value = sample(plane, y - 1 + k // 3 + dy, x - 1 + k % 3 + dx) * mask[0, k, y, x]
                result[0, :, y, x] += weight[:, channel, k // 3, k % 3] * value
    return (result + bias[:, None, None]).astype(np.float32)


class Vision(ExportedPrograms):
    def setUp(self):
        super().setUp()
        self.generator = np.random.default_rng(7)

    def draw(self, *sizes):
        return self.generator.normal(size=sizes).astype(np.float32)

    def test_overlap_of_rotated_boxes(self):
        """Centre, width, height, angle in degrees; as torchvision 0.29 has them."""
        a = [[3, 2, 4, 2, 30], [1, 1, 2, 2, 0], [5, 5, 3, 1, -75]]
        b = [[3, 2, 4, 2, 30], [4, 2, 3, 3, -20], [1.5, 1, 2, 1, 45], [9, 9, 1, 1, 10],
             [3, 2, 2, 4, 120], [1, 1, 0, 2, 5]]
        p = Program()
        self.save(p.output(p.call("torch.ops.torchvision.box_iou_rotated.default",
                                  p.input("a", [3, 5]), p.input("b", [6, 5]))))
        self.expect([np.array(a, np.float32), np.array(b, np.float32)],
                    [np.array([[1, 0.43515155, 0.00317298, 0, 1, 0],
                               [0.02464924, 0, 0.38834277, 0, 0.02464924, 0],
                               [0, 0.01686795, 0, 0, 0, 0]], np.float32)])

    def test_nms(self):
        p = Program()
        given, scores = p.input("boxes", [9, 4]), p.input("scores", [9])
        self.save(p.output(p.call("torch.ops.torchvision.nms.default", given, scores, 0.3)))
        for _ in range(3):
            arrays = [boxes(9, self.generator), self.draw(9)]
            self.expect(arrays, [nms(*arrays, 0.3)])

    def test_roi_align(self):
        image, rois = self.draw(2, 3, 8, 8), boxes(4, self.generator)
        rois = np.concatenate([np.array([[0], [1], [1], [0]], np.float32), rois], 1)
        for aligned in (False, True):
            with self.subTest(aligned=aligned):
                p = Program()
                x, r = p.input("image", [2, 3, 8, 8]), p.input("rois", [4, 5])
                self.save(p.output(p.call("torch.ops.torchvision.roi_align.default", x, r, 0.5, 3, 2,
                                          2, aligned)))
                self.expect([image, rois], [roi_align(image, rois, (3, 2), 0.5, 2, aligned)])

    def test_pools_whose_places_have_channels_of_their_own(self):
        image, rois = self.draw(1, 12, 8, 8), boxes(3, self.generator)
        rois = np.concatenate([np.zeros((3, 1), np.float32), rois], 1)
        p = Program()
        x, r = p.input("image", [1, 12, 8, 8]), p.input("rois", [3, 5])
        pooled, _ = p.call("torch.ops.torchvision.ps_roi_align.default", x, r, 0.5, 3, 2, 2,
                           results=2)
        self.save(p.output(pooled))
        every = roi_align(image, rois, (3, 2), 0.5, 2, True).reshape(3, 2, 3, 2, 3, 2)
        self.expect([image, rois], [np.einsum("rcyxyx->rcyx", every)])

    def test_averages_whose_bins_have_channels_of_their_own(self):
        image = self.draw(2, 12, 7, 9)
        # Of which one is empty, one beyond the image, and one has corners halfway between elements.
        rois = np.array([[0, 1.2, 2.4, 13.1, 11.9], [1, -7, -3, 30, 40], [1, 6, 6, 4, 5],
                         [0, 3, 5, 11, 9], [1, 40, 40, 50, 50]], np.float32)
        p = Program()
        x, r = p.input("image", list(image.shape)), p.input("rois", [5, 5])
        pooled, _ = p.call("torch.ops.torchvision.ps_roi_pool.default", x, r, 0.5, 3, 2, results=2)
        self.save(p.output(pooled))
        self.expect([image, rois], [ps_roi_pool(image, rois, (3, 2), 0.5)])

    def test_no_regions(self):
        image, rois = self.draw(1, 12, 7, 9), np.zeros((0, 5), np.float32)
        for operator, further in (("ps_roi_pool", ()), ("ps_roi_align", (2,))):
            p = Program()
            x, r = p.input("image", list(image.shape)), p.input("rois", [0, 5])
            pooled, _ = p.call(f"torch.ops.torchvision.{operator}.default", x, r, 0.5, 3, 2, *further,
                               results=2)
            self.save(p.output(pooled))
            self.expect([image, rois], [np.zeros((0, 2, 3, 2), np.float32)])

    def test_roi_pool(self):
        image, rois = self.draw(2, 3, 8, 8), boxes(4, self.generator)
        rois = np.concatenate([np.array([[0], [1], [1], [0]], np.float32), rois * 2], 1)
        p = Program()
        x, r = p.input("image", [2, 3, 8, 8]), p.input("rois", [4, 5])
        pooled, _ = p.call("torch.ops.torchvision.roi_pool.default", x, r, 0.5, 3, 2, results=2)
        self.save(p.output(pooled))
        self.expect([image, rois], [roi_pool(image, rois, (3, 2), 0.5)])

    def test_deform_conv2d(self):
        image, weight, bias = self.draw(1, 4, 6, 6), self.draw(2, 4, 3, 3), self.draw(2)
        offset, mask = self.draw(1, 18, 6, 6), self.draw(1, 9, 6, 6)
        p = Program()
        w, b = p.weight("weight", weight), p.weight("bias", bias)
        x, o, m = (p.input(name, list(array.shape))
                   for name, array in (("x", image), ("offset", offset), ("mask", mask)))
        self.save(p.output(p.call("torch.ops.torchvision.deform_conv2d.default", x, w, o, m, b, 1, 1,
                                  1, 1, 1, 1, 1, 1, True)))
        self.expect([image, offset, mask], [deform_conv2d(image, weight, offset, mask, bias)])


BYTE, FLOAT, LONG = (Raw(as_scalar_type=number) for number in (2, 7, 5))


class BlockGrids(ExportedPrograms):
    """torchao's scales and zero points for blocks of a matrix, here of 4 by 8 elements."""

    SIZES = [4, 8]

    def program(self, mapping, block):
        p = Program()
        x = p.input("x", self.SIZES)
        scale, zero = self.ao(p, "choose_qparams_affine", x, mapping, block, BYTE, -128, 127, None, FLOAT,
                              LONG, results=2, names=[
                                  "input", "mapping_type", "block_size", "target_dtype", "quant_min",
                                  "quant_max", "eps", "scale_dtype", "zero_point_dtype"])
        stored, read = ["output_dtype"], ["input_dtype"]
        names = ["input", "block_size", "scale", "zero_point"]
        steps = self.ao(p, "quantize_affine", x, block, scale, zero, BYTE, names=names + stored)
        y = self.ao(p, "dequantize_affine", steps, block, scale, zero, BYTE, names=names + read)
        return p.output(scale, zero, steps, y)

    @staticmethod
    def ao(program, name, *arguments, **options):
        return program.call(f"torch.ops.torchao.{name}.default", *arguments, **options)

    def expected(self, a, mapping, block):
        """By blocks with axes of their own; the last axis but one lies within them, too."""
        rows, columns = (size if part == -1 else part for size, part in zip(self.SIZES, block))
        blocks = a.reshape(4 // rows, rows, 8 // columns, columns)
        low = np.minimum(blocks.min((1, 3), keepdims=True), 0)
        high = np.maximum(blocks.max((1, 3), keepdims=True), 0)
        scale = {"SYMMETRIC": np.maximum(-low, high) / np.float32(127.5),
                 "SYMMETRIC_NO_CLIPPING_ERR": np.maximum(low / -128, high / 127),
                 "ASYMMETRIC": (high - low) / 255}[mapping].astype(np.float32)
        zero = -128 - np.round(low / scale) if mapping == "ASYMMETRIC" else np.zeros_like(scale)
        steps = np.clip(np.round(blocks * (1 / scale)) + zero, -128, 127)
        grid = [4 // rows] * (block[0] not in (-1, 4)) + [8 // columns] * (block[1] not in (-1, 8))
        return [scale.reshape(grid), zero.astype(np.int64).reshape(grid),
                steps.astype(np.int8).reshape(4, 8), ((steps - zero) * scale).reshape(4, 8)]

    def test_blocks(self):
        a = np.random.default_rng(3).normal(size=self.SIZES).astype(np.float32)
        for mapping in ("SYMMETRIC", "ASYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR"):
            for block in ([1, 8], [1, 4], [-1, -1], [2, 2]):
                with self.subTest(mapping=mapping, block=block):
                    self.save(self.program(mapping, block))
                    self.expect([a], self.expected(a, mapping, block))


class Libraries(ExportedPrograms):
    def test_operators_that_are_not_known(self):
        p = Program()
        x = p.input("x", [2, 4])
        y = p.call("torch.ops.torchao.gguf_dequantize.default", x, "Q4_0", [1, 4])
        self.save(p.output(y))
        self.expect_refused(4, "onnx:torchao.gguf_dequantize", [np.zeros((2, 4), np.float32)])
        self.expect_written_again()


if __name__ == "__main__":
    unittest.main()
