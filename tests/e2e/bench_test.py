# SPDX-License-Identifier: Apache-2.0
"""`bench`: what it prints of calls of a model, of two models, and of their steps. The times
themselves are not judged."""

import json
import pathlib
import unittest

import numpy

from command_case import CommandCase

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
MLP = MODELS / "mlp" / "model.onnx"
SHORT = ("--rounds", 3, "--calls", 4)


class Bench(CommandCase):
    def test_times_in_words(self):
        lines = self.done("bench", MLP, "--engine", "interpreter", *SHORT).splitlines()
        self.assertEqual(lines[0], "3 rounds of 4 calls, engine interpreter, threads: 1")
        once = self.done("bench", MLP, "--engine", "interpreter", "--rounds", 1, "--calls", 1)
        self.assertTrue(once.startswith("1 round of 1 call, engine"), once)
        time = r"[\d.e+]+ (us|ms|s)"
        self.assertRegex(lines[1], rf"model\.onnx: fastest {time}, median {time}, 99 % below {time}$")
        self.assertEqual(lines[2], "  13.4 kB of weights, 512 bytes of activations at most")

    def test_two_models_in_turn_as_json(self):
        answer = json.loads(self.done("bench", MLP, "--against", MLP, "--engine", "interpreter",
                                      "--json", *SHORT))
        self.assertEqual(answer["calls"], 4)
        for model in answer["models"]:
            self.assertEqual(len(model["rounds"]), 3)
            self.assertLessEqual(0, model["min"])
            self.assertLessEqual(model["min"], model["median"])
            self.assertLessEqual(model["median"], model["p99"])
        self.assertGreater(answer["ratio"], 0)

    def test_steps_of_the_generated_program(self):
        answer = json.loads(self.done("bench", MLP, "--profile", "--threads", 2, "--json", *SHORT))
        self.assertEqual((answer["engine"], answer["threads"]), ("native", 2))
        memory = answer["models"][0]["bytes"]
        self.assertEqual((memory["weights"], memory["activations"]), (13352, 512))
        self.assertGreater(memory["program"], memory["weights"])
        steps = [row["step"] for row in answer["models"][0]["profile"]]
        self.assertEqual(sum("onnx.Gemm" in step for step in steps), 2)

    def test_inputs_of_other_names_and_given_sizes(self):
        other = self.out / "other.dgt"
        self.done("convert", MLP, "-o", other)
        other.write_text(other.read_text().replace("%x", "%image"))
        numpy.save(self.out / "x.npy", numpy.ones((1, 41), numpy.float32))
        self.done("bench", MLP, "--against", other, "--engine", "interpreter", "--input",
                  f"x={self.out / 'x.npy'}", *SHORT)
        self.done("bench", MODELS / "mlp_dynamic" / "model.onnx", "--dim", "batch=3", "--engine",
                  "interpreter", *SHORT)
        # Sizes that only the other model knows are drawn as it knows them.
        self.done("bench", MODELS / "mlp_dynamic" / "model.onnx", "--against", MLP, "--engine",
                  "interpreter", *SHORT)

    def test_a_trace_has_an_event_for_each_node(self):
        trace = self.out / "trace.json"
        self.done("run", MLP, "--random", "--trace", trace, "-o", self.out / "y")
        events = json.loads(trace.read_text())["traceEvents"]
        self.assertEqual([event["cat"] for event in events], ["onnx.Gemm", "onnx.Relu", "onnx.Gemm"])
        for before, after in zip(events, events[1:]):
            self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 1)
        self.fails(2, "run", MLP, "--random", "--engine", "native", "--trace", trace, "-o",
                   self.out / "y")

    def test_mistakes(self):
        self.assertIn("--threads", self.fails(2, "bench", MLP, "--engine", "interpreter",
                                              "--threads", 2))
        missing = self.out / "missing.onnx"
        self.assertIn("missing.onnx: error: ", self.fails(2, "bench", MLP, "--against", missing))


if __name__ == "__main__":
    unittest.main()
