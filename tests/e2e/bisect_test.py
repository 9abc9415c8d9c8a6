# SPDX-License-Identifier: Apache-2.0
"""`verify --against --bisect`: what it blames where names differ, nodes were put in or exchanged, and
several branches differ."""

import json
import unittest

from command_case import CommandCase
from commands import dragoman

# Two branches of elementwise operators, which meet in a sum.
NODES = """
  %a1 = onnx.Neg(%x) @left1
  %a2 = onnx.Tanh(%a1) @left2
  %a3 = onnx.Celu(%a2) {alpha = 1.0} @left3
  %b1 = onnx.Sin(%x) @right1
  %b2 = onnx.Mul(%b1, %x) @right2
  %b3 = onnx.Exp(%b2) @right3
  %sum = onnx.Add(%a3, %b3) @sum
  %y = onnx.Sigmoid(%sum) @last
"""


class Bisect(CommandCase):
    def model(self, name, *changes):
        text = NODES
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        path = self.out / f"{name}.dgt"
        path.write_text("dragoman 1 common onnx\nopset \"\" 22\n"
                        "entry main(%x: f32[2, 3]) -> (%y: f32[2, 3]) {" + text + "}\n")
        return path

    def bisect(self, *changes):
        """What is said of a model against one with these changes."""
        found = dragoman("verify", self.model("a"), "--against", self.model("b", *changes),
                         "--bisect", "--json")
        self.assertEqual(found.returncode, 1, found.stderr)
        return json.loads(found.stdout)[0]["bisect"]

    def test_an_operator_in_place_of_another(self):
        found = self.bisect(("onnx.Celu(%a2) {alpha = 1.0}", "onnx.Elu(%a2) {alpha = 2.0}"))
        self.assertIn("'left3' (onnx.Celu)", found["first"]["node"])
        self.assertIn("onnx.Elu", found["first"]["other_node"])
        self.assertGreater(found["first"]["largest_difference"], 0.01)
        self.assertNotIn("elsewhere", found)

    def test_a_node_that_was_put_in_is_named(self):
        found = self.bisect(("%b2 = onnx.Mul(%b1, %x)",
                             "%in = onnx.Relu(%b1) @inserted\n  %b2 = onnx.Mul(%in, %x)"))
        self.assertIn("'right2'", found["first"]["node"])
        self.assertEqual(found["first"]["other_behind"], ["node 'inserted' (onnx.Relu)"])
        self.assertEqual(found["first"]["behind"], [])

    def test_names_do_not_matter(self):
        renames = [(f"%{name}", f"%{new}") for name, new in
                   zip(("a1", "a2", "a3", "b1", "b2", "b3"), ("b2_", "b3_", "b1_", "a3_", "a1_", "a2_"))]
        found = self.bisect(*renames, ("onnx.Sin", "onnx.Cos"))
        self.assertIn("'right1' (onnx.Sin)", found["first"]["node"])
        self.assertEqual(found["compared"], 8)

    def test_each_branch_that_differs(self):
        found = self.bisect(("onnx.Tanh", "onnx.Erf"), ("onnx.Exp", "onnx.Softplus"))
        blamed = [found["first"], *found["elsewhere"]]
        self.assertEqual([entry["name"] for entry in blamed], ["a2", "b3"])

    def test_in_words(self):
        other = self.model("b", ("%b2 = onnx.Mul(%b1, %x)",
                                 "%in = onnx.Relu(%b1) @inserted\n  %b2 = onnx.Mul(%in, %x)"))
        found = dragoman("verify", self.model("a"), "--against", other, "--bisect")
        lines = found.stdout.splitlines()
        at = lines.index("  bisect: the first value that differs, after 4 that agree:")
        self.assertEqual(lines[at + 3], "    in the other model behind node 'inserted' (onnx.Relu)")


if __name__ == "__main__":
    unittest.main()
