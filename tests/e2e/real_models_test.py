# SPDX-License-Identifier: Apache-2.0
"""Models that people published, of many exporters: inspected, run, compared with recorded outputs.

Each `MODEL.onnx.golden.npz` holds the inputs of a run as in:NAME and its outputs as out:NAME, by
another runtime. The interpreter runs all; so does generated C++ if the environment variable
DRAGOMAN_ALL is set. Skipped where the files are missing.
"""

import os
import pathlib
import sys
import unittest

import numpy

from command_case import CommandCase
from commands import dragoman

MODELS = pathlib.Path("../shared/data/real/onnx")
RECORDED = sorted(MODELS.rglob("*.onnx.golden.npz"))
ENGINES = ["interpreter", "native"] if os.environ.get("DRAGOMAN_ALL") else ["interpreter"]

INVALID = 2
REFUSED = {"bad_graph_with_dup_value_info.onnx"}  # two inputs of one name

# Exit codes of verify other than 0, by the end of the path, and why they are right.
EXPECTED = {
    "opset_15.onnx": (1, "draws random numbers"),
    "constant_fold_bloater.onnx": (1, "its output was too large to be recorded"),
    "inp_dim_val_not_set.onnx": (1, "0/0 was recorded for a variance of nothing; the standard adds"
                                    " an epsilon"),
    "models/roialign.onnx": (2, "regions of images that do not exist were drawn"),
}


def expected_code(model):
    codes = [code for ending, (code, _) in EXPECTED.items() if str(model).endswith(ending)]
    return codes[0] if codes else 0


class RealModels(CommandCase):
    def data_of(self, recording):
        """The recording as the folder of inputs.npz and outputs.npz that `verify` reads."""
        folder = self.out / str(RECORDED.index(recording))
        folder.mkdir(exist_ok=True)
        arrays = numpy.load(recording)
        for file, prefix in ("inputs.npz", "in:"), ("outputs.npz", "out:"):
            numpy.savez(folder / file, **{name[len(prefix):]: arrays[name]
                                          for name in arrays.files if name.startswith(prefix)})
        return folder

    def test_all_can_be_inspected(self):
        for model in sorted(MODELS.rglob("*.onnx")):
            with self.subTest(str(model)):
                result = dragoman("inspect", model)
                self.assertEqual(result.returncode, INVALID if model.name in REFUSED else 0,
                                 result.stderr)

    def test_outputs_equal_those_recorded(self):
        for recording in RECORDED:
            model = recording.with_suffix("").with_suffix("")
            for engine in ENGINES:
                with self.subTest(str(model), engine=engine):
                    result = dragoman("verify", model, "--data", self.data_of(recording),
                                      "--engine", engine)
                    self.assertEqual(result.returncode, expected_code(model),
                                     result.stdout + result.stderr)


if __name__ == "__main__":
    if not RECORDED:
        print(f"{MODELS} is not there")
        sys.exit(77)
    unittest.main()
