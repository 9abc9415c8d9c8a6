#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verify and run as a user calls them: models against each other, given and drawn inputs, and the
first value that differs."""

import json
import os
import pathlib
import subprocess
import unittest

import numpy
import onnx.numpy_helper

from command_case import CommandCase
from commands import DRAGOMAN, dragoman

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
MLP = MODELS / "mlp" / "model.onnx"
POLICY = MODELS / "torchscript" / "lstm_policy"
DETECTION = MODELS / "torchscript" / "detection"
DEFAULT = """dragoman 1 source onnx
opset "" 13
extra {onnx.ir_version = 8}

entry main @sum(%x: f32[2], %w: f32[2] = [10.0, 20.0]) -> (%y: f32[2]) {
  %y = onnx.Add(%x, %w)
}
"""


SCALED = """dragoman 1 common onnx
opset "" 22

entry main @scaled(%x: f32[8]) -> (%y: f32[8]) {{
  const %scale: {type}[] = {scale}
  %x_cast: {type}[8] = onnx.Cast(%x) {{to = {number}}}
  %scaled: {type}[8] = onnx.Mul(%x_cast, %scale)
  %y = onnx.Cast(%scaled) {{to = 1}}
}}
"""


class Verify(CommandCase):
    def edited(self, name, *changes):
        """MLP with changes of its text."""
        text = self.done("convert", MLP, "-o", "-")
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        path = self.out / f"{name}.dgt"
        path.write_text(text)
        return path

    def test_a_file_with_states_that_we_wrote_equals_itself(self):
        policy = self.out / "policy.onnx"
        self.done("convert", POLICY / "model.pt", "-o", policy, "--shape", "x=f32:1,6", "-q")
        self.assertIn("random input 1: ok",
                      self.done("verify", policy, "--against", policy, "--random", 2))

    def test_inputs_of_other_names_are_matched_by_position(self):
        renamed = self.edited("renamed", ("%x", "%observation"))
        self.assertIn(": ok", self.done("verify", MLP, "--against", renamed))
        self.assertIn(": ok", self.done("verify", renamed, "--against", MLP))
        recorded = self.out / "recorded"
        recorded.mkdir()
        x = numpy.ones((1, 41), numpy.float32)
        numpy.savez(recorded / "inputs.npz", observation=x)
        numpy.save(self.out / "x.npy", x)
        self.done("run", MLP, "--input", f"x={self.out}/x.npy", "--output-dir", self.out / "y")
        numpy.savez(recorded / "outputs.npz", action=numpy.load(self.out / "y" / "y.npy"))
        self.assertIn(": ok", self.done("verify", MLP, "--data", recorded))

    def test_inputs_can_be_given(self):
        numpy.save(self.out / "x.npy", numpy.ones((1, 41), numpy.float32))
        self.assertIn("given inputs: ok", self.done("verify", MLP, "--against", MLP, "--input",
                                                    f"x={self.out}/x.npy"))
        self.fails(2, "verify", MLP, "--data", MODELS / "mlp", "--input", f"x={self.out}/x.npy")

    def test_inputs_with_a_default_can_be_given(self):
        """ONNX's initializers that are inputs, too: the caller's value goes before that of the
        file."""
        model = self.out / "default.dgt"
        model.write_text(DEFAULT)
        self.done("convert", model, "-o", self.out / "default.onnx")
        arrays = {"x": [1, 2], "w": [5, 6]}
        for name, values in arrays.items():
            numpy.save(self.out / f"{name}.npy", numpy.float32(values))
        given = [f"--input={name}={self.out / name}.npy" for name in arrays]
        for path in (model, self.out / "default.onnx"):
            for options, expected in ((given[:1], [11, 22]), (given, [6, 8])):
                self.done("run", path, *options, "--output-dir", self.out / "y", "-q")
                numpy.testing.assert_array_equal(numpy.load(self.out / "y/y.npy"), expected)
            self.assertIn("given inputs: ok", self.done("verify", path, "--against", path, *given))
        numpy.savez(self.out / "inputs.npz", **{n: numpy.float32(v) for n, v in arrays.items()})
        numpy.savez(self.out / "outputs.npz", y=numpy.float32([6, 8]))
        self.assertIn(": ok", self.done("verify", model, "--data", self.out))
        self.done("codegen", model, "-o", self.out / "cpp", "--name", "m", "--shape", "w=2", "-q")
        self.assertIn("run(x: f32[2], w: f32[2])", (self.out / "cpp/m.h").read_text())

    def test_an_onnx_data_set_tells_the_sizes_of_a_torchscript_program(self):
        for stem in ("input", "output"):
            recorded = numpy.load(DETECTION / f"{stem}s.npz")
            for number, name in enumerate(recorded.files):
                tensor = onnx.numpy_helper.from_array(recorded[name])
                (self.out / f"{stem}_{number}.pb").write_bytes(tensor.SerializeToString())
        model = DETECTION / "model.pt"
        self.assertIn("state the inputs' sizes with --shape",
                      self.fails(4, "codegen", model, "-o", self.out / "none"))
        self.assertIn(": ok\n", self.done("verify", model, "--data", self.out))
        self.assertIn(": all as recorded",
                      self.done("codegen", model, "-o", self.out / "cpp", "--data", self.out))
        (self.out / f"output_{number}.pb").unlink()
        found = dragoman("verify", model, "--data", self.out)
        self.assertEqual(found.returncode, 1)
        self.assertIn(f"{number + 1} outputs, expected {number}", found.stdout)

    def test_the_tolerance_of_halves_is_named_where_a_model_computes_in_them(self):
        def scaled(type, number, scale):
            path = self.out / f"{type}_{scale}.dgt"
            path.write_text(SCALED.format(type=type, number=number, scale=scale))
            return path

        def said(type, number, scale, *options):
            found = dragoman("verify", scaled(type, number, "0.25"), "--against",
                             scaled(type, number, scale), *options)
            return found.returncode, "--rtol 1e-2 --atol 1e-2 allows it" in found.stderr

        self.assertEqual(said("f16", 10, "0.251"), (1, True))
        self.assertEqual(said("bf16", 16, "0.252"), (1, True))
        self.assertEqual(said("f16", 10, "0.251", "--rtol", "1e-2", "--atol", "1e-2"), (0, False))
        self.assertEqual(said("f16", 10, "0.251", "--atol", "0"), (1, False))
        self.assertEqual(said("f16", 10, "0.5"), (1, False))
        self.assertEqual(said("f32", 1, "0.251"), (1, False))

    def test_numbers_are_in_the_json(self):
        other = self.edited("other", ("onnx.Relu", "onnx.Tanh"))
        found = dragoman("verify", MLP, "--against", other, "--json")
        self.assertEqual(found.returncode, 1)
        output = json.loads(found.stdout)[0]["outputs"][0]
        self.assertFalse(output["ok"])
        self.assertGreater(output["largest_difference"], 1e-3)
        self.assertEqual((len(output["at"]), output["elements"]), (2, 10))
        self.assertGreater(output["different"], 0)

    def test_another_number_of_steps_than_recorded_is_told(self):
        error = self.fails(2, "verify", POLICY / "model.pt", "--data", POLICY, "--steps", 21)
        self.assertIn("records 10 steps, and --steps asks for 21", error)
        numpy.save(self.out / "x.npy", numpy.ones((20, 1, 41), numpy.float32))
        self.assertIn("input 'x' holds 20 steps, and --steps asks for 21",
                      self.fails(2, "run", MLP, "--input", f"x={self.out}/x.npy", "--output-dir",
                                 self.out / "y", "--steps", 21))

    def test_bisect_names_the_first_value_that_differs(self):
        other = self.edited("other", ("onnx.Relu", "onnx.Tanh"))
        found = dragoman("verify", MLP, "--against", other, "--bisect")
        self.assertEqual(found.returncode, 1)
        lines = found.stdout.splitlines()
        at = lines.index("  bisect: the first value that differs, after 1 that agree:")
        self.assertRegex(lines[at + 1], r"^    /1/Relu_output_0: f32\[1, 64\], \d+ of 64 elements")
        self.assertIn("of node '/1/Relu' (onnx.Relu)", lines[at + 2])
        self.fails(2, "verify", MLP, "--data", MODELS / "mlp", "--bisect")


    def test_outputs_in_another_order_are_told(self):
        two = self.out / "two.dgt"
        text = ("graph main(%x: f32[2]) -> (%a, %b) {\n  %a = onnx.Neg(%x)\n"
                "  %b = onnx.Exp(%x)\n}\n")
        two.write_text(text)
        swapped = self.out / "swapped.dgt"
        swapped.write_text(text.replace("(%a, %b)", "(%b, %a)"))
        found = dragoman("verify", two, "--against", swapped)
        self.assertEqual(found.returncode, 1)
        self.assertIn("; there, 'a' is output 1", found.stdout)
        self.assertIn("; there, 'b' is output 0", found.stdout)

    def test_bisect_of_the_generated_program_and_of_another_model(self):
        found = self.done("verify", MLP, "--engine", "native", "--bisect")
        self.assertIn("random input 0: ok", found)
        other = self.edited("other", ("onnx.Relu", "onnx.Tanh"))
        found = dragoman("verify", MLP, "--against", other, "--engine", "native", "--bisect")
        self.assertEqual(found.returncode, 1)
        self.assertIn("of node '/1/Relu' (onnx.Relu)", found.stdout)

    def test_the_generated_program_is_of_what_was_read(self):
        """A part of the model, from a pipe, one entry: what is held against the interpreter is read
        once."""
        parts = self.out / "parts.dgt"
        parts.write_text("graph main(%x: f32[4]) -> (%y) {\n  %f = onnx.Neg(%x)\n"
                         "  %g = onnx.Exp(%f)\n  %y = onnx.Softmax(%g)\n}\n")
        for options in (["--cut-outputs", "f"], ["--cut-inputs", "g"], ["--cut-outputs", "g", "--bisect"],
                        ["--random", 2, "--seed", 3]):
            found = self.done("verify", parts, "--engine", "native", *options, "-q", "--json")
            self.assertEqual(found, "")
            found = json.loads(self.done("verify", parts, "--engine", "native", *options, "--json"))
            self.assertEqual([one["outputs"][0]["ok"] for one in found], [True] * len(found))
        model = self.out / "parts.onnx"
        self.done("convert", parts, "-o", model)
        piped = subprocess.run([DRAGOMAN, "verify", "-", "--engine", "native"], check=True,
                               input=model.read_bytes(), capture_output=True)
        self.assertIn(b"random input 0: ok", piped.stdout)
        self.assertIn("random input 0: ok", self.done("verify", POLICY / "model.pt", "--entry", "forward",
                                                      "--engine", "native", "--shape", "x=f32:1,6"))


class Run(CommandCase):
    def test_inputs_can_be_drawn(self):
        def output(seed):
            self.done("run", MLP, "--random", "--seed", seed, "--output-dir", self.out / "y")
            return numpy.load(self.out / "y" / "y.npy")

        first = output(1)
        numpy.testing.assert_array_equal(output(1), first)
        self.assertGreater(numpy.abs(output(2) - first).max(), 0)
        self.fails(2, "run", MLP, "--random", "--input", "x=x.npy", "--output-dir", self.out / "z")

    def test_lists_and_optionals_are_drawn(self):
        lists = self.out / "lists.dgt"
        lists.write_text("""dragoman 1 common onnx
