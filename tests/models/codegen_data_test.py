#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""codegen --data: one program for all recordings of a TorchScript model, and calls in order."""

import pathlib
import unittest

import numpy as np

from command_case import CommandCase
from commands import dragoman

MODELS = pathlib.Path(__file__).resolve().parent / "torchscript"


def codegen(name, folder, data, *more):
    return dragoman("codegen", MODELS / name / "model.pt", "-o", folder, "--name", name,
                    "--data", data, *more)


class CodegenData(CommandCase):
    def record(self, name, inputs, outputs):
        folder = self.out / "data" / name
        folder.mkdir(parents=True)
        np.savez(folder / "inputs.npz", **inputs)
        np.savez(folder / "outputs.npz", **outputs)

    def record_positions(self, rows, columns):
        x = np.random.default_rng(rows).normal(size=(rows, columns)).astype(np.float32)
        positions = np.arange(rows)
        self.record(f"{rows}", {"x": x},
                    {"0": positions, "1": x + positions[:, None].astype(np.float32),
                     "2": np.arange(1, rows + 1, 2)})

    def test_sizes_that_differ_between_recordings_are_told_by_the_run(self):
        self.record_positions(5, 2)
        self.record_positions(8, 2)
        done = codegen("dynamic_arange", self.out / "cpp", self.out / "data")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count(": ok: "), 6, done.stdout)
        header = (self.out / "cpp" / "dynamic_arange.h").read_text()
        self.assertIn("rt::View<const float, rt::Any, 2> x", header)

    def test_recordings_of_other_ranks_are_refused(self):
        self.record("a", {"x": np.zeros((3, 2), np.float32)}, {"0": np.arange(3)})
        self.record("b", {"x": np.zeros((3,), np.float32)}, {"0": np.arange(3)})
        done = codegen("dynamic_arange", self.out / "cpp", self.out / "data")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("argument 'x'", done.stderr)

    def test_calls_of_several_entries_in_order(self):
        steps = (MODELS / "lstm_policy" / "steps").read_text().strip()
        done = codegen("lstm_policy", self.out / "cpp", MODELS / "lstm_policy", "--steps", steps)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(": ok: ", done.stdout)
        self.assertIn(f"--steps [=[{steps}]=]", (self.out / "cpp" / "CMakeLists.txt").read_text())

    def test_steps_need_data(self):
        told = self.fails(2, "codegen", MODELS / "lstm_policy" / "model.pt", "-o", self.out / "cpp",
                          "--steps", "3")
        self.assertIn("--steps needs --data", told)


if __name__ == "__main__":
    unittest.main()
