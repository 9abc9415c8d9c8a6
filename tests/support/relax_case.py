# SPDX-License-Identifier: Apache-2.0
"""Relax modules, and what they compute."""

import numpy as np

from command_case import CommandCase
from commands import dragoman
from run_outputs import read_outputs

random = np.random.default_rng(11)


def draw(*sizes):
    return random.standard_normal(sizes).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def annotation(array):
    sizes = ", ".join(map(str, array.shape)) + ("," if array.ndim == 1 else "")
    return f'R.Tensor(({sizes}), dtype="{array.dtype}")'


def function(body, name="main", decorator="@R.function", result="", **parameters):
    """A function of a module; parameters are arrays, or annotations as text."""
    typed = ", ".join(f"{key}: {p if isinstance(p, str) else annotation(p)}"
                      for key, p in parameters.items())
    lines = "\n".join("        " + line for line in body.strip("\n").split("\n"))
    return f"    {decorator}\n    def {name}({typed}){result}:\n{lines}\n"


class RelaxCase(CommandCase):
    def write(self, *functions, name="model.py"):
        path = self.out / name
        path.write_text("@I.ir_module\nclass Module:\n" + "\n".join(functions))
        return path

    def outputs(self, model, **inputs):
        arguments = []
        for name, array in inputs.items():
            np.save(self.out / f"{name}.npy", array)
            arguments += ["--input", f"{name}={self.out / name}.npy"]
        out = self.out / f"out{len(list(self.out.iterdir()))}"
        done = dragoman("run", model, *arguments, "--output-dir", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [array for array, _ in read_outputs(out)]

    def agrees(self, model, expected, **inputs):
        outputs = self.outputs(model, **inputs)
        self.assertEqual(len(outputs), len(expected))
        for output, array in zip(outputs, expected):
            array = np.asarray(array)
            self.assertEqual((output.dtype, output.shape), (array.dtype, array.shape))
            np.testing.assert_allclose(output, array, rtol=2e-5, atol=2e-6)

    def computes(self, call, *expected, **inputs):
        """main(inputs…), which returns the call, gives these arrays."""
        self.agrees(self.write(function(f"r = {call}\nreturn r", **inputs)), expected, **inputs)

    def common(self, model):
        """The graph in the normal form, as text."""
        return self.done("convert", model, "-o", "-", "--to", "text", "--level", "common",
                         "--passes", "default")
