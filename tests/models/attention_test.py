#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attention and other operators that opsets 20 to 28 added or changed, against NumPy."""

import itertools
import unittest

import numpy as np
import onnx

from command_case import CommandCase
from onnx_graph import GraphWriter

BATCH, HEADS, KEY_HEADS, STEPS, KEYS, SIZE, VALUE_SIZE = 2, 4, 2, 3, 5, 6, 8
PAST = 2


def split_heads(x, heads):
    batch, steps, features = x.shape
    return x.reshape(batch, steps, heads, features // heads).transpose(0, 2, 1, 3)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(q, k, v, mask=None, past_key=None, past_value=None, lengths=None, is_causal=False,
              scale=None, softcap=0.0):
    """The result, and keys and values with their past; as the operator's reference computes it."""
    flat = q.ndim == 3
    if flat:
        q, k, v = (split_heads(x, n) for x, n in ((q, HEADS), (k, KEY_HEADS), (v, KEY_HEADS)))
    offset = np.zeros((1, 1, 1, 1), int)
    if past_key is not None:
        offset += past_key.shape[2]
        k, v = np.concatenate([past_key, k], axis=2), np.concatenate([past_value, v], axis=2)
    elif lengths is not None:
        offset = (lengths - q.shape[2]).reshape(-1, 1, 1, 1)
    times = q.shape[1] // k.shape[1]
    repeated = [np.repeat(x, times, axis=1) for x in (k, v)]
    scores = np.einsum("bhqd,bhkd->bhqk", q, repeated[0])
    scores = scores * (scale or 1 / np.sqrt(q.shape[3]))
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    columns = np.arange(k.shape[2])
    if is_causal:
        rows = np.arange(q.shape[2])[:, None] + offset
        scores = np.where(columns <= rows, scores, -np.inf)
    if lengths is not None:
        scores = np.where(columns < lengths.reshape(-1, 1, 1, 1), scores, -np.inf)
    y = np.einsum("bhqk,bhkd->bhqd", softmax(scores), repeated[1])
    if flat:
        y = y.transpose(0, 2, 1, 3).reshape(y.shape[0], y.shape[2], -1)
    return y, k, v


def rotary(x, cos, sin, positions, interleaved, size):
    cos, sin = cos[positions][:, None], sin[positions][:, None]
    turned, rest = x[..., :size], x[..., size:]
    parts = (turned[..., 0::2], turned[..., 1::2]) if interleaved else np.split(turned, 2, axis=-1)
    real, imaginary = cos * parts[0] - sin * parts[1], sin * parts[0] + cos * parts[1]
    if interleaved:
        turned = np.stack([real, imaginary], axis=-1).reshape(turned.shape)
    else:
        turned = np.concatenate([real, imaginary], axis=-1)
    return np.concatenate([turned, rest], axis=-1)


