# SPDX-License-Identifier: Apache-2.0
"""A test of archives of torch.export: what they compute in all ways, and what is refused."""

import json
import pathlib
import tempfile
import unittest
import zipfile

import numpy as np

from commands import complaint, dragoman
from run_outputs import compare, read_outputs


def bfloat16(array):
    """The bits of the nearest bfloat16, ties to even."""
    bits = np.asarray(array, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


class ExportedPrograms(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.work = pathlib.Path(holder.name)
        self.model = self.work / "net.pt2"

    def run_on(self, model, inputs, *options):
        out = self.work / f"out-{len(list(self.work.glob('out-*')))}"
        arguments = []
        for i, array in enumerate(inputs):
            file = self.work / f"in-{i}.npy"
            np.save(file, array)
            arguments += ["--input", f"{i}={file}"]
        done = dragoman("run", model, "--output-dir", out, *arguments, *options)
        return done, out

    def expect(self, inputs, outputs, *options, onnx=True):
        """The saved model on `inputs`, in all ways. An output is an array, or (bits, type name)."""
        expected = [output if isinstance(output, tuple) else
                    (np.asarray(output), np.asarray(output).dtype.name) for output in outputs]
        done, out = self.run_on(self.model, inputs, *options)
        self.assertEqual(complaint(done) or compare(read_outputs(out), expected), "")
        if onnx:
            converted = self.work / "net.onnx"
            done = dragoman("convert", self.model, "-o", converted, "--allow-domain", "dragoman")
            self.assertEqual(complaint(done), "")
            done, out = self.run_on(converted, inputs, *options)
            self.assertEqual(complaint(done) or compare(read_outputs(out), expected), "")
        self.expect_written_again()

    def expect_written_again(self):
        """Also by way of our own container, which holds all of it."""
        before = self.records(self.model)
        for name in ("again.pt2", "net.dgm", "net.dgt"):
            self.assertEqual(complaint(dragoman("convert", self.model, "-o", self.work / name)), "")
        self.assertEqual(before, self.records(self.work / "again.pt2"))
        for name in ("net.dgm", "net.dgt"):
            again = self.work / (name + ".pt2")
            self.assertEqual(complaint(dragoman("convert", self.work / name, "-o", again)), "")
            self.assertEqual(before, self.records(again))

    def records(self, path):
        with zipfile.ZipFile(path) as archive:
            self.assertIsNone(archive.testzip())
            return {name: json.loads(archive.read(name)) if name.endswith(".json")
                    else archive.read(name) for name in archive.namelist()}

    def save(self, program):
        program.save(self.model)

    def expect_refused(self, code, message, inputs=()):
        done, _ = self.run_on(self.model, inputs)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.returncode, code, done.stderr)
