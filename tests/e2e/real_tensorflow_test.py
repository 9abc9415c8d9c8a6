#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's files of other projects (../shared/data/real/tensorflow): the outputs that are known of
them, and what their recurrences become.

By the interpreter, and where the environment variable DRAGOMAN_ALL is set by generated C++, too.
Skipped where the files are missing.
"""

import os
import pathlib
import re
import sys
import unittest

import numpy as np

from command_case import CommandCase

SHARED = pathlib.Path("../shared/data/real")
MODELS = SHARED / "tensorflow"
TESTDATA = MODELS / "serving/servables/tensorflow/testdata"
ENGINES = ["interpreter", "native"] if os.environ.get("DRAGOMAN_ALL") else ["interpreter"]


class Outputs(CommandCase):
    def verify(self, model, inputs, outputs, *options):
        np.savez(self.out / "inputs.npz", **inputs)
        np.savez(self.out / "outputs.npz", **outputs)
        for engine in ENGINES:
            self.done("verify", model, "--data", self.out, "--engine", engine, *options)

    def test_a_transcriber_of_music_gives_what_onnx_runtime_recorded(self):
        recorded = np.load(SHARED / "onnx/basic_pitch/nmp.onnx.golden.npz")
        outputs = {name: recorded[f"out:StatefulPartitionedCall:{i}"]
                   for i, name in enumerate(("contour", "note", "onset"))}
        self.verify(MODELS / "basic_pitch/nmp",
                    {"input_2": recorded["in:serving_default_input_2:0"]}, outputs)

    def test_half_plus_two_and_half_plus_three(self):
        for name, x, added in (("saved_model_half_plus_two_cpu", np.float32([[0], [1], [-3]]), 2),
                               ("saved_model_half_plus_two_tf2_cpu", np.float32([5]), 2),
                               ("saved_model_half_plus_three", np.float32(7), 3)):
            self.verify(TESTDATA / name / "00000123", {"x": x}, {"y": np.float32(x / 2 + added)},
                        "--entry", "serving_default")

    def test_a_counter_that_its_signatures_share(self):
        counts = {"get": [2], "incr": [1, 2, 1], "reset": [0]}
        self.verify(TESTDATA / "saved_model_counter/00000123", {},
                    {name: np.float32(values) for name, values in counts.items()}, "--steps",
                    "incr_counter*2,get_counter,reset_counter,incr_counter")

    def test_signatures_of_one_model(self):
        for name, times in (("serving_default", 3), ("timestwo", 2)):
            self.verify(MODELS / "tfjs_savedmodels/module_with_multiple_signatures",
                        {"x": np.float32(1.5)}, {"output_0": np.float32(1.5 * times)}, "--entry", name)


class Recurrences(CommandCase):
    def operators(self, *arguments):
        """Of the rewritten graph, each as often as it is there; those of the recurrence only."""
        text = self.done("convert", *arguments, "-o", "-", "--to", "text", "--level", "common",
                         "--passes", "default", "-q").split("\norigins {")[0]
        return [op for op in re.findall(r" = onnx\.(\w+)\(", text)
                if op in ("LSTM", "GRU", "RNN", "Loop", "Scan", "If", "Sigmoid", "Tanh", "Split")]

    def test_a_keyword_spotter_whose_lstm_is_a_loop(self):
        for size in "SML":
            found = self.operators(MODELS / f"kws_basic_lstm/Basic_LSTM_{size}.pb", "--cut-inputs",
                                   "decoded_sample_data,decoded_sample_data:1", "--shape",
                                   "decoded_sample_data=16000,1", "--shape", "decoded_sample_data:1=int32:")
            self.assertEqual(found, ["LSTM"])

    def test_a_gru_of_28_unrolled_steps(self):
        self.assertEqual(self.operators(MODELS / "tf2onnx_gru/frozen.pb"), ["GRU"])


if __name__ == "__main__":
    if not MODELS.is_dir():
        print(f"{MODELS} is not there")
        sys.exit(77)
    unittest.main()
