#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attention as PyTorch's modules spell it out, as one step of generated programs, against torch.

Exits 77 without torch.
"""

import math
import sys
import unittest

import numpy as np

from command_case import CommandCase

try:
    import torch
    from torch import nn
except ImportError:
    sys.exit(77)

BATCH, STEPS, PAST, HEADS, SIZE = 2, 9, 4, 4, 6
WIDTH = HEADS * SIZE
LOW = torch.finfo(torch.float32).min


def split(x, heads=HEADS):
    return x.view(x.shape[0], x.shape[1], heads, SIZE).transpose(1, 2)


def join(x):
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], -1)


def rotate(x, cos, sin):
    half = torch.cat([-x[..., SIZE // 2:], x[..., :SIZE // 2]], -1)
    return x * cos + half * sin


class Spellings(nn.Module):
    """Each method is one way in which models write it; every result is an output."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.together = nn.Linear(WIDTH, 3 * WIDTH)
        self.few = nn.Linear(WIDTH, 2 * SIZE)
        self.multihead = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.register_buffer("causal", torch.ones(32, 32, dtype=torch.bool).tril()[None, None])
        self.register_buffer("places", torch.randn(1, HEADS, STEPS, STEPS))
        angles = torch.arange(STEPS)[:, None] / 10.0 ** torch.arange(SIZE // 2)
        self.register_buffer("angles", torch.cat([angles, angles], -1))

    def bert(self, x, keep):
        q, k, v = (split(layer(x)) for layer in (self.query, self.key, self.value))
        scores = q @ k.transpose(-1, -2) / math.sqrt(SIZE)
        scores = scores + (1.0 - keep[:, None, None, :].float()) * LOW
        return join(torch.softmax(scores, -1) @ v)

    def gpt2(self, x, past_key, past_value):
        q, k, v = (split(part) for part in self.together(x).split(WIDTH, 2))
        k, v = torch.cat([past_key, k], 2), torch.cat([past_value, v], 2)
        scores = torch.matmul(q, k.transpose(-1, -2)) * SIZE ** -0.5
        rows, columns = q.shape[2], k.shape[2]
        seen = self.causal[:, :, columns - rows:columns, :columns]
        scores = torch.where(seen, scores, torch.tensor(LOW))
        return join(torch.softmax(scores, -1) @ v), k, v

    def vision(self, x):
        parts = self.together(x).reshape(BATCH, STEPS, 3, HEADS, SIZE).permute(2, 0, 3, 1, 4)
        q, k, v = parts[0], parts[1], parts[2]
        scores = (q * SIZE ** -0.5) @ k.transpose(-2, -1)
        return join((scores + self.places).softmax(-1) @ v)

    def t5(self, x):
        q, k, v = (split(layer(x)) for layer in (self.query, self.key, self.value))
        return join(torch.softmax(q @ k.transpose(3, 2) + self.places, -1) @ v)

    def roots(self, x):
        q, k, v = (split(layer(x)).reshape(BATCH * HEADS, STEPS, SIZE)
                   for layer in (self.query, self.key, self.value))
        root = SIZE ** -0.25
        scores = torch.bmm(q * root, (k * root).transpose(1, 2))
        return torch.bmm(torch.softmax(scores, -1), v)

    def llama(self, x, keep):
        q, k, v = split(self.query(x)), split(self.few(x), 2), split(self.few(x), 2)
        cos, sin = self.angles.cos(), self.angles.sin()
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        k, v = (part[:, :, None].expand(BATCH, 2, HEADS // 2, STEPS, SIZE)
                .reshape(BATCH, HEADS, STEPS, SIZE) for part in (k, v))
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(SIZE)
        mask = torch.full((STEPS, STEPS), LOW).triu(1)
        scores = scores + mask + (keep.float()[:, None, None] - 1) * 100
        return join(torch.softmax(scores, -1) @ v)

    def masked_fill(self, x, keep):
        q, k, v = (split(layer(x)) for layer in (self.query, self.key, self.value))
        scores = (q @ k.transpose(2, 3) * 0.3).masked_fill(~keep[:, None, None, :], -math.inf)
        return join(torch.softmax(scores, -1) @ v)

    def one_step(self, x, past_key, past_value):
        q, k, v = (split(layer(x[:, :1])) for layer in (self.query, self.key, self.value))
        k, v = torch.cat([past_key, k], 2), torch.cat([past_value, v], 2)
        return join(torch.softmax(q @ k.transpose(2, 3) / 2.0, -1) @ v)

    def forward(self, x, keep, past_key, past_value):
        # Each of its own operand: equal products would become one.
        return (self.bert(x, keep), *self.gpt2(x, past_key, past_value), self.vision(x + 1),
                self.t5(x + 2), self.roots(x + 3), self.llama(x, keep),
                self.masked_fill(x + 4, keep), self.one_step(x, past_key, past_value),
                self.multihead(x, x, x, need_weights=False)[0])


class AttentionSpellings(CommandCase):
    def test_programs_agree_with_torch(self):
        torch.manual_seed(5)
        model = Spellings().eval()
        past = (torch.randn(BATCH, HEADS, PAST, SIZE) for _ in range(2))
        keep = torch.ones(BATCH, STEPS, dtype=torch.bool)
        keep[0, 5:] = False
        inputs = (torch.randn(BATCH, STEPS, WIDTH), keep, *past)
        names = ["x", "keep", "past_key", "past_value"]
        outputs = model(*inputs)  # with gradients: else torch takes an operator of its own
        torch.onnx.export(model, inputs, str(self.out / "model.onnx"), input_names=names,
                          output_names=[f"y{i}" for i in range(len(outputs))], opset_version=16)
        np.savez(self.out / "inputs.npz", **{n: x.numpy() for n, x in zip(names, inputs)})
        np.savez(self.out / "outputs.npz",
                 **{f"y{i}": y.detach().numpy() for i, y in enumerate(outputs)})
        self.done("codegen", self.out / "model.onnx", "-o", self.out / "cpp", "--name", "spellings")
        program = (self.out / "cpp" / "spellings.cc").read_text()
        self.assertEqual(program.count("  rt::PreparedAttention "), 9)
        self.done("verify", self.out / "model.onnx", "--data", self.out, "--engine", "native")


if __name__ == "__main__":
    unittest.main()
