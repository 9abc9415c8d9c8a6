#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What codegen says at its end, and what compilers say of what it writes."""

import pathlib
import shutil
import subprocess
import unittest

from command_case import CommandCase
from commands import dragoman

MODELS = pathlib.Path(__file__).resolve().parent


class CodegenText(CommandCase):
    def arguments(self, name, *more):
        return ["codegen", MODELS / name / "model.onnx", "-o", self.out / name, "--name", name,
                *more]

    def check(self, compiler, folder, source):
        """Compiles a source without output; warnings are errors."""
        done = subprocess.run([compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror",
                               "-fsyntax-only", '-DMODEL_WEIGHTS=""', f"-I{folder}", source],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_compilers_have_nothing_to_warn_of(self):
        for name in ("mlp_dynamic", "resnet"):
            self.done(*self.arguments(name, "-q"))
            for compiler in filter(shutil.which, ("g++", "clang++")):
                for source in (self.out / name).glob("*.cc"):
                    with self.subTest(compiler=compiler, source=source.name):
                        self.check(compiler, self.out / name, source)

    def test_elements_that_kernels_only_move_have_their_type(self):
        text = self.out / "moved.dgt"
        text.write_text("graph main(%x: c128[3, 4], %i: i64[n]) -> (%y) {\n"
                        "%t = onnx.Transpose(%x) {perm = [1, 0]}\n%y = onnx.Gather(%t, %i)\n}")
        self.done("codegen", text, "-q", "-o", self.out / "moved")
        self.check("g++", self.out / "moved", self.out / "moved" / "moved.cc")

    def test_the_lines_to_paste_compile(self):
        told = self.done(*self.arguments("bert_dynamic"))
        include, statements = told.split("has all methods):\n")[1].split("\n\n", 1)
        folder = self.out / "bert_dynamic"
        (folder / "use.cc").write_text(
            f"{include.strip()}\nint main() {{\n{statements}return status.ok() ? 0 : 1;\n}}\n")
        self.check("c++", folder, folder / "use.cc")

    def test_the_proof_tells_errors_and_time(self):
        done = dragoman(*self.arguments("mlp", "--data", MODELS / "mlp", "--precision", "bf16"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(": ok: y: f32[1, 10], r.m.s. error 0."), 2, done.stdout)
        self.assertIn("2 recorded runs, 2 outputs: all as recorded, largest error", done.stdout)
        self.assertIn("Time a call here: ", done.stdout)
        self.assertIn("a call allocates nothing", done.stdout)
        self.assertLessEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_integers_need_a_quantised_model(self):
        told = self.fails(4, *self.arguments("mlp", "--precision", "int8"))
        self.assertIn("the model is not quantised", told)
        self.assertFalse((self.out / "mlp").exists())


if __name__ == "__main__":
    unittest.main()