class Attention(CommandCase):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(11)

    def draw(self, *shape):
        return self.random.standard_normal(shape).astype(np.float32)

    def write(self, op_type, operands, outputs, opset, constants=(), **attributes):
        """A model of one node over all operands, absent ones None."""
        g = GraphWriter()
        names = []
        for i, operand in enumerate(operands):
            given = operand is not None
            if i in constants:
                names.append(g.const(operand, operand.dtype))
            else:
                names.append(g.input(f"x{i}", operand.dtype, operand.shape) if given else "")
        results = g.op(op_type, *names, outputs=len(outputs), **attributes)
        for i, result in enumerate([results] if len(outputs) == 1 else results):
            g.output(result, f"y{i}", outputs[i].dtype)
        model = self.out / "model.onnx"
        onnx.save(g.model(opset=opset), model)
        return model

    def verify(self, op_type, operands, outputs, opset=24, constants=(), **attributes):
        """One node over all operands, absent ones None, must compute `outputs`."""
        outputs = [y.astype(np.float32) if y.dtype == np.float64 else y for y in outputs]
        model = self.write(op_type, operands, outputs, opset, constants, **attributes)
        np.savez(self.out / "inputs.npz", **{f"x{i}": x for i, x in enumerate(operands)
                                             if x is not None and i not in constants})
        np.savez(self.out / "outputs.npz", **{f"y{i}": y for i, y in enumerate(outputs)})
        self.done("verify", model, "--data", self.out)

    def verify_attention(self, flat=False, mask=None, past=False, lengths=None, outputs=1,
                         key_heads=KEY_HEADS, **options):
        attributes = dict(options)
        if flat:
            q = self.draw(BATCH, STEPS, HEADS * SIZE)
            k = self.draw(BATCH, KEYS, KEY_HEADS * SIZE)
            v = self.draw(BATCH, KEYS, KEY_HEADS * VALUE_SIZE)
            attributes.update(q_num_heads=HEADS, kv_num_heads=KEY_HEADS)
        else:
            q = self.draw(BATCH, HEADS, STEPS, SIZE)
            k = self.draw(BATCH, key_heads, KEYS, SIZE)
            v = self.draw(BATCH, key_heads, KEYS, VALUE_SIZE)
        before = [None, None]
        if past:
            before = [self.draw(BATCH, KEY_HEADS, PAST, n) for n in (SIZE, VALUE_SIZE)]
        expected = attention(q, k, v, mask, *before, lengths, **options)
        self.verify("Attention", [q, k, v, mask, *before, lengths], expected[:outputs],
                    **attributes)

    def test_heads_apart(self):
        self.verify_attention(key_heads=HEADS)

    def test_heads_in_one_axis_and_shared_keys(self):
        self.verify_attention(flat=True)

    def test_masks_of_both_types(self):
        allowed = self.random.random((BATCH, 1, STEPS, KEYS)) < 0.7
        allowed[..., 0] = True
        self.verify_attention(mask=allowed)
        self.verify_attention(flat=True, mask=self.draw(STEPS, KEYS))

    def test_causal_with_a_past(self):
        self.verify_attention(is_causal=1)
        self.verify_attention(flat=True, is_causal=1, past=True, outputs=3)

    def test_lengths_of_a_cache(self):
        lengths = np.array([4, 5])
        self.verify_attention(lengths=lengths)
        self.verify_attention(lengths=lengths, is_causal=1)

    def test_scale_and_softcap(self):
        self.verify_attention(scale=0.3, softcap=0.7, mask=self.draw(1, HEADS, STEPS, KEYS))

    def test_which_scores_are_shown(self):
        q, k, v = (self.draw(BATCH, HEADS, n, SIZE) for n in (STEPS, KEYS, KEYS))
        mask = self.draw(STEPS, KEYS)
        products = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(SIZE)
        for opset, softcap, bias in itertools.product((23, 24), (0.0, 1.5), (mask, None)):
            capped = softcap * np.tanh(products / softcap) if softcap else products
            masked = capped if bias is None else capped + bias
            shown = [products, capped, masked, softmax(masked)]
            y = shown[3] @ v
            for mode, scores in enumerate(shown):
                call = dict(qk_matmul_output_mode=mode, softcap=softcap)
                with self.subTest(opset=opset, bias=bias is not None, **call):
                    self.verify("Attention", [q, k, v, bias], [y, k, v, scores], opset, **call)

    def test_tensor_scatter(self):
        for mode, axis, starts in itertools.product(
                ("linear", "circular"), (None, 1, 2, -1), (None, np.array([2, 0]))):
            cache, update = self.draw(2, 5, 6, 7), self.draw(2, 5, 6, 7)
            at = -2 if axis is None else axis
            update = np.take(update, range(3), axis=at)
            expected = np.moveaxis(cache, at, 1).copy()
            if mode == "circular" and starts is not None:
                starts = starts + [4, 11]
            for i, j in itertools.product(range(2), range(3)):
                place = j + (0 if starts is None else starts[i])
                if mode == "circular":
                    place %= cache.shape[at]
                expected[i, place] = np.moveaxis(update, at, 1)[i, j]
            options = {} if axis is None else {"axis": axis}
            with self.subTest(mode=mode, axis=axis, starts=starts):
                self.verify("TensorScatter", [cache, update, starts],
                            [np.moveaxis(expected, 1, at)], mode=mode, **options)

    def test_cum_prod(self):
        for dtype, axis, exclusive, reverse in itertools.product(
                (np.float32, np.int64), (0, 1, -1), (0, 1), (0, 1)):
            x = self.random.integers(-3, 4, (3, 4, 5)).astype(dtype)
            y = np.flip(x, axis) if reverse else x
            y = np.cumprod(y, axis=axis, dtype=dtype)
            if exclusive:
                y = np.roll(y, 1, axis)
                np.moveaxis(y, axis, 0)[0] = 1
            y = np.flip(y, axis) if reverse else y
            with self.subTest(dtype=dtype, axis=axis, exclusive=exclusive, reverse=reverse):
                self.verify("CumProd", [x, np.array(axis)], [y], 26, (1,), exclusive=exclusive,
                            reverse=reverse)

    def test_range_of_halves(self):
        start, limit, delta = np.float16([0.1]), np.float16([3]), np.float16([0.3])
        steps = np.arange(10, dtype=np.float32) * delta.astype(np.float32)
        y = (start.astype(np.float32) + steps).astype(np.float16)
        scalars = [x.reshape(()) for x in (start, limit, delta)]
        self.verify("Range", scalars, [y], 27)
        self.verify("Range", scalars, [y], 27, stash_type=1)
        model = self.write("Range", scalars, [y], 27, stash_type=10)
        self.assertIn("stash_type is 10", self.fails(4, "convert", model, "-o", self.out / "m.py"))

    def test_space_to_depth_within_channels(self):
        x = self.draw(2, 3, 4, 6)
        blocks = x.reshape(2, 3, 2, 2, 3, 2)
        for mode, order in (("DCR", (0, 3, 5, 1, 2, 4)), ("CRD", (0, 1, 3, 5, 2, 4))):
            with self.subTest(mode):
                self.verify("SpaceToDepth", [x], [blocks.transpose(order).reshape(2, 12, 2, 3)], 28,
                            blocksize=2, mode=mode)

    def test_casts_to_powers_of_two(self):
        x = np.array([1, 1.1, 0.3, 3, 0.75, 100, 2.0**-20, 2.0**126 * 1.3, 3e38], np.float32)
        for mode, dtype in itertools.product(("up", "down", None), (np.float32, np.int64)):
            given = np.rint(np.minimum(x, 1000) + 1).astype(dtype) if dtype == np.int64 else x
            exponents = np.log2(given.astype(np.float64))
            rounded = np.floor(exponents) if mode == "down" else np.ceil(exponents)
            expected = np.exp2(np.minimum(rounded, 127)).astype(np.float32)
            g = GraphWriter()
            options = {"round_mode": mode} if mode else {}
            power = g.op("Cast", g.input("x0", dtype, given.shape), to=24, **options)
            g.output(g.op("Cast", power, to=1), "y0")
            onnx.save(g.model(opset=24), self.out / "model.onnx")
            np.savez(self.out / "inputs.npz", x0=given)
            np.savez(self.out / "outputs.npz", y0=expected)
            with self.subTest(mode=mode, dtype=dtype):
                self.done("verify", self.out / "model.onnx", "--data", self.out, "--rtol", "0",
                          "--atol", "0")

    def test_bits_of_integers(self):
        x = np.array([0, 1, -1, -(1 << 63), 1 << 40], np.int64)
        self.verify("BitCast", [x], [x.view(np.uint64)], 26, to=13)
        self.verify("BitCast", [x.view(np.uint64)], [x], 26, to=7)

    def test_bits_of_floats(self):
        """Also by the arithmetic that older operator sets have."""
        tiny, most = np.finfo(np.float32).smallest_subnormal, np.finfo(np.float32).max
        x = np.float32([0, -0.0, 1, -2.5, 0.1, tiny, -tiny, 3e-39, 1.1754944e-38, most, -most,
                        np.inf, -np.inf, 8388607, np.nextafter(np.float32(2), np.float32(0))])
        for given, expected, to in ((x, x.view(np.int32), 6), (x.view(np.int32), x, 1)):
            with self.subTest(to=to):
                self.verify("BitCast", [given], [expected], 26, to=to)
                older = self.out / "older.onnx"
                self.done("convert", self.write("BitCast", [given], [expected], 26, to=to), "-o",
                          older, "--opset", "18")
                self.assertIn("Gather", self.done("inspect", older))
                self.done("verify", older, "--data", self.out, "--rtol", "0", "--atol", "0")
        model = self.write("BitCast", [np.uint8([1])], [np.float32([1])], 26, to=9)
        self.assertIn("the bits of u8 as bool", self.fails(4, "convert", model, "-o", self.out / "m.py"))

    def test_affine_grid(self):
        theta = self.draw(2, 2, 3)
        for corners, height in itertools.product((0, 1), (1, 3)):
            half = 0 if corners else 1 / height
            rows = np.linspace(-1 + half, 1 - half, height) if height > 1 else [-1.0 + half]
            columns = np.linspace(-1, 1, 2) * (1 if corners else 0.5)
            points = np.array([[[x, y, 1] for x in columns] for y in rows])
            self.verify("AffineGrid", [theta, np.array([2, 3, height, 2])],
                        [np.einsum("hwj,nij->nhwi", points, theta)], 20, (1,),
                        align_corners=corners)

    def test_rotary_embedding(self):
        cos, sin = self.draw(9, SIZE // 2), self.draw(9, SIZE // 2)
        positions = self.random.integers(0, 9, (BATCH, STEPS))
        for interleaved in (0, 1):
            for size in (SIZE, SIZE - 2):
                x = self.draw(BATCH, HEADS, STEPS, SIZE)
                tables = cos[:, :size // 2], sin[:, :size // 2]
                y = rotary(x, *tables, positions, interleaved, size)
                options = {"interleaved": interleaved, "rotary_embedding_dim": size % SIZE}
                self.verify("RotaryEmbedding", [x, *tables, positions], [y], **options)
                flat = [z.transpose(0, 2, 1, 3).reshape(BATCH, STEPS, -1) for z in (x, y)]
                self.verify("RotaryEmbedding", [flat[0], *tables, positions], [flat[1]],
                            num_heads=HEADS, **options)


if __name__ == "__main__":
    unittest.main()
