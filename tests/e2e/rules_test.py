# SPDX-License-Identifier: Apache-2.0
"""Rules of users: the examples of docs/rules.md on models, and what every command does with rules."""

import collections
import pathlib
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from command_case import CommandCase
from commands import call, dragoman
from onnxruntime_python import SCRIPT, peer_python

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "docs" / "rules"
FLOAT = TensorProto.FLOAT


def make_model(nodes, inputs, outputs, constants=(), opset=13):
    """A model of nodes (type, operands, results[, attributes]); a type may have its domain in front."""
    made, domains = [], set()
    for kind, operands, results, *attributes in nodes:
        domain, _, name = kind.rpartition(":")
        domains.add(domain)
        made.append(helper.make_node(name, operands, results, name="n_" + results[0],
                                     domain=domain, **(attributes[0] if attributes else {})))
    graph = helper.make_graph(
        made, "g", [helper.make_tensor_value_info(name, FLOAT, shape) for name, shape in inputs],
        [helper.make_tensor_value_info(name, FLOAT, shape) for name, shape in outputs],
        [numpy_helper.from_array(np.asarray(value, np.float32), name)
         for name, value in dict(constants).items()])
    opsets = [helper.make_opsetid("", opset)]
    opsets += [helper.make_opsetid(domain, 1) for domain in sorted(domains - {""})]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def gelu_model(root=np.sqrt(2)):
    return make_model(
        [("Div", ["x", "two"], ["half"]), ("Div", ["x", "root"], ["scaled"]),
         ("Erf", ["scaled"], ["erf"]), ("Add", ["one", "erf"], ["sum"]),
         ("Mul", ["half", "sum"], ["y"])],
        [("x", ["n", 4])], [("y", ["n", 4])], {"two": 2, "root": root, "one": 1})


def leak_model(domain="com.example"):
    return make_model([("Abs", ["x"], ["a"]),
                       (domain + ":Leak", ["a"], ["y"], {"scale": 0.5})],
                      [("x", [2, 3])], [("y", [2, 3])])


def plain_leak_model():
    return make_model([("Relu", ["x"], ["r"]), ("Mul", ["r", "s"], ["m"]), ("Add", ["m", "x"], ["y"])],
                      [("x", [2, 3])], [("y", [2, 3])], {"s": 0.5})


class Rules(CommandCase):
    def save(self, model, name="model.onnx"):
        path = self.out / name
        onnx.save(model, str(path))
        return path

    def rules(self, text):
        path = self.out / "my.rules"
        path.write_text(text)
        return path

    def rewritten(self, model, rules, *options):
        """The model as an ONNX file after the rules."""
        out = self.out / "out.onnx"
        self.done("convert", self.save(model), "-o", out, "--rules", rules, "-q", *options)
        return onnx.load(str(out))

    def assertOperators(self, model, expected):
        found = collections.Counter(node.op_type for node in model.graph.node)
        found.pop("Constant", None)
        self.assertEqual(found, collections.Counter(expected))

    def assertSame(self, rules):
        """The rewritten model computes what the model does, here and in ONNX Runtime."""
        before = self.out / "model.onnx"
        self.done("verify", before, "--rules", rules, "--against", before, "--random", 3)
        python = peer_python("onnx")
        if python is None:
            return
        draw = np.random.default_rng(2).standard_normal
        inputs = {value.name: draw([d.dim_value or 3 for d in value.type.tensor_type.shape.dim])
                  for value in onnx.load(str(before)).graph.input}
        np.savez(self.out / "in.npz", **{name: x.astype(np.float32) for name, x in inputs.items()})
        results = []
        for model in (before, self.out / "out.onnx"):
            done = call([python, SCRIPT, model, self.out / "in.npz", self.out / "results.npz"])
            self.assertEqual(done.returncode, 0, done.stderr)
            with np.load(self.out / "results.npz") as arrays:
                results.append({name: arrays[name] for name in arrays})
        self.assertEqual(results[0].keys(), results[1].keys())
        for name, array in results[0].items():
            np.testing.assert_allclose(results[1][name], array, 1e-4, 1e-5, err_msg=name)

    def matches(self, rules):
        return self.done("rules", rules, "--matches", self.out / "model.onnx").splitlines()


