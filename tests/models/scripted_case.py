# SPDX-License-Identifier: Apache-2.0
"""Scripted programs of torch in `dragoman run`: a case whose tests are skipped where torch is not installed."""

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
from torch import Tensor
from typing import Dict, List
import torch.nn.functional as F
{functions}class Program(torch.nn.Module):
    def forward(self, {arguments}):
{body}
"""


@unittest.skipIf(torch is None, "torch is not installed")
class ScriptedCase(CommandCase):
    def script(self, arguments, body, functions="", **attributes):
        source = SOURCE.format(arguments=arguments, body=body, functions=functions)
        name = f"<program {len(linecache.cache)}>"
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        scope = {"__name__": "programs"}
        exec(compile(source, name, "exec"), scope)
        program = scope["Program"]()
        for attribute, value in attributes.items():
            setattr(program, attribute, value)
        module = torch.jit.script(program)
        module.save(str(self.out / "m.pt"))
        return module

    def compare(self, module, arguments, given=None, model="m.pt"):
        """`given`: how many of the arguments the call states; all if None."""
        facts = []
        for i, argument in enumerate(arguments[:given]):
            np.save(self.out / f"{i}.npy", np.asarray(argument))
            facts += ["--input", f"{i}={self.out}/{i}.npy"]
        self.done("run", self.out / model, "-q", *facts, "--output-dir", self.out / "results")
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
