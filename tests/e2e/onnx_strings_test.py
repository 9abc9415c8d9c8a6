#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""StringNormalizer, StringSplit and RegexFullMatch, against what ONNX Runtime and NumPy give.

Files that are written once the model is lowered give the same.
"""

import unittest

import numpy as np
from onnx import TensorProto, helper

from command_case import CommandCase
from run_outputs import read_outputs

TEXT = TensorProto.STRING


class StringsTest(CommandCase):
    checked = False  # Debian 12's onnx knows operator set 17

    def outputs(self, op, x, kinds, **attributes):
        value = lambda name, kind, sizes: helper.make_tensor_value_info(name, kind, sizes)
        names = [f"y{i}" for i in range(len(kinds))]
        graph = helper.make_graph([helper.make_node(op, ["x"], names, **attributes)], "g",
                                  [value("x", TEXT, np.shape(x))],
                                  [value(name, kind, None) for name, kind in zip(names, kinds)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
        (self.out / "model.onnx").write_bytes(model.SerializeToString())
        np.save(self.out / "x.npy", np.array(x))
        self.done("convert", self.out / "model.onnx", "-o", self.out / "written.onnx", "--passes",
                  "default", "-q")
        outputs, of_written = (self.run_file(name) for name in ("model.onnx", "written.onnx"))
        self.assertEqual(of_written, outputs)
        return outputs

    def run_file(self, name):
        self.done("run", self.out / name, "--input", f"x={self.out / 'x.npy'}", "--output-dir",
                  self.out / "y", "-q")
        return [array.tolist() for array, _ in read_outputs(self.out / "y")]

    def test_normalizer(self):
        words = ["Monday", "ÄÖß ÉΣ", "tuesday", "MONDAY"]
        normal = lambda **attributes: self.outputs("StringNormalizer", words, [TEXT],
                                                   stopwords=["monday"], **attributes)[0]
        self.assertEqual(normal(case_change_action="LOWER"), ["äöß éσ", "tuesday"])
        self.assertEqual(normal(case_change_action="UPPER", is_case_sensitive=1),
                         ["MONDAY", "ÄÖß ÉΣ", "TUESDAY", "MONDAY"])
        self.assertEqual(self.outputs("StringNormalizer", [["monday", "monday"]], [TEXT],
                                      stopwords=["monday"], is_case_sensitive=1), [[[""]]])

    def test_split(self):
        kinds = [TEXT, TensorProto.INT64]
        x = ["a,b,,c", " x  y z", "", ",a,"]
        self.assertEqual(self.outputs("StringSplit", x, kinds),
                         [[["a,b,,c", "", ""], ["x", "y", "z"], ["", "", ""], [",a,", "", ""]],
                          [1, 3, 0, 1]])
        self.assertEqual(self.outputs("StringSplit", x[:1], kinds, delimiter=",", maxsplit=2),
                         [[["a", "b", ",c"]], [3]])

    def test_regex(self):
        match = lambda pattern: self.outputs("RegexFullMatch", ["aé", "ABC", "é"],
                                             [TensorProto.BOOL], pattern=pattern)[0]
        self.assertEqual(match("."), [False, False, True])
        self.assertEqual(match("(?i)abc"), [False, True, False])
        self.assertEqual(match(r"\p{Lu}+"), [False, True, False])
        self.assertEqual(match(r"[^\p{Lu}]+"), [True, False, True])
        self.assertEqual(match(r"\P{Greek}\p{Latin}+"), [True, True, False])
        with self.assertRaisesRegex(AssertionError, "unknown class of Unicode"):
            match(r"\p{Greeks}+")

    def test_numbers(self):
        """White space around them does not count."""
        self.assertEqual(self.outputs("Cast", [" 12", "-3\t", "+7"], [TensorProto.INT64], to=7),
                         [[12, -3, 7]])
        with self.assertRaisesRegex(AssertionError, "is not a number"):
            self.outputs("Cast", [" "], [TensorProto.FLOAT], to=1)


if __name__ == "__main__":
    unittest.main()
