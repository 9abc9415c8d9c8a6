# SPDX-License-Identifier: Apache-2.0
"""diff, verify, simplify."""

import json
import pathlib
import tempfile
import unittest

import numpy

import dragoman

MLP = "tests/models/mlp/model.onnx"
DYNAMIC = "tests/models/mlp_dynamic/model.onnx"


def scaled(factor, name="double"):
    return dragoman.load(f"""graph g(%x: f32[2]) -> (%y) {{
  const %c: f32[] = {factor}
  %m = onnx.Mul(%x, %c) @{name}
  %y = onnx.Relu(%m) @relu
}}
""".encode())


class DiffTest(unittest.TestCase):

    def test_equal(self):
        report = dragoman.diff(MLP, dragoman.load(MLP))
        self.assertTrue(report.equal)
        self.assertFalse(report)
        self.assertEqual((report.edits, report.verdict), ([], ""))

    def test_edits(self):
        report = dragoman.diff(scaled(2.0), scaled(3.0))
        (edit,) = report.edits
        self.assertEqual((edit.kind, edit.elements.count, edit.elements.largest_absolute),
                         ("changed constant", 1, 1.0))
        self.assertIn("changed constant", str(report))
        self.assertFalse(json.loads(report.json())["equal"])
        self.assertTrue(dragoman.diff(scaled(2.0), scaled(3.0), ignore=["weights"]).equal)
        self.assertTrue(dragoman.diff(scaled(1.0), scaled(1.0001), rtol=0.01).equal)

    def test_what_was_stated_holds(self):
        shapes = {"x": (4, 41)}
        self.assertTrue(dragoman.diff(dragoman.load(MLP, shapes=shapes),
                                      dragoman.load(DYNAMIC, shapes=shapes)).equal)

    def test_names_are_text_in_html(self):
        report = dragoman.diff(scaled(2.0, '"<script>"'), scaled(3.0, '"<script>"'))
        self.assertNotIn("<script>", report._repr_html_())
        self.assertIn("&lt;script&gt;", report.html())

    def test_words_that_do_not_exist(self):
        with self.assertRaises(ValueError):
            dragoman.diff(MLP, MLP, ignore=["wieghts"])
        with self.assertRaises(ValueError):
            dragoman.diff(MLP, MLP, level="middle")


class VerifyTest(unittest.TestCase):

    def test_against_a_model(self):
        self.assertTrue(dragoman.verify(MLP, dragoman.load(MLP).optimize(), random=2))
        report = dragoman.verify(scaled(2.0), scaled(3.0), bisect=True,
                                 inputs={"x": numpy.array([1, 2], numpy.float32)})
        self.assertFalse(report)
        (verification,) = report.verifications
        self.assertEqual(verification.outputs[0].different, 2)
        self.assertEqual(verification.first_difference.compared.name, "m")

    def test_one_of_both(self):
        with self.assertRaises(TypeError):
            dragoman.verify(MLP)
        with self.assertRaises(TypeError):
            dragoman.verify(MLP, MLP, data="tests/models/mlp")


class SimplifyTest(unittest.TestCase):

    def test_operator_set_is_kept(self):
        simple = dragoman.load(MLP).simplify(check=2)
        self.assertTrue(dragoman.verify(MLP, simple))
        proto = simple.to_onnx()
        self.assertEqual(proto.opset_import[0].version, 13)
        self.assertEqual(dragoman.from_onnx(proto).opsets, {"": 13})

    def test_passes_tell_what_they_do(self):
        lines, passes = [], []
        dragoman.load(MLP).optimize(explain=lines.append,
                                    progress=lambda name, changed: passes.append(name))
        self.assertTrue(any("fuse-gemm" in line for line in lines), lines)
        self.assertIn("dce", passes)

    def test_an_error_of_a_callback_goes_on(self):
        def fail(line):
            raise KeyError(line)

        with self.assertRaises(KeyError):
            dragoman.load(MLP).optimize(explain=fail)


class RulesTest(unittest.TestCase):

    LEAK = b"rule leak: onnx.Relu($x) => onnx.LeakyRelu($x) {alpha = 0.5}"

    def test_rules_act_before_passes(self):
        model = dragoman.load(MLP)
        self.assertIn("LeakyRelu", model.optimize("none", rules=self.LEAK).to_text())
        self.assertNotIn("LeakyRelu", model.optimize("none").to_text())

    def test_a_file_of_rules_rewrites_what_is_saved(self):
        with tempfile.TemporaryDirectory() as folder:
            rules, saved = pathlib.Path(folder, "leak.rules"), pathlib.Path(folder, "leaky.onnx")
            rules.write_bytes(self.LEAK)
            dragoman.load(MLP).save(saved, rules=rules)
            ops = [node.op for node in dragoman.load(saved).graph.nodes]
        self.assertEqual(ops, ["onnx.Gemm", "onnx.LeakyRelu", "onnx.Gemm"])

    def test_what_is_wrong_in_rules_is_told_with_its_place(self):
        with self.assertRaises(dragoman.Invalid) as raised:
            dragoman.load(MLP).optimize(rules=b"rule bad: Relu($x) => Nothing($x)")
        self.assertIn("1:23", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