class Examples(Rules):
    """The seven of docs/rules.md."""

    def test_another_spelling_of_gelu(self):
        rules = EXAMPLES / "gelu.rules"
        self.assertOperators(self.rewritten(gelu_model(), rules, "--opset", 20), ["Gelu"])
        self.assertSame(rules)
        self.assertEqual(self.matches(rules)[-1], "1 place")

    def test_nearly_another_spelling_of_gelu(self):
        rules = EXAMPLES / "gelu.rules"
        before = self.save(gelu_model(root=1.5))
        self.assertEqual(self.matches(rules), ["0 places"])
        said = self.done("rules", rules, "--why-not", before, "y")
        self.assertIn("operand 1 of Div is 1.5, expected 1.4142135623730951", said)

    def test_a_custom_operator_becomes_a_subgraph(self):
        rules = EXAMPLES / "expand.rules"
        model = self.rewritten(leak_model(), rules)
        self.assertOperators(model, ["Abs", "Relu", "Mul", "Add"])
        other = self.save(plain_leak_model(), "other.onnx")
        self.done("verify", other, "--against", other)  # the judge itself
        x = np.array([[-1, 0, 2], [3, -4, 5]], np.float32)
        np.save(self.out / "x.npy", x)
        self.done("run", self.out / "model.onnx", "--rules", rules, "--input",
                  f"x={self.out / 'x.npy'}", "-o", self.out / "results")
        np.testing.assert_allclose(np.load(self.out / "results" / "y.npy"), 1.5 * np.abs(x))

    def test_a_subgraph_becomes_a_custom_operator(self):
        model = self.rewritten(plain_leak_model(), EXAMPLES / "custom.rules")
        self.assertOperators(model, ["Leak"])
        (node,) = model.graph.node
        self.assertEqual((node.domain, node.attribute[0].f), ("com.example", 0.5))
        self.assertIn("com.example", [opset.domain for opset in model.opset_import])

    def test_two_convolutions_become_one(self):
        rules = EXAMPLES / "convolutions.rules"
        draw = np.random.default_rng(1).standard_normal
        form = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [1, 1]}
        model = make_model(
            [("Conv", ["x", "v", "c"], ["a"], form), ("Relu", ["a"], ["p"]),
             ("Conv", ["x", "w", "d"], ["q"], form)],
            [("x", [1, 2, 5, 5])], [("p", [1, 3, 5, 5]), ("q", [1, 3, 5, 5])],
            {"v": draw((3, 2, 3, 3)), "w": draw((3, 2, 3, 3)), "c": draw(3), "d": draw(3)})
        self.assertOperators(self.rewritten(model, rules, "--passes", "default"),
                             ["Conv", "Split", "Relu"])
        self.assertSame(rules)

    def test_pre_processing_is_cut_off(self):
        rules = EXAMPLES / "head.rules"
        model = make_model(
            [("Sub", ["image", "mean"], ["centred"]), ("Div", ["centred", "deviation"], ["n"]),
             ("Relu", ["n"], ["y"])],
            [("image", [1, 3, 2, 2])], [("y", [1, 3, 2, 2])],
            {"mean": np.ones((3, 1, 1)), "deviation": np.full((3, 1, 1), 2)})
        self.assertOperators(self.rewritten(model, rules), ["Relu"])
        self.assertIn("different, as it says", self.done("rules", rules, "--check"))

    def test_a_domain_is_renamed(self):
        model = self.rewritten(leak_model(), EXAMPLES / "domain.rules")
        self.assertOperators(model, ["Abs", "Leak"])
        self.assertEqual(model.graph.node[1].domain, "org.example")
        self.assertEqual(model.graph.node[1].attribute[0].f, 0.5)
        self.assertIn("org.example", [opset.domain for opset in model.opset_import])

    def test_a_layout_is_moved_through_a_region(self):
        rules = EXAMPLES / "layout.rules"
        first, last = {"perm": [0, 3, 1, 2]}, {"perm": [0, 2, 3, 1]}
        model = make_model(
            [("Transpose", ["x"], ["a"], first), ("Transpose", ["z"], ["b"], first),
             ("Relu", ["a"], ["c"]), ("Add", ["c", "b"], ["d"]), ("Mul", ["half", "d"], ["e"]),
             ("Transpose", ["e"], ["y"], last)],
            [("x", [1, 4, 5, 3]), ("z", [1, 4, 5, 3])], [("y", [1, 4, 5, 3])], {"half": 0.5})
        self.assertOperators(self.rewritten(model, rules), ["Relu", "Add", "Mul"])
        self.assertSame(rules)

    def test_each_is_right_as_far_as_it_can_be_run(self):
        for path in sorted(EXAMPLES.glob("*.rules")):
            for line in self.done("rules", path, "--check").splitlines():
                self.assertNotIn("different on", line)


