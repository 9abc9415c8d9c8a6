# SPDX-License-Identifier: Apache-2.0
"""`verify --against --bisect`: what it blames where names differ, nodes were put in or exchanged, and
several branches differ."""

import json
import pathlib
import unittest

import numpy
import onnx
from onnx import numpy_helper

from command_case import CommandCase
from commands import dragoman

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
MLP = MODELS / "mlp" / "model.onnx"
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

    def test_equal_elements_in_other_sizes_agree(self):
        found = self.bisect(("\n  %a1", "\n  const %flat: i64[1] = [6]\n"
                             "  const %whole: i64[2] = [2, 3]\n  %a1"),
                            ("%a2 = onnx.Tanh(%a1) @left2",
                             "%a1_flat = onnx.Reshape(%a1, %flat)\n"
                             "  %a2_flat = onnx.Tanh(%a1_flat) @left2\n"
                             "  %a2 = onnx.Reshape(%a2_flat, %whole)"),
                            ("onnx.Exp", "onnx.Softplus"))
        self.assertEqual(found["first"]["name"], "b3")
        self.assertNotIn("elsewhere", found)

    def test_in_words(self):
        other = self.model("b", ("%b2 = onnx.Mul(%b1, %x)",
                                 "%in = onnx.Relu(%b1) @inserted\n  %b2 = onnx.Mul(%in, %x)"))
        found = dragoman("verify", self.model("a"), "--against", other, "--bisect")
        lines = found.stdout.splitlines()
        at = lines.index("  bisect: the first value that differs, after 4 that agree:")
        self.assertEqual(lines[at + 3], "    in the other model after node 'inserted' (onnx.Relu)")

    def test_what_one_file_holds_in_another_node_is_not_blamed(self):
        """Convolutions of the written files hold the normalisations behind them."""
        model = MODELS / "resnet_bn" / "model.onnx"
        for suffix in ("onnx", "pt2", "py", "relay"):
            changed = onnx.load(model)
            relu = next(n for n in changed.graph.node if n.name == "/blocks/blocks.4/Relu")
            relu.op_type = "Softplus"
            onnx.save(changed, self.out / "changed.onnx")
            written = self.out / f"written.{suffix}"
            self.done("convert", self.out / "changed.onnx", "-o", written, "-q", "--passes",
                      "default")
            found = dragoman("verify", model, "--against", written, "--bisect", "--json")
            self.assertEqual(found.returncode, 1, found.stderr)
            bisection = json.loads(found.stdout)[0]["bisect"]
            with self.subTest(suffix):
                self.assertIn("'/blocks/blocks.4/Relu' (onnx.Relu)", bisection["first"]["node"])
                self.assertNotIn("elsewhere", bisection)


class RecordedValues(CommandCase):
    """What another framework computed, a .npy file for each value."""

    def record(self, folder, **changes):
        """Of the perceptron, as NumPy computes it."""
        weights = {w.name: numpy_helper.to_array(w) for w in onnx.load(MLP).graph.initializer}
        x = numpy.random.default_rng(3).standard_normal((1, 41)).astype(numpy.float32)
        gemm = x @ weights["0.weight"].T + weights["0.bias"]
        relu = numpy.maximum(gemm, 0)
        y = relu @ weights["2.weight"].T + weights["2.bias"]
        values = {"x": x, "0/Gemm_output_0": gemm, "_1_Relu_output_0": relu, "y": y} | changes
        for name, value in values.items():
            path = self.out / folder / f"{name}.npy"
            path.parent.mkdir(parents=True, exist_ok=True)
            numpy.save(path, value)
        return self.out / folder

    def test_all_values_are_compared_by_name(self):
        folder = self.record("right")
        said = self.done("verify", MLP, "--data", folder)
        self.assertRegex(said, "^.*right: ok\n  /0/Gemm_output_0: .*\n  /1/Relu_output_0: .*\n  y: ")
        self.assertIn("none of 2 values", self.done("verify", MLP, "--data", folder, "--bisect"))

    def test_the_program_is_held_against_all_values(self):
        folder = self.record("program_values")
        values = []
        for engine in ("interpreter", "native"):
            self.done("run", MLP, "--cut-outputs", "/0/Gemm_output_0", "--engine", engine,
                      "--input", f"x={folder / 'x.npy'}", "--output-dir", self.out / engine)
            values.append(numpy.load(next((self.out / engine).glob("*.npy"))))
        self.assertFalse((values[0] == values[1]).all())
        numpy.save(folder / "0/Gemm_output_0.npy", values[1])
        for engine, exact in (("native", True), ("interpreter", False)):
            done = dragoman("verify", MLP, "--data", folder, "--engine", engine, "--rtol", "0",
                            "--atol", "0")
            self.assertEqual("Gemm_output_0: f32[1, 64], largest difference 0" in done.stdout,
                             exact, done.stdout)

    def test_names_that_differ_by_what_stands_in_front(self):
        (self.out / "m.dgt").write_text("""dragoman 1 source onnx
opset "" 13

entry main(%x: f32[2], %_x: f32[2]) -> (%h, %_h) {
  %h: f32[2] = onnx.Neg(%x)
  %_h: f32[2] = onnx.Exp(%_x)
}
""")
        (self.out / "named").mkdir()
        x = numpy.float32([1, 2])
        for name, value in (("x", x), ("_x", -x), ("h", -x), ("_h", numpy.exp(-x))):
            numpy.save(self.out / "named" / f"{name}.npy", value)
        said = self.done("verify", self.out / "m.dgt", "--data", self.out / "named")
        self.assertRegex(said, "named: ok\n  h: .*\n  _h: ")

    def test_the_first_that_differs_is_named(self):
        wrong = numpy.zeros((1, 64), numpy.float32)
        folder = self.record("wrong", _1_Relu_output_0=wrong)
        done = dragoman("verify", MLP, "--data", folder, "--bisect")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("bisect: the first value that differs, after 1 that agree:\n"
                      "    /1/Relu_output_0: f32[1, 64]", done.stdout)
        self.assertIn("of node '/1/Relu' (onnx.Relu)", done.stdout)

    def test_operators_of_programs_have_their_names(self):
        program = self.out / "mlp.pt2"
        self.done("convert", MLP, "-o", program, "-q")
        wrong = self.record("program", relu=numpy.ones((1, 64), numpy.float32))
        done = dragoman("verify", program, "--data", wrong, "--bisect")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("from aten.relu.default 'relu'", done.stdout)
        self.assertIn("no value of the model is called 0/Gemm_output_0, _1_Relu_output_0", done.stderr)

    def test_folders_that_say_nothing(self):
        x = numpy.zeros((1, 41), numpy.float32)
        for name, arrays, said in (
                ("alone", {"x": x}, "holds arrays for inputs alone"),
                ("foreign", {"x": x, "conv1": x}, "no value of the model is called like"),
                ("empty", {}, "holds no recorded data")):
            folder = self.out / name
            folder.mkdir()
            for array, value in arrays.items():
                numpy.save(folder / f"{array}.npy", value)
            self.assertIn(said, self.fails(2, "verify", MLP, "--data", folder))
        self.assertIn("--bisect needs values",
                      self.fails(2, "verify", MLP, "--data", MLP.parent, "--bisect"))


if __name__ == "__main__":
    unittest.main()
