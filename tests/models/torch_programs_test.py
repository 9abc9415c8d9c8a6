#!/usr/bin/env python3
"""Scripted programs whose branches and loops cannot take all sizes, with defaults that are tensors, with
functions of numbers, and with calls that need an element type promoted: what torch gives for them, or
that both fail. Skipped where torch is not installed."""

import linecache
import unittest

import numpy as np

from command_case import CommandCase
from commands import dragoman
from run_outputs import read_outputs

try:
    import torch
except ImportError:
    torch = None

SOURCE = """import math
import torch
import torch.nn.functional as F
class Program(torch.nn.Module):
    def forward(self, {arguments}):
{body}
"""
RATES = """        if rate == 16000:
            y = torch.conv1d(x.view(1, 1, 512), torch.ones(1, 1, 512)).sum()
        else:
            y = F.linear(x, torch.ones(4, 256)).sum()
        return y
"""
TURNS = """        y = x.sum()
        for i in range(n):
            y = y + torch.matmul(x, torch.ones(7, 2)).sum()
        return y
"""
FUNCTIONS = ("math.erf({0})", "math.erfc({0})", "math.lgamma({0})", "math.asinh({0})",
             "math.acosh({0} + 1.0)", "math.atanh({0} / 100.0)")
SHIFTS = ("n << k", "n >> k", "(-n) >> k", "(-n) << k")
CALLS = ("F.avg_pool2d(x, [3, 2], [2, 2], [1, 0], True, True, divisor_override=5)",
         "F.avg_pool2d(x, 2, 2, 0, True, True, divisor_override=3)",
         "F.avg_pool2d(x, [2, 3], 2, 1, True, False, divisor_override=-2)",
         "F.avg_pool3d(x, [2, 3, 3], 2, 1, True, True, divisor_override=3)",
         "torch.outer(b, b[1:])", "torch.einsum('i,j->ij', u, u)",
         "torch.einsum('ij,jk->ik', u.view(2, 2), u.view(2, 2))",
         "torch.linalg.vander(x[0])", "torch.linalg.vander(x[0], N=4)")


@unittest.skipIf(torch is None, "torch is not installed")
class TorchPrograms(CommandCase):
    def script(self, arguments, body):
        source = SOURCE.format(arguments=arguments, body=body)
        name = f"<program {len(linecache.cache)}>"
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        scope = {"__name__": "programs"}
        exec(compile(source, name, "exec"), scope)
        module = torch.jit.script(scope["Program"]())
        module.save(str(self.out / "m.pt"))
        return module

    def compare(self, module, arguments, given=None):
        """`given`: how many of the arguments the call states; all if None."""
        facts = []
        for i, argument in enumerate(arguments[:given]):
            np.save(self.out / f"{i}.npy", np.asarray(argument))
            facts += ["--input", f"{i}={self.out}/{i}.npy"]
        self.done("run", self.out / "m.pt", "-q", *facts, "--output-dir", self.out / "results")
        wanted = module(*arguments[:given])
        found = read_outputs(self.out / "results")
        for (array, _), one in zip(found, wanted if isinstance(wanted, tuple) else (wanted,)):
            one = np.asarray(one)
            self.assertEqual((array.dtype, array.shape), (one.dtype, one.shape))
            np.testing.assert_allclose(array, one, rtol=1e-6, atol=1e-6)

    def fails_alike(self, module, arguments, message):
        with self.assertRaises(Exception):
            module(*arguments)
        for i, argument in enumerate(arguments):
            np.save(self.out / f"{i}.npy", np.asarray(argument))
        result = dragoman("run", self.out / "m.pt", "--output-dir", self.out / "results",
                          *[f"--input={i}={self.out}/{i}.npy" for i in range(len(arguments))])
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("assertion failed", result.stderr)
        self.assertIn(message, result.stderr)

    def test_a_branch_that_cannot_take_the_sizes(self):
        module = self.script("x, rate: int", RATES)
        x = torch.ones(512)
        self.compare(module, (x, 16000))
        self.fails_alike(module, (x, 8000), "512 features, the weight 256")

    def test_a_loop_that_cannot_take_the_sizes(self):
        module = self.script("x, n: int", TURNS)
        x = torch.ones(4, 3)
        self.compare(module, (x, 0))
        self.fails_alike(module, (x, 2), "size of the first operand")

    def test_functions_of_numbers(self):
        texts = [text.format(number) for text in FUNCTIONS for number in ("f", "2.75")]
        module = self.script("f: float", f"        return torch.tensor([{', '.join(texts)}])\n")
        for number in (0.25, 1.0, 2.5, 30.0):
            self.compare(module, (number,))

    def test_shifts_of_ints(self):
        module = self.script("n: int, k: int", f"        return {', '.join(SHIFTS)}\n")
        for n in (0, 1, 1234567, -991234567891, (1 << 62) + 5):
            for k in (0, 1, 5, 40, 63):
                self.compare(module, (n, k))

    def test_calls(self):
        body = f"        return {', '.join(CALLS)}\n"
        module = self.script("x, b, u", body)
        draw = torch.Generator().manual_seed(1)
        bools = torch.tensor([True, False, True])
        bytes_ = torch.tensor([200, 3, 100, 7], dtype=torch.uint8)
        for sizes in ((1, 2, 6, 7), (2, 2, 5, 8)):
            self.compare(module, (torch.randn(sizes, generator=draw), bools, bytes_))

    def test_a_default_that_is_a_tensor(self):
        module = self.script("x, state: torch.Tensor = torch.arange(3.0)",
                             "        return x * state\n")
        x = torch.tensor([3.0, 4.0, 5.0])
        self.compare(module, (x,))
        module = self.script("x", "        return self.scaled(x) + self.scaled(x, x)\n"
                             "    def scaled(self, x, by: torch.Tensor = torch.full([2], 7.0)):\n"
                             "        return x * by\n")
        self.compare(module, (torch.tensor([3.0, 4.0]),))


if __name__ == "__main__":
    unittest.main()
