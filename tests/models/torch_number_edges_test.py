#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of Python numbers in TorchScript at the edges of int and float.

A program takes numbers pairwise from two tensors, or from lists that the file holds, so that Dragoman
($DRAGOMAN_BINARY) has to compute at run time, or knows them when it lowers. All results are what
torch gives, bit for bit. Left out is what torch does not define: an int by 0, the least one by -1,
and int % int where its own sum overflows. Skipped where torch is not installed.
"""

import itertools
import pathlib
import tempfile
import unittest

import numpy as np

from commands import complaint, dragoman
from run_outputs import read_outputs

try:
    import torch
except ImportError:
    torch = None

INF, NAN = float("inf"), float("nan")
FLOATS = [0.0, -0.0, -5.3, 0.1, -3.0, 2.0, 1e17, -1e300, 1e-300, INF, -INF, NAN]
MOST = (1 << 63) - 1
INTS = [-MOST - 1, -MOST, -8, -7, -1, 0, 1, 7, (1 << 53) + 1, MOST - 1, MOST]
OF_FLOATS = ["a // b", "a % b", "a / b", "math.fmod(a, b)", "math.remainder(a, b)",
             "math.copysign(a, b)", "a * b - a", "float(int(a))", "min(a, b)", "max(a, b)",
             "abs(a)", "-a"]
BY_OTHER_THAN_0 = ["divmod(a, b)[0]", "divmod(a, b)[1]"]
OF_INTS = ["a // b", "divmod(a, b)[0]", "divmod(a, b)[1]", "a * b", "a + b", "a - b", "abs(a)", "-a",
           "min(a, b)", "max(a, b)"]
SOURCE = """import math
from typing import List
import torch
class Numbers(torch.nn.Module):
    def __init__(self, xs: List[{kind}], ys: List[{kind}]):
        super().__init__()
        self.xs: List[{kind}] = xs
        self.ys: List[{kind}] = ys
    def forward(self{inputs}):
        results: List[{kind}] = []
        for i in range({count}):
            a, b = {kind}({x}[i]), {kind}({y}[i])
            results += [{texts}]
        return torch.stack([torch.full([], result, dtype=torch.{dtype}) for result in results])
"""


def int_pairs():
    for a, b in itertools.product(INTS, INTS):
        if b != 0 and not (b == -1 and a == INTS[0]):
            yield a, b


@unittest.skipIf(torch is None, "torch is not installed")
class NumberEdges(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def script(self, kind, pairs, texts, known):
        xs, ys = map(list, zip(*pairs))
        source = SOURCE.format(kind=kind, count=len(pairs), texts=", ".join(texts),
                               inputs="" if known else ", x, y", x="self.xs" if known else "x",
                               y="self.ys" if known else "y",
                               dtype={"int": "int64", "float": "float64"}[kind])
        path = self.out / f"source_{len(list(self.out.glob('source_*')))}.py"
        path.write_text(source, encoding="utf-8")
        scope = {"__name__": path.stem}
        exec(compile(source, str(path), "exec"), scope)
        return torch.jit.script(scope["Numbers"](xs, ys))

    def run_model(self, model, *arguments):
        done = dragoman("run", model, "--output-dir", self.out / "results", *arguments)
        self.assertEqual(complaint(done), "")
        (array, _), = read_outputs(self.out / "results")
        return array

    def compare(self, way, found, wanted, pairs, texts):
        same = found == wanted
        if wanted.dtype.kind == "f":
            same = same & (np.signbit(found) == np.signbit(wanted)) | (
                np.isnan(found) & np.isnan(wanted))
        wrong = [f"{texts[i % len(texts)]} of {pairs[i // len(texts)]}: {found[i]!r}, torch "
                 f"{wanted[i]!r}" for i in np.flatnonzero(~same)]
        self.assertEqual(wrong, [], f"{way}: {len(wrong)} of {len(found)} wrong")

    def check(self, kind, pairs, texts):
        dtype = {"int": torch.int64, "float": torch.float64}[kind]
        operands = [torch.tensor(column, dtype=dtype) for column in zip(*pairs)]
        feeds, facts = [], []
        for name, operand in zip("xy", operands):
            np.save(self.out / f"{name}.npy", operand.numpy())
            feeds += ["--input", f"{name}={self.out / name}.npy"]
            facts += ["--shape", f"{name}={str(dtype)[6:]}:{len(pairs)}"]
        model, known, written = (self.out / name for name in ("m.pt", "known.pt", "m.onnx"))
        module = self.script(kind, pairs, texts, False)
        module.save(str(model))
        wanted = module(*operands).numpy()
        self.script(kind, pairs, texts, True).save(str(known))
        self.assertEqual(complaint(dragoman("convert", model, "-q", "-o", written, *facts)), "")
        with self.subTest("run"):
            self.compare("run", self.run_model(model, *feeds, *facts), wanted, pairs, texts)
        with self.subTest("ONNX file"):
            self.compare("ONNX file", self.run_model(written, *feeds), wanted, pairs, texts)
        with self.subTest("known"):
            self.compare("known", self.run_model(known), wanted, pairs, texts)

    def test_floats(self):
        pairs = list(itertools.product(FLOATS, FLOATS))
        self.check("float", pairs, OF_FLOATS)

    def test_divmod_of_floats(self):
        pairs = [(a, b) for a, b in itertools.product(FLOATS, FLOATS) if b != 0]
        self.check("float", pairs, BY_OTHER_THAN_0)

    def test_ints(self):
        self.check("int", list(int_pairs()), OF_INTS)

    def test_remainder_of_ints(self):
        pairs = [(a, b) for a, b in int_pairs() if abs(b) <= 1 << 62]
        self.check("int", pairs, ["a % b"])


if __name__ == "__main__":
    unittest.main()
