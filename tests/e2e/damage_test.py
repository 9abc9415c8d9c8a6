# SPDX-License-Identifier: Apache-2.0
"""Damaged model files on the command line: a line that says where, exit code 2, and no output."""

import pathlib
import random
import unittest

from command_case import CommandCase
from commands import dragoman

SUITE = pathlib.Path("/usr/share/libonnx-testdata/data/node")
CASES = ("abs", "argmax_default_axis_example", "clip_example", "concat_1d_axis_0",
         "gemm_default_no_bias", "identity_sequence", "if", "loop11", "lstm_defaults",
         "where_example")


def flipped(data, seed):
    generator = random.Random(seed)
    damaged = bytearray(data)
    for _ in range(generator.randint(1, 3)):
        damaged[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
    return bytes(damaged)


@unittest.skipUnless(SUITE.exists(), f"{SUITE} is not there")
class DamagedFiles(CommandCase):
    def convert(self, data, codes, target, *options):
        """Converts a file of these bytes; the exit code."""
        source = self.out / "damaged.onnx"
        source.write_bytes(data)
        out = self.out / "out"
        out.mkdir()
        result = dragoman("convert", source, "-o", out / target, *options, checked=False)
        self.assertIn(result.returncode, codes, result.stderr)
        left = sorted(path.name for path in out.iterdir())
        self.assertEqual(left, [] if result.returncode else [target])
        for path in out.iterdir():
            path.unlink()
        out.rmdir()
        return result

    def check_copy(self, data):
        result = self.convert(data, (0, 2), "copy.onnx")
        if result.returncode == 2:
            *findings, last = result.stderr.splitlines()
            if not findings:
                findings = [last]
            else:
                self.assertRegex(last, r"\A\d+ errors\Z")
            for line in findings:
                self.assertRegex(line, r"damaged\.onnx:byte \d+: error: .")
        return result.returncode

    def test_cut_at_every_byte(self):
        refused = 0
        for case in CASES:
            data = (SUITE / f"test_{case}" / "model.onnx").read_bytes()
            for size in range(min(len(data), 120)):
                with self.subTest(case=case, size=size):
                    refused += self.check_copy(data[:size]) == 2
        self.assertGreater(refused, 500)

    def test_flipped_bits(self):
        for case in CASES:
            data = (SUITE / f"test_{case}" / "model.onnx").read_bytes()
            for seed in range(40):
                with self.subTest(case=case, seed=seed):
                    self.check_copy(flipped(data, seed))

    def test_flipped_bits_of_what_is_lowered(self):
        for case in CASES:
            data = (SUITE / f"test_{case}" / "model.onnx").read_bytes()
            for seed in range(20):
                with self.subTest(case=case, seed=seed):
                    damaged = flipped(data, seed)
                    self.convert(damaged, (0, 2, 4), "common.dgt", "--level", "common")


if __name__ == "__main__":
    unittest.main()
