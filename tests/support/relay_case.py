# SPDX-License-Identifier: Apache-2.0
"""Relay texts with parameters and constants, and what they compute."""

import numpy as np

from command_case import CommandCase
from commands import dragoman
from run_outputs import read_outputs

HEAD = '#[version = "0.0.5"]\n'
random = np.random.default_rng(5)


def draw(*sizes):
    return random.standard_normal(sizes).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def tensor(array):
    sizes = ", ".join(map(str, array.shape))
    return f"Tensor[({sizes}), {array.dtype}]" if array.ndim else str(array.dtype)


class RelayCase(CommandCase):
    def write(self, text, name="model.relay"):
        path = self.out / name
        path.write_text(text if text.startswith(("#[", "v0", "{")) else HEAD + text)
        return path

    def outputs(self, model, engine, **inputs):
        arguments = []
        for name, array in inputs.items():
            np.save(self.out / f"{name}.npy", array)
            arguments += ["--input", f"{name}={self.out / name}.npy"]
        out = self.out / f"out{len(list(self.out.iterdir()))}"
        done = dragoman("run", model, *arguments, "--engine", engine, "--output-dir", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [array for array, _ in read_outputs(out)]

    def agrees(self, model, expected, engines=("interpreter",), **inputs):
        for engine in engines:
            with self.subTest(engine=engine):
                outputs = self.outputs(model, engine, **inputs)
                self.assertEqual(len(outputs), len(expected))
                for output, array in zip(outputs, expected):
                    array = np.asarray(array)
                    self.assertEqual((output.dtype, output.shape), (array.dtype, array.shape))
                    np.testing.assert_allclose(output, array, rtol=1e-5, atol=1e-6)

    def computes(self, body, expected, **inputs):
        """A function of these inputs whose body is given gives that."""
        signature = ", ".join(f"%{name}: {tensor(array)}" for name, array in inputs.items())
        expected = expected if isinstance(expected, list) else [expected]
        self.agrees(self.write(f"def @main({signature}) {{\n{body}\n}}\n"), expected, **inputs)

    def convert(self, model, *arguments):
        done = dragoman("convert", model, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def common(self, model):
        return self.convert(model, "-o", "-", "--to", "text", "--level", "common", "--passes",
                            "default")

    def refused(self, text, code, *parts):
        done = dragoman("convert", self.write(text), "-o", self.out / "refused.onnx")
        self.assertEqual(done.returncode, code, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)


class CallsCase(RelayCase):
    def setUp(self):
        super().setUp()
        self.calls = []

    def gives(self, body, *expected, **inputs):
        """A call of these inputs gives that; so says the run at the end of the test."""
        self.calls.append((body, expected, inputs))

    def check(self, **tolerance):
        functions, arguments, results, names = [], [], [], []
        for number, (body, expected, inputs) in enumerate(self.calls):
            local = ", ".join(f"%{name}: {tensor(array)}" for name, array in inputs.items())
            functions.append(f"def @call{number}({local}) {{\n{body}\n}}\n")
            for name, array in inputs.items():
                np.save(self.out / f"{name}_{number}.npy", array)
                names.append(f"%{name}_{number}: {tensor(array)}")
                arguments += ["--input", f"{name}_{number}={self.out}/{name}_{number}.npy"]
            given = ", ".join(f"%{name}_{number}" for name in inputs)
            call = f"@call{number}({given})"
            parts = [f"{call}.{i}" for i in range(len(expected))] if len(expected) > 1 else [call]
            results += parts
        text = "".join(functions) + f"def @main({', '.join(names)}) {{\n({', '.join(results)},)\n}}\n"
        done = dragoman("run", self.write(text), *arguments, "--output-dir", self.out / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        outputs = iter(array for array, _ in read_outputs(self.out / "out"))
        for body, expected, _ in self.calls:
            for array in expected:
                output = next(outputs)
                with self.subTest(body=body):
                    array = np.asarray(array)
                    self.assertEqual((output.dtype, output.shape), (array.dtype, array.shape))
                    np.testing.assert_allclose(output, array, **({"rtol": 1e-5, "atol": 1e-5} |
                                                                 tolerance))