opset "" 22
entry main(%list: seq<f32[n, 2]>, %maybe: opt<f32[1, 2]>) -> (%y) {
  %all = onnx.ConcatFromSequence(%list) {axis = 0}
  %one = onnx.OptionalGetElement(%maybe)
  %y = onnx.Add(%all, %one)
}
""")
        self.done("run", lists, "--random", "--output-dir", self.out / "y")
        self.assertEqual(numpy.load(self.out / "y" / "y.npy").shape[1], 2)
        self.assertIn("random input 1: ok",
                      self.done("verify", lists, "--against", lists, "--random", 2))

    def test_the_cache_of_compiled_programs_is_told_and_cleared(self):
        cache = self.out / "cache"
        (cache / "model-0123456789abcdef").mkdir(parents=True)
        (cache / "model-0123456789abcdef" / "infer").write_bytes(b"x" * 1500)
        (cache / "mine").mkdir()

        def asked(*options):
            return subprocess.run([DRAGOMAN, "cache", *options], capture_output=True, text=True,
                                  check=True, env={**os.environ, "DRAGOMAN_CACHE": str(cache)}).stdout

        self.assertEqual(asked(), f"{cache}: 1 compiled program, 1.5 kB; at most 2000.0 MB are kept\n")
        self.assertEqual(json.loads(asked("--clear", "--json"))["freed"], 1500)
        self.assertEqual([path.name for path in cache.iterdir()], ["mine"])


if __name__ == "__main__":
    unittest.main()
