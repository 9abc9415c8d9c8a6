#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A language model with weights of 4 bits generates the tokens that NumPy finds, in both engines."""

import subprocess
import unittest

import numpy as np

from command_case import CommandCase
from run_outputs import read_outputs
from small_language_model import KEY_HEADS, LAYERS, SIZE, Model

PROMPT = [3, 1, 4, 1, 5]
COUNT = 50
CACHES = [f"{number}.{part}" for number in range(LAYERS) for part in ("key", "value")]


class LanguageModelTest(CommandCase):
    def setUp(self):
        super().setUp()
        self.source = Model()
        self.model = self.out / "model.onnx"
        self.model.write_bytes(self.source.onnx().SerializeToString())

    def generate(self, call, count):
        """What `call` makes of feeds and a folder for outputs, called with a cache that grows."""
        caches = {name: np.zeros((1, KEY_HEADS, 0, SIZE), np.float32) for name in CACHES}
        given, length, tokens = PROMPT, 0, []
        for _ in range(count):
            length += len(given)
            feeds = {"input_ids": np.array([given]), "attention_mask": np.ones((1, length), int)}
            feeds.update((f"past_key_values.{name}", cache) for name, cache in caches.items())
            np.savez(self.out / "inputs.npz", **feeds)
            call(self.out / "inputs.npz", self.out / "results")
            logits, *cached = (array for array, _ in read_outputs(self.out / "results"))
            given = [int(logits[0, -1].argmax())]
            caches = dict(zip(CACHES, cached))
            tokens += given
        return tokens

    def test_interpreter(self):
        call = lambda inputs, folder: self.done("run", self.model, "--inputs", inputs,
                                                "--output-dir", folder, "-q")
        self.assertEqual(self.generate(call, COUNT), self.source.generated(PROMPT, COUNT))

    def test_program(self):
        folder = self.out / "program"
        self.done("codegen", self.model, "-o", folder, "--name", "language", "--shape",
                  "input_ids=1,steps", "-q")
        for command in (["-S", folder, "-B", folder / "build"], ["--build", folder / "build"]):
            subprocess.run(["cmake", *command], check=True, capture_output=True)
        call = lambda inputs, results: subprocess.run(
            [folder / "build" / "infer", "--inputs", inputs, "--output-dir", results], check=True, capture_output=True)
        self.assertEqual(self.generate(call, COUNT), self.source.generated(PROMPT, COUNT))

    def test_plain_onnx(self):
        plain = self.out / "plain.onnx"
        self.done("convert", self.model, "-o", plain, "--passes", "default", "-q")
        call = lambda inputs, folder: self.done("run", plain, "--inputs", inputs, "--output-dir",
                                                folder, "-q")
        self.assertEqual(self.generate(call, 3), self.source.generated(PROMPT, 3))


if __name__ == "__main__":
    unittest.main()
