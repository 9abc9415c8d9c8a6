#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files whose states are not the last inputs and outputs compute what they say, and files that bind
states wrongly are refused."""

import unittest

import numpy as np

from command_case import CommandCase

X = np.array([[2, 3], [-1, 4], [5, -2]], np.float32)  # one row a call
RECORD = (r'{\"name\":\"%s\",\"input\":\"%s\",\"output\":\"%s\",'
          r'\"initial\":\"f32[2] [%s]\"}')
H = RECORD % ("h", "h", "h_next", "1.0, 2.0")
C = RECORD % ("c", "c", "c_next", "3.0, 5.0")
ONNX = """dragoman 1 source onnx
opset "" 17
metadata "dragoman.states" = "[{records}]"
entry main(%h: f32[2], %x: f32[2], %c: f32[2]) -> (%h_next, %y, %c_next) {{
  %h_next = onnx.Add(%h, %x)
  %c_next = onnx.Mul(%c, %x)
  %y = onnx.Sub(%h_next, %c_next)
}}
"""
RELAX = """@I.ir_module
class Module:
    @R.function
    def main({parameters}) -> R.Tuple({results}):
        R.func_attr({attributes})
        with R.dataflow():
            h_next: R.Tensor((2,), dtype="float32") = R.add(h, x)
            c_next: R.Tensor((2,), dtype="float32") = R.multiply(c, x)
            y: R.Tensor((2,), dtype="float32") = R.subtract(h_next, c_next)
            R.output(h_next, c_next, y)
        return (h_next, y, c_next)
"""
TENSOR = 'R.Tensor((2,), dtype="float32")'
TEXT = """dragoman 1 common onnx
opset "" 22
state h: f32[2] = f32[2] [1.0, 2.0]
entry main(%h: f32[2], %x: f32[2]) -> (%y: f32[2], %h_next: f32[2]) state 0 input {} -> output {} {{
  %h_next = onnx.Add(%h, %x)
  %y = onnx.Neg(%h_next)
}}
"""


def expected():
    h, c = np.array([1, 2], np.float32), np.array([3, 5], np.float32)
    rows = []
    for x in X:
        h, c = h + x, c * x
        rows.append(h - c)
    return np.array(rows)


class StatesAnywhere(CommandCase):
    def write(self, name, text):
        path = self.out / name
        path.write_text(text, encoding="utf-8")
        return path

    def relax(self, names, attributes, **states):
        parameters = ", ".join(f"{name}: {TENSOR}" for name in names)
        results = ", ".join([TENSOR] * 3)
        path = self.write("model.py", RELAX.format(parameters=parameters, results=results,
                                                   attributes=attributes))
        np.savez(self.out / "model.states.npz", **states)
        return path

    def check(self, model):
        np.save(self.out / "x.npy", X)
        self.done("run", model, "--steps", "3", "--input", f"x={self.out}/x.npy", "--output-dir",
                  self.out / "found")
        np.testing.assert_array_equal(np.load(self.out / "found" / "y.npy"), expected())

    def test_onnx_in_any_order_of_records(self):
        for records in (f"{H},{C}", f"{C},{H}"):
            with self.subTest(records):
                model = self.write("model.dgt", ONNX.format(records=records))
                self.check(model)
                for suffix in ("onnx", "json", "py"):
                    target = self.out / f"target.{suffix}"
                    self.done("convert", model, "-o", target, "--level", "common", "--to",
                              {"py": "relax"}.get(suffix, suffix))
                    self.check(target)

    def test_relax_also_behind_numbers_that_are_drawn(self):
        start = {"h": np.array([1, 2], np.float32), "c": np.array([3, 5], np.float32)}
        self.check(self.relax("hxc", '{"num_input": 3, "states": {"h": [0, 0], "c": [2, 2]}}',
                              **start))
        self.check(self.relax(
            "dhxc", '{"num_input": 4, "states": {"h": [1, 0], "c": [3, 2]}, '
            '"random": [[0, "normal", 0.0, 1.0]]}', **start))

    def test_wrong_bindings_are_refused(self):
        twice = H.replace("h_next", "c_next") + "," + C
        other = H.replace("f32[2] [1.0, 2.0]", "f32[3] [1.0, 2.0, 3.0]")
        for records, said in ((twice, "bound twice"), (other, "its initial value f32[3]")):
            model = self.write("model.dgt", ONNX.format(records=records))
            self.assertIn(said, self.fails(2, "convert", model, "-o", self.out / "y.onnx",
                                           "--level", "common"))
        start = np.array([1, 2], np.float32)
        model = self.relax("hxc", '{"num_input": 3, "states": {"h": [0, 0], "c": [2, 0]}}',
                           h=start, c=start)
        self.assertIn("bound twice", self.fails(2, "run", model, "--random", "--output-dir",
                                                self.out / "y"))
        model = self.relax("hxc", '{"num_input": 3, "states": {"h": [0, 0]}}',
                           h=np.zeros(3, np.float32))
        self.assertIn("state 'h' has type f32[3], %h has f32[2]", self.fails(
            2, "run", model, "--random", "--output-dir", self.out / "y"))

    def test_graph_text_has_them_last(self):
        for places in ((0, 1), (1, 0)):
            with self.subTest(places):
                model = self.write("model.dgt", TEXT.format(*places))
                self.assertIn("stands before one that belongs to no state",
                              self.fails(2, "inspect", model))


if __name__ == "__main__":
    unittest.main()
