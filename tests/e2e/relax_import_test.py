#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Relax module is a Python file: importing it finds TVM's names and runs the decorators of its
class. A stand-in for the package `tvm` takes note of them."""

import os
import subprocess
import sys
import unittest

from command_case import CommandCase

IR = """
def ir_module(cls):
    cls.is_module = True
    return cls
"""
RELAX = """
class Type:
    def __init__(self, *arguments, **keywords):
        self.arguments = arguments, keywords


Tensor = Tuple = Shape = Object = Prim = Type


def function(f=None, *, private=False, pure=True):
    if f is None:
        return lambda g: function(g, private=private, pure=pure)
    f.private = private
    return f
"""
PROGRAM = """
import model
main = model.Module.main
print(model.Module.is_module, main.private, main.__code__.co_varnames[:main.__code__.co_argcount],
      model.Module.loop.private if hasattr(model.Module, "loop") else None)
"""


class ImportTest(CommandCase):
    def setUp(self):
        super().setUp()
        package = self.out / "tvm" / "script"
        package.mkdir(parents=True)
        (self.out / "tvm" / "__init__.py").touch()
        (package / "__init__.py").touch()
        (package / "ir.py").write_text(IR)
        (package / "tirx.py").touch()
        (package / "relax.py").write_text(RELAX)

    def imported(self, model):
        self.done("convert", model, "-o", self.out / "model.py")
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True,
                              check=False, env={**os.environ, "PYTHONPATH": str(self.out)})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_imports(self):
        self.assertEqual(self.imported("tests/models/mlp/model.onnx"),
                         "True False ('x', '_0_weight', '_0_bias', '_2_weight', '_2_bias') None")
        self.assertIn("True False ('x',", self.imported("tests/models/lstm/model.onnx"))


if __name__ == "__main__":
    unittest.main()