class Commands(Rules):
    def test_without_a_file_they_are_those_of_dragoman(self):
        self.assertIn("read-gelu: of the common graph", self.done("rules"))
        model = self.save(gelu_model(root=1.5))
        self.assertIn("operand 1 of Div is 1.5, expected 1.4142135623730951",
                      self.done("rules", "--why-not", model, "y"))
        self.assertIn("do not go together",
                      self.fails(2, "rules", "--check", "--why-not", model, "y"))
        self.assertIn("read-gelu: node 'n_y'", self.done("rules", "--matches", self.save(gelu_model())))

    def test_what_no_rule_matches_stays_as_it_is(self):
        model = gelu_model()
        rules = self.rules("rule r: onnx.Softmax($x) => onnx.Relu($x)")
        self.rewritten(model, rules)
        self.assertEqual((self.out / "out.onnx").read_bytes(), (self.out / "model.onnx").read_bytes())

    def test_rules_about_the_file_change_nothing_else(self):
        model = self.rewritten(gelu_model(),
                               self.rules("rule r: onnx.Add($a, onnx.Erf($x)) => onnx.Sub($a, onnx.Erf($x))"))
        self.assertOperators(model, ["Div", "Div", "Erf", "Sub", "Mul"])
        self.assertEqual(model.opset_import[0].version, 13)
        self.assertEqual([node.name for node in model.graph.node if node.op_type != "Erf"],
                         ["n_half", "n_scaled", "n_sum", "n_y"])

    def test_codegen_and_simplify_and_diff_take_rules(self):
        before = self.save(gelu_model())
        rules = EXAMPLES / "gelu.rules"
        self.done("codegen", before, "-o", self.out / "program", "--rules", rules, "--name", "m")
        self.assertIn("Gelu", (self.out / "program" / "m.cc").read_text())
        small = self.out / "small.onnx"
        self.done("simplify", before, "-o", small, "--rules", rules, "--check", 2)
        other = self.save(make_model([("Gelu", ["x"], ["y"])], [("x", ["n", 4])], [("y", ["n", 4])],
                                     opset=20), "gelu.onnx")
        self.assertEqual(dragoman("diff", before, other).returncode, 1)
        self.done("diff", before, other, "--rules", rules)

    def test_a_check_shows_that_a_rule_is_wrong(self):
        rules = self.rules("rule r: Add($x, 1) => Sub($x, 1)")
        result = dragoman("rules", rules, "--check")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"^r: different on 32 random inputs, .*\n  result 0 is ")
        model = make_model([("Add", ["x", "one"], ["y"])], [("x", [2])], [("y", [2])], {"one": 1})
        before = self.save(model)
        verified = dragoman("verify", before, "--rules", rules, "--against", before)
        self.assertEqual(verified.returncode, 1)
        simplified = dragoman("simplify", before, "-o", self.out / "s.onnx", "--rules", rules,
                              "--check", 1)
        self.assertEqual(simplified.returncode, 1, simplified.stderr)

    def test_sides_that_cannot_be_run_are_said_to_be_unchecked(self):
        said = self.done("rules", EXAMPLES / "expand.rules", "--check")
        self.assertEqual(said, "expand-leak: not checked: onnx:com.example.Leak has no kernel\n")

    def test_a_wrong_rule_is_shown_at_its_place(self):
        rules = self.rules("# mine\nrule r: Relu($x) => Sigmiod($x)\n")
        said = self.fails(2, "convert", self.save(gelu_model()), "-o", self.out / "o.onnx", "--rules",
                          rules)
        self.assertIn(f"{rules}:2:21: error: the common dialect has no operator Sigmiod", said)
        self.assertIn("\n  rule r: Relu($x) => Sigmiod($x)\n" + " " * 22 + "^", said)

    def test_a_rule_without_end_is_stopped_and_named(self):
        said = self.fails(2, "convert", self.save(gelu_model()), "-o", self.out / "o.onnx", "--rules",
                          self.rules("rule turn: Mul($x, $y) => Mul($y, $x)"))
        self.assertIn("rule turn comes to no end: it was applied ", said)


if __name__ == "__main__":
    unittest.main()
