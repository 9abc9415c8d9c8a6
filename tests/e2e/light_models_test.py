# SPDX-License-Identifier: Apache-2.0
"""Whole networks of ONNX's model zoo: converted, generated, compiled, run.

Their weights are constants, so their outputs say little of the numbers; what counts is that every
structure goes through. One is compiled and run, all of them if the environment variable
DRAGOMAN_ALL is set. Skipped where the files are missing.
"""

import os
import pathlib
import sys
import unittest

import numpy
import onnx
import onnx.numpy_helper

from command_case import CommandCase

LIGHT = pathlib.Path("../shared/data/onnx-1.17/light")
MODELS = sorted(LIGHT.glob("*.onnx"))
COMPILED = [path for path in MODELS if os.environ.get("DRAGOMAN_ALL") or "squeezenet" in path.stem]


class LightModels(CommandCase):
    def data_of(self, path):
        """A data set of zeros for the model's input, and the recorded output."""
        graph = onnx.load(str(path)).graph
        constants = {tensor.name for tensor in graph.initializer}
        inputs = [value for value in graph.input if value.name not in constants]
        folder = self.out / f"{path.stem}_data"
        folder.mkdir()
        for number, value in enumerate(inputs):
            sizes = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
            tensor = onnx.numpy_helper.from_array(numpy.zeros(sizes, numpy.float32), value.name)
            (folder / f"input_{number}.pb").write_bytes(tensor.SerializeToString())
        recorded = LIGHT / f"{path.stem}_output_0.pb"
        (folder / "output_0.pb").write_bytes(recorded.read_bytes())
        return folder

    def test_convert(self):
        for path in MODELS:
            with self.subTest(path.stem):
                self.done("convert", path, "-o", self.out / "copy.onnx")
                self.assertEqual((self.out / "copy.onnx").read_bytes(), path.read_bytes())
                self.done("convert", path, "-o", self.out / f"{path.stem}.py")
                self.done("codegen", path, "-o", self.out / path.stem)

    def test_compile_and_run(self):
        for path in COMPILED:
            with self.subTest(path.stem):
                self.done("verify", path, "--data", self.data_of(path), "--engine", "native")


if __name__ == "__main__":
    if not MODELS:
        print(f"{LIGHT} is not there")
        sys.exit(77)
    unittest.main()
