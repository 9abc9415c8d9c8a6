#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs for other processors and without oneDNN: what they compute is what was recorded."""

import pathlib
import shutil
import unittest

from command_case import CommandCase

MODELS = pathlib.Path(__file__).resolve().parent
CROSS = "aarch64-linux-gnu-g++"
EMULATOR = "qemu-aarch64"
BOARD = ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
         f"-DCMAKE_CXX_COMPILER={CROSS}",
         f"-DCMAKE_CROSSCOMPILING_EMULATOR={EMULATOR};-L;/usr/aarch64-linux-gnu"]


class Board(CommandCase):
    def replay(self, name, *options):
        """Builds a model's program without oneDNN and replays its recorded calls."""
        folder, build = self.out / name, self.out / f"{name}_build"
        self.done("codegen", MODELS / name / "model.onnx", "-o", folder, "--name", name, "-q",
                  "--data", MODELS / name / "test_data_set_0")
        self.succeed("cmake", "-S", folder, "-B", build, f"-D{name}_DNNL=OFF", *options)
        self.assertNotIn("DNNL_LIBRARY", (build / "CMakeCache.txt").read_text())
        self.succeed("cmake", "--build", build, "--parallel", "2")
        self.assertIn("100% tests passed", self.succeed("ctest", "--test-dir", build))

    def test_plain_loops_in_place_of_onednn(self):
        for name in ("resnet_bn", "bert_dynamic"):
            with self.subTest(name):
                self.replay(name)

    def test_an_arm_board(self):
        for program in (CROSS, EMULATOR):
            if shutil.which(program) is None:
                self.skipTest(f"{program} is not installed")
        for name in ("lstm",):
            with self.subTest(name):
                self.replay(name, *BOARD)


if __name__ == "__main__":
    unittest.main()
