#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generated programs catch each wrong output that is planted, by --expect and with --rms, and let
pass what is right or close.

One program gives its inputs out, one of each element type and rank.
"""

import pathlib
import tempfile
import unittest

import numpy as np

import native_programs
from planted_outputs import BITS, NUMPY, TOO_FAR, all_planted

PROGRAM = "c_judge"
OK, OTHERWISE, BAD_INPUT = 0, 1, 2
RANKS = range(4)
RMS = "1e-4"


def model():
    """Graph text; programs refuse nothing of it."""
    names = [(f"{kind}_{rank}", kind, ", ".join("?" * rank)) for kind in NUMPY for rank in RANKS]
    inputs = ", ".join(f"%x_{name}: {kind}[{sizes}]" for name, kind, sizes in names)
    outputs = ", ".join(f"%y_{name}" for name, *_ in names)
    copies = "\n".join(f"  %y_{name} = onnx.Identity(%x_{name})" for name, *_ in names)
    return f"graph judge({inputs}) -> ({outputs}) {{\n{copies}\n}}\n"


def is_near_in_the_mean(planted):
    """Whether it differs by a little only, or by what is little beside the largest number."""
    special = any(word in planted.name for word in ("NaN", "infinity", "the largest"))
    return planted.name.endswith(("too far", "not zero")) or (
        planted.right_type in BITS and not special)


class NativeJudgeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "model.dgt").write_text(model(), encoding="utf-8")
        problem = native_programs.generate(cls.folder / "model.dgt", PROGRAM, cls.folder)
        problem = problem or native_programs.build([PROGRAM], cls.folder).get(PROGRAM)
        if problem:
            raise AssertionError(problem)

    def judge(self, kind, found, expected, *options):
        """The exit code where the program gives `found`."""
        inputs = {f"x_{each}_{rank}": np.zeros([1] * rank, NUMPY[each])
                  for each in NUMPY for rank in RANKS}
        inputs[f"x_{kind}_{found.ndim}"] = found
        np.savez(self.folder / "inputs.npz", **inputs)
        np.save(self.folder / "expected.npy", expected)
        done = native_programs.run(PROGRAM, self.folder, [
            "--inputs", self.folder / "inputs.npz", "--expect",
            f"y_{kind}_{found.ndim}={self.folder / 'expected.npy'}", *options])
        self.assertIn(done.returncode, (OK, OTHERWISE, BAD_INPUT), done.stderr)
        self.assertNotEqual(done.stdout + done.stderr, "")
        return done.returncode

    def test_catches_every_wrong_output(self):
        for planted in all_planted():
            with self.subTest(planted.name):
                caught = self.judge(planted.wrong_type, planted.wrong, planted.right)
                turned = self.judge(planted.right_type, planted.right, planted.wrong)
                if planted.same_form():
                    self.assertEqual((caught, turned), (OTHERWISE, OTHERWISE))
                else:
                    self.assertTrue(caught and turned)

    def test_catches_what_is_far_in_the_mean_of_squares(self):
        for planted in all_planted():
            if not planted.same_form() or is_near_in_the_mean(planted):
                continue
            with self.subTest(planted.name):
                self.assertEqual(OTHERWISE, self.judge(planted.wrong_type, planted.wrong,
                                                       planted.right, "--rms", RMS))

    def test_lets_pass_what_is_right(self):
        for planted in all_planted():
            with self.subTest(planted.name):
                for options in ([], ["--rms", RMS]):
                    self.assertEqual(OK, self.judge(planted.right_type, planted.right,
                                                    planted.right, *options))

    def test_lets_pass_what_is_close(self):
        for kind, far in TOO_FAR.items():
            right = np.array([1, 0, np.nan, np.inf, -np.inf], NUMPY[kind])
            near = right + np.array([far / 6, far / 6, 0, 0, 0], NUMPY[kind])
            with self.subTest(kind):
                self.assertEqual(OK, self.judge(kind, near, right))

    def test_zeros_denormals_and_payloads(self):
        for kind in ("f32", "f64", "f16"):
            dtype = np.dtype(NUMPY[kind])
            bits = np.dtype(f"u{dtype.itemsize}")
            least = np.array([1], bits).view(dtype)
            quiet = np.array([np.nan], dtype)
            payload = (quiet.view(bits) + bits.type(1)).view(dtype)
            for found, expected in ((least, np.zeros(1, dtype)), (-least, least), (payload, quiet),
                                    (np.array([-0.0], dtype), np.array([0.0], dtype))):
                with self.subTest(kind, found=found):
                    self.assertEqual(OK, self.judge(kind, found, expected))

    def test_every_type_is_planted(self):
        kinds = {planted.right_type for planted in all_planted()}
        self.assertEqual(kinds, set(NUMPY))
        self.assertTrue(set(BITS) <= kinds)


if __name__ == "__main__":
    unittest.main()
