# SPDX-License-Identifier: Apache-2.0
"""A test of archives of torch.export that are written."""

import pathlib
import tempfile
import unittest

import numpy as np

from commands import dragoman
from pt2_archive import drop_remarks, program_of
from run_outputs import read_outputs

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"


class WrittenCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)

    def convert(self, source, *options):
        """An archive that says by its calls alone what it computes."""
        path = self.work / "out.pt2"
        done = dragoman("convert", source, "-o", path, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        drop_remarks(path)
        return path

    def convert_text(self, text, *options):
        source = self.work / "model.dgt"
        source.write_text(f'dragoman 1 common onnx\nopset "" 22\n\n{text}')
        return self.convert(source, *options)

    def targets(self, archive):
        program, _ = program_of(archive)
        return [node["target"].removeprefix("torch.ops.")
                for node in program["graph_module"]["graph"]["nodes"]]

    def run_outputs(self, archive, **inputs):
        np.savez(self.work / "in.npz", **inputs)
        done = dragoman("run", archive, "--inputs", self.work / "in.npz", "--output-dir",
                        self.work / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [array for array, _ in read_outputs(self.work / "out")]
