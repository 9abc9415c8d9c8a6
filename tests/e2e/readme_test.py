#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The README, the tutorial and other pages: their files and commands, played in order, do what the
pages show."""

import importlib.metadata
import pathlib
import tempfile
import unittest

from pages import Page

ANSWERS = ("onnx-to-cpp", "torchscript-policy", "unrolled-lstm", "relay-model", "running",
           "comparing-exports", "reporting-a-bug")
SHORT_ANSWERS = ("leaving-torchscript", "keras-to-pytorch")
# The step of the tutorial that needs PyTorch, and where the files lie that it wrote.
SAVE = "python3 save_policy.py && mkdir recorded && mv inputs.npz outputs.npz recorded"
POLICY = "tests/models/tutorial_policy"


def has_torch():
    """Whether it is the version that wrote what the tutorial shows."""
    try:
        return importlib.metadata.version("torch").startswith("1.13")
    except importlib.metadata.PackageNotFoundError:
        return False


class Pages(unittest.TestCase):
    maxDiff = None

    def play(self, name, at_least, stand_ins=None):
        with tempfile.TemporaryDirectory() as folder:
            commands = Page(name, pathlib.Path(folder)).play(self, stand_ins)
        self.assertGreaterEqual(commands, at_least)

    def test_readme(self):
        self.play("README.md", at_least=6)

    def test_architecture(self):
        self.play("docs/architecture.md", at_least=5)

    def test_tutorial(self):
        stand_ins = {}
        if not has_torch():
            stand_ins[SAVE] = f"mkdir recorded && cp {POLICY}/policy.pt . && " \
                              f"cp {POLICY}/inputs.npz {POLICY}/outputs.npz recorded"
        self.play("docs/tutorial.md", at_least=10, stand_ins=stand_ins)

    def test_answers(self):
        for answer in ANSWERS:
            self.play(f"docs/{answer}.md", at_least=3)
        for answer in SHORT_ANSWERS:
            self.play(f"docs/{answer}.md", at_least=2)


if __name__ == "__main__":
    unittest.main()
