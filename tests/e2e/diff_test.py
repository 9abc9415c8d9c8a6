#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""diff as a user reads it: the verdict first, defaults that are spelt, facts and passes for both."""

import json
import pathlib
import unittest

from command_case import CommandCase
from commands import dragoman

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
MLP = MODELS / "mlp" / "model.onnx"
DYNAMIC = MODELS / "mlp_dynamic" / "model.onnx"


class Diff(CommandCase):
    def edited(self, name, old, new):
        text = self.done("convert", MLP, "-o", "-")
        self.assertIn(old, text)
        path = self.out / f"{name}.dgt"
        path.write_text(text.replace(old, new))
        return path

    def first_line(self, *arguments):
        answer = dragoman("diff", *arguments)
        self.assertEqual(answer.returncode, 1, answer.stderr)
        return answer.stdout.splitlines()[0]

    def test_the_first_line_is_the_verdict_in_words(self):
        tanh = self.edited("tanh", "onnx.Relu", "onnx.Tanh")
        self.assertEqual(self.first_line(MLP, tanh),
                         "different (source level): 1 op changed: node '/1/Relu' (onnx.Relu)")
        bias = self.edited("bias", "[-0.04947583,", "[-0.05947583,")
        self.assertEqual(self.first_line(MLP, bias), "different (source level): same structure; "
                         "1 of 4 weights differ, by at most 0.01")
        answer = json.loads(dragoman("diff", MLP, bias, "--json").stdout)
        self.assertEqual(answer["verdict"], "same structure; 1 of 4 weights differ, by at most 0.01")

    def test_constants_that_are_outputs_are_those_of_the_source(self):
        model = self.out / "constants.dgt"
        model.write_text(
            'dragoman 1 source onnx\nopset "" 17\n'
            "entry main @g(%x: f32[2]) -> (%y: f32[2], %z: f32[2], %k: f32[2]) {\n"
            "  %y = onnx.Constant() {value = f32[2] [1.5, 2.5]}\n"
            "  %z = onnx.Constant() {value = f32[2] [1.5, 2.5]}\n  %k = onnx.Add(%x, %y)\n}\n")
        for suffix in ("pt2", "py", "relay"):
            converted = self.out / f"converted.{suffix}"
            self.done("convert", model, "-o", converted)
            self.assertEqual(self.done("diff", model, converted), "equal (common level)\n")
        other = self.out / "other.dgt"
        other.write_text(model.read_text().replace("%z = onnx.Constant() {value = f32[2] [1.5",
                                                   "%z = onnx.Constant() {value = f32[2] [1.25"))
        differs = dragoman("diff", other, self.out / "converted.pt2")
        self.assertEqual(differs.returncode, 1, differs.stderr)

    def test_json_holds_values_as_fields(self):
        text = ('dragoman 1 source onnx\nopset "" 17\nentry main @g(%x: f32[4]) -> (%y) {\n'
                "  const %c: f32[] = 2.0\n  %a = onnx.Sin(%x) @first\n  %b = onnx.Cos(%x)\n"
                "  %s = onnx.Add(%a, %b) @sum\n  %y = onnx.Mul(%s, %c)\n}\n")
        a, b = self.out / "a.dgt", self.out / "b.dgt"
        a.write_text(text)
        b.write_text(text.replace("(%a, %b)", "(%a, %x)").replace("%y = onnx.Mul(%s, %c)",
                                                                 "%t = onnx.Exp(%s)\n  %y = onnx.Mul(%t, %c)"))
        edits = json.loads(dragoman("diff", a, b, "--json", "--level", "source").stdout)["edits"]
        operand = next(edit for edit in edits if edit["kind"] == "changed operand")
        self.assertEqual((operand["before"]["kind"], operand["before"]["operator"],
                          operand["before"]["result"]), ("result", "onnx.Cos", 0))
        self.assertEqual(operand["after"], {"kind": "input", "name": "x", "type": "f32[4]"})
        inserted = next(edit for edit in edits if edit["kind"] == "inserted node")
        self.assertEqual(inserted["first_operand"]["node"], "sum")
        self.assertNotIn("after", inserted)

    def test_what_differs_outside_the_graphs(self):
        models = []
        for value in ("1.0", "2.0"):
            models.append(self.out / f"{value}.dgt")
            models[-1].write_text(
                'dragoman 1 common onnx\nopset "" 22\n'
                f"state sum: f32[1] = f32[1] [{value}]\n\n"
                "entry main(%x: f32[1], %sum: f32[1]) -> (%y: f32[1])\n"
                "    state 0 input 1 -> output 0 {\n  %y = onnx.Add(%x, %sum)\n}\n")
        self.assertEqual(self.first_line(*models), "different (common level): 1 difference outside "
                         "the graphs: state 'sum': initial value")

    def test_a_default_that_is_spelt_equals_an_absent_one(self):
        spelt = self.edited("spelt", "transB = 1}", "transA = 0, transB = 1}")
        self.assertEqual(self.done("diff", MLP, spelt), "equal (source level)\n")
        self.assertIn("attribute", self.first_line(MLP, spelt, "--strict-attributes"))

    def test_facts_hold_for_both(self):
        self.assertEqual(self.done("diff", MLP, DYNAMIC, "--shape", "x=1,41"),
                         "equal (common level)\n")
        self.assertEqual(self.done("diff", MLP, DYNAMIC, "--shape-b", "x=1,41"),
                         "equal (common level)\n")
        self.fails(2, "diff", MLP, DYNAMIC, "--shape", "x=1,41", "--level", "source")

    def test_outputs_are_compared_as_well(self):
        said = self.done("diff", MLP, self.edited("same", "transB = 1}", "transA = 0, transB = 1}"),
                         "--run", 2)
        self.assertIn("equal (source level)\nrandom input 0: ok\n", said)
        self.assertIn("random input 1: ok\n", said)
        # The last bits of a weight: within the tolerance of diff, and of the outputs.
        bias = self.edited("bias", "[-0.04947583,", "[-0.049475834,")
        self.assertIn("random input 0: ok\n",
                      self.done("diff", MLP, bias, "--rtol", "1e-5", "--run", 1))
        tanh = self.edited("tanh", "onnx.Relu", "onnx.Tanh")
        answer = json.loads(dragoman("diff", MLP, tanh, "--run", 1, "--json").stdout)
        self.assertFalse(answer["equal"])
        self.assertEqual([run["ok"] for run in answer["run"]], [False])

    def test_operands_that_both_leave_out(self):
        head = 'dragoman 1 source onnx\nopset "" 17\nentry main @g(%x: f32[4], %h: f32[]) -> (%y) {\n'
        bodies = ("  %a = onnx.Clip(%x, _, %h)\n  %b = onnx.Neg(%a)\n  %y = onnx.Clip(%b, _, %h)\n}\n",
                  "  %s = onnx.Exp(%x)\n  %a = onnx.Clip(%s, _, %h)\n  %b = onnx.Sin(%a)\n"
                  "  %d = onnx.Clip(%b, _, %h)\n  %y = onnx.Cos(%d)\n}\n")
        files = [self.out / "first.dgt", self.out / "second.dgt"]
        for path, body in zip(files, bodies):
            path.write_text(head + body)
        self.assertIn("node inserted", self.first_line(*files).replace("nodes", "node"))

    def test_open_sizes_are_read_of_any_input(self):
        rows = ("graph main(%x: f32[n, m], %flags: bool[n, m]) -> (%y, %z) {\n"
                "  const %zero: i64[] = 0\n  const %one: i64[] = 1\n  const %first: i64[1] = [0]\n"
                "  const %w: f32[1, 3] = [[1.0, 2.0, 4.0]]\n")
        first = (rows + "  const %ends: i64[1] = [3]\n  %s = onnx.Shape(%x) {end = 1}\n"
                 "  %t = onnx.Concat(%s, %ends) {axis = 0}\n  %y = onnx.Expand(%w, %t)\n"
                 "  %k = onnx.Identity(%flags)\n  %z = onnx.Not(%k)\n}\n")
        second = (rows + "  const %last: i64[1] = [1]\n  const %keep: i64[1] = [1]\n"
                  "  const %pair: i64[1] = [2]\n"
                  "  %s = onnx.Shape(%flags)\n  %n = onnx.Gather(%s, %zero)\n"
                  "  %m = onnx.Gather(%s, %one)\n  %u = onnx.Unsqueeze(%n, %first)\n"
                  "  %t = onnx.Concat(%u, %keep) {axis = 0}\n  %y = onnx.Expand(%w, %t)\n"
                  "  %i = onnx.Range(%zero, %n, %one)\n  %j = onnx.Range(%zero, %m, %one)\n"
                  "  %c = onnx.Unsqueeze(%i, %last)\n  %g = onnx.Max(%c, %j)\n"
                  "  %all = onnx.Shape(%g)\n  %a = onnx.Expand(%c, %all)\n"
                  "  %b = onnx.Expand(%j, %all)\n  %d = onnx.Unsqueeze(%a, %pair)\n"
                  "  %e = onnx.Unsqueeze(%b, %pair)\n"
                  "  %places = onnx.Concat(%d, %e) {axis = 2}\n"
                  "  %k = onnx.GatherND(%flags, %places)\n  %z = onnx.Not(%k)\n}\n")
        files = [self.out / name for name in ("a.dgt", "b.dgt", "edited.dgt")]
        edits = (("%j = onnx.Range(%zero,", "%j = onnx.Range(%one,"),
                 ("{end = 1}", "{start = 1}"), ("onnx.Gather(%s, %zero)", "onnx.Gather(%s, %one)"))
        files[0].write_text(first)
        files[1].write_text(second)
        self.assertEqual(self.done("diff", *files[:2], "--exports"), "equal (common level)\n")
        for old, new in edits:
            changed, other = (first, files[1]) if old in first else (second, files[0])
            files[2].write_text(changed.replace(old, new))
            self.assertIn("different", self.first_line(other, files[2], "--exports"))

    def test_sizes_that_are_referred_to(self):
        head = ("graph main(%x: f32[n, 6, m]) -> (%y) {\n  const %parts: i64[2] = [2, 3]\n")
        computed, referring = self.out / "computed.dgt", self.out / "referring.dgt"
        computed.write_text(head + "  %n = onnx.Shape(%x) {end = 1}\n  %m = onnx.Shape(%x) {start = 2}\n"
                            "  %s = onnx.Concat(%n, %parts, %m) {axis = 0}\n"
                            "  %y = onnx.Reshape(%x, %s) {allowzero = 1}\n}\n")
        text = head + "  const %s: i64[4] = [0, 2, 3, -1]\n  %y = onnx.Reshape(%x, %s)\n}\n"
        referring.write_text(text)
        self.assertEqual(self.done("diff", computed, referring, "--exports"),
                         "equal (common level) for sizes of 1 or more\n")
        referring.write_text(text.replace("[0, 2, 3, -1]", "[0, 3, 2, -1]"))
        self.assertIn("different", self.first_line(computed, referring, "--exports"))

    def test_checks_that_only_one_side_has(self):
        head = "graph main(%x: f32[2], %c: bool[]) -> (%y) {\n"
        check = '  dragoman.Assert(%c, %x) {message = "{} is too large"}\n'
        plain, checked, other = (self.out / name for name in ("plain.dgt", "checked.dgt", "other.dgt"))
        plain.write_text(head + "  %y = onnx.Neg(%x)\n}\n")
        checked.write_text(head + check + "  %y = onnx.Neg(%x)\n}\n")
        other.write_text(head + check.replace("Assert", "Print") + "  %y = onnx.Neg(%x)\n}\n")
        for pair in ((plain, checked), (checked, plain)):
            self.assertEqual(self.done("diff", *pair, "--exports"),
                             "equal (common level) for inputs that the checks of one accept\n")
        self.assertIn("different", self.first_line(plain, other, "--exports"))
        # Checks of both sides are compared.
        other.write_text(head + check.replace("large", "small") + "  %y = onnx.Neg(%x)\n}\n")
        self.assertIn("different", self.first_line(checked, other, "--exports"))

    def test_heads_and_masks_of_grouped_attention(self):
        program, exported = self.out / "program.dgt", self.out / "exported.dgt"
        program.write_text("""dragoman 1 source pt2
opset "aten" 10

entry forward(%q: f32[2, 4, 9, 8], %k: f32[2, 2, 9, 8], %v: f32[2, 2, 9, 8], %m: bool[2, 9]) -> (%y) {
  extra {pt2.outputs = list [{arg = @0, spec = {user_output = {}}}]}
  %a = aten.unsqueeze.default(%m) {self = @0, dim = 1}
  %b = aten.unsqueeze.default(%a) {self = @0, dim = 2}
  %y = aten.scaled_dot_product_attention.default(%q, %k, %v, %b) {query = @0, key = @1, value = @2, attn_mask = @3, enable_gqa = true}
}
""")
        # As torch.onnx.export writes it: heads by Expand, a mask of the least number, a guard.
        text = """graph main(%q: f32[2, 4, 9, 8], %k: f32[2, 2, 9, 8], %v: f32[2, 2, 9, 8],
    %m: bool[2, 9]) -> (%y) {
  const %two: i64[] = 2
  const %axes: i64[2] = [1, 2]
  const %apart: i64[5] = [2, 2, 2, 9, 8]
  const %joined: i64[4] = [2, 4, 9, 8]
  const %mask_sizes: i64[4] = [2, 4, 1, 9]
  const %zero: f32[] = 0.0
  const %least: f32[] = -3.4028235e+38
  const %factor: f32[] = 0.35355338
  %k5 = onnx.Unsqueeze(%k, %two)
  %kk = onnx.Expand(%k5, %apart)
  %k4 = onnx.Reshape(%kk, %joined)
  %v5 = onnx.Unsqueeze(%v, %two)
  %vv = onnx.Expand(%v5, %apart)
  %v4 = onnx.Reshape(%vv, %joined)
  %m4 = onnx.Unsqueeze(%m, %axes)
  %w = onnx.Where(%m4, %zero, %least)
  %mask = onnx.Expand(%w, %mask_sizes)
  %kt = onnx.Transpose(%k4) {perm = [0, 1, 3, 2]}
  %scaled = onnx.Mul(%q, %factor)
  %products = onnx.MatMul(%scaled, %kt)
  %scores = onnx.Add(%products, %mask)
  %p = onnx.Softmax(%scores)
  %n = onnx.IsNaN(%p)
  %safe = onnx.Where(%n, %zero, %p)
  %y = onnx.MatMul(%safe, %v4)
}
"""
        exported.write_text(text)
        self.assertRegex(self.done("diff", program, exported), "^equal .* masks that hide no whole row")
        for old, new in (("(%m4, %zero, %least)", "(%m4, %least, %zero)"),
                         ("%v5 = onnx.Unsqueeze(%v, %two)", "%v5 = onnx.Unsqueeze(%v, %one)"),
                         ("-3.4028235e+38", "-3.4")):
            exported.write_text(text.replace(old, new).replace(
                "  const %two", "  const %one: i64[] = 1\n  const %two"))
            self.assertIn("different", self.first_line(program, exported))

    def test_conversions_of_a_model_equal_it(self):
        for model in ("bert", "bert_dynamic", "mlp_dynamic", "mobilenet", "gru"):
            path = MODELS / model / "model.onnx"
            for suffix in (".pt2", ".py", ".dgt"):
                with self.subTest(model + suffix):
                    written = self.out / (model + suffix)
                    self.done("convert", path, "-o", written, "-q")
                    self.assertRegex(self.done("diff", path, written), r"^equal \(\w+ level\)\n$")

    def test_conversions_of_operators_equal_them(self):
        """Unread results may be omitted, defaults stated, and truths computed from numbers."""
        model = self.out / "model.dgt"
        for operators, suffixes in (
                ("%y, _, %z = onnx.Unique(%x)", ("pt2",)),
                ("%y, %read_by_none, %z = onnx.Unique(%x)", ("pt2",)),
                ("%sizes: i64[1] = onnx.Shape(%x)\n  %y = onnx.ConstantOfShape(%sizes)\n"
                 "  %z = onnx.Sign(%x)", ("pt2", "py", "relay")),
                ("%y = onnx.Neg(%x)\n  %is_less = onnx.Less(%x, %y)\n"
                 "  %z = onnx.ReduceMin(%is_less) {keepdims = 0}", ("pt2", "py", "relay")),
                ("%y = onnx.ReduceMin(%x) {keepdims = 0}\n"
                 "  %z = onnx.ReduceMax(%x) {keepdims = 0}", ("pt2", "py", "relay"))):
            model.write_text('dragoman 1 common onnx\nopset "" 22\n\n'
                             f"entry main(%x: f32[n]) -> (%y, %z) {{\n  {operators}\n}}\n")
            for suffix in suffixes:
                with self.subTest(operators=operators, suffix=suffix):
                    written = self.out / f"written.{suffix}"
                    self.done("convert", model, "-o", written)
                    self.assertEqual(self.done("diff", model, written), "equal (common level)\n")

    def test_an_entry_that_repeats_another_is_written_once(self):
        """Keras writes `serve` beside `serving_default`."""
        entry = "entry {}(%{}: f32[2]) -> (%y) {{\n  %y = onnx.{}(%{})\n}}\n"
        head = 'dragoman 1 common onnx\nopset "" 22\n\n'
        first = head + entry.format("main", "x", "Relu", "x")
        model, once = self.out / "model.dgt", self.out / "once.dgt"
        once.write_text(first)
        model.write_text(first + entry.format("again", "x", "Relu", "x"))
        for suffix in ("onnx", "pt2", "py", "relay"):
            with self.subTest(suffix):
                written = self.out / f"written.{suffix}"
                answer = dragoman("convert", model, "-o", written, "--strict")
                self.assertEqual(answer.returncode, 0, answer.stderr)
                self.assertIn("entry 'again' is written as 'main', which is the same",
                              answer.stderr)
                self.assertEqual(self.done("diff", model, written), "equal (common level)\n")
                self.assertEqual(self.done("diff", once, written), "equal (common level)\n")
        for name, operator in (("z", "Relu"), ("x", "Neg")):
            with self.subTest(name=name, operator=operator):
                model.write_text(first + entry.format("other", name, operator, name))
                written = self.out / "written.onnx"
                answer = dragoman("convert", model, "-o", written)
                self.assertIn("an ONNX file has one entry; left out: other", answer.stderr)
                different = dragoman("diff", model, written).stdout
                self.assertIn("numbers of entries differ: 2 (main, other) -> 1 (main)", different)
                following = different.splitlines()[-1].removeprefix("next:  dragoman ")
                self.assertTrue(following.endswith(" --entry-a main"), following)
                self.assertEqual(self.done(*following.split()), "equal (common level)\n")

    def test_an_entry_on_another_state_is_another(self):
        text = ('dragoman 1 common onnx\nopset "" 22\nstate a: f32[1] = f32[1] [1.0]\n'
                "state b: f32[1] = f32[1] [1.0]\n")
        for state, name in enumerate("ab"):
            text += (f"\nentry of_{name}(%x: f32[1], %s: f32[1]) -> (%y, %t)\n"
                     f"    state {state} input 1 -> output 1 {{\n"
                     "  %t = onnx.Add(%s, %x)\n  %y = onnx.Neg(%t)\n}\n")
        model = self.out / "model.dgt"
        model.write_text(text)
        answer = dragoman("convert", model, "-o", self.out / "written.onnx")
        self.assertIn("left out: of_b", answer.stderr)

    def test_conversions_without_an_operator_equal_it(self):
        """A layer of an unknown rank becomes a product and a sum, a list an element of it."""
        model = self.out / "model.dgt"
        for sizes, operators, suffixes in (
                ("*", "%y = dragoman.Linear(%x, %w, %b)", ("onnx",)),
                ("2", "%l = onnx.SequenceConstruct(%x, %b)\n  %y = onnx.SequenceAt(%l, %last)",
                 ("onnx", "pt2", "py", "relay"))):
            model.write_text('dragoman 1 common onnx\nopset "" 22\n\n'
                             f"entry main(%x: f32[{sizes}], %b: f32[2]) -> (%y) {{\n"
                             "  const %w: f32[2, 2] = [[1.0, 2.0], [3.0, 4.0]]\n"
                             f"  const %last: i64[] = -1\n  {operators}\n}}\n")
            for suffix in suffixes:
                with self.subTest(operators=operators, suffix=suffix):
                    written = self.out / f"written.{suffix}"
                    self.done("convert", model, "-o", written, "--passes", "default")
                    self.assertEqual(self.done("diff", model, written, "--exports"),
                                     "equal (common level)\n")

    def test_sizes_without_names_equal_those_that_are_said_to_be_equal(self):
        """Relay has no names of sizes."""
        model, written = self.out / "model.dgt", self.out / "model.relay"
        text = ('dragoman 1 common onnx\nopset "" 22\n\n'
                "entry main(%x: f32[n, 3], %z: f32[n, 3]) -> (%y) {\n  %y = onnx.Add(%x, %z)\n}\n")
        model.write_text(text)
        self.done("convert", model, "-o", written)
        self.assertEqual(self.done("diff", model, written), "equal (common level) for inputs "
                         "whose sizes are equal where one says so\n")
        model.write_text(text.replace("%z: f32[n, 3]", "%z: f32[n, n]"))
        self.assertEqual(dragoman("diff", model, written).returncode, 1)

    def test_a_condition_of_a_loop_that_holds_at_first_goes_unsaid(self):
        """Files of ONNX say it: without it, what iterations say of the next one is disregarded."""
        model, written = self.out / "model.dgt", self.out / "written.onnx"
        model.write_text("""dragoman 1 common onnx
opset "" 22

entry main(%n: i64[], %x: f32[2]) -> (%y) {
  %y = onnx.Loop(%n, _, %x) {body = graph body(%i: i64[], %runs: bool[], %s: f32[2]) -> (%more, %t) {
    const %ten: f32[] = 10.0
    %t = onnx.Add(%s, %s)
    %most = onnx.ReduceMax(%t) {keepdims = 0}
    %more = onnx.Less(%most, %ten)
  }}
}
""")
        self.done("convert", model, "-o", written)
        self.assertEqual(self.done("diff", model, written), "equal (common level)\n")

    def test_conversions_of_loops_equal_them(self):
        """Iterations run where their condition holds, which some formats keep as a state."""
        model = self.out / "model.dgt"
        model.write_text("""dragoman 1 common onnx
opset "" 22

entry main(%m: i64[], %n: i64[], %c: bool[], %x: f32[2]) -> (%y: f32[2]) {
  %y = onnx.Loop(%m, %c, %x) {body = graph(%i: i64[], %runs: bool[], %h: f32[2]) -> (%more: bool[], %next: f32[2]) {
    const %four: f32[] = 4.0
    %next = onnx.Loop(%n, %runs, %h) {body = graph(%k: i64[], %go: bool[], %g: f32[2]) -> (%go, %s: f32[2]) {
      %s = onnx.Add(%g, %x)
    }}
    %sum = onnx.ReduceSum(%next) {keepdims = 0}
    %more = onnx.Less(%sum, %four)
  }}
}
""")
        for suffix in ("pt2", "py", "relay", "onnx"):
            with self.subTest(suffix):
                written = self.out / f"written.{suffix}"
                self.done("convert", model, "-o", written, "--passes", "default")
                self.assertEqual(self.done("diff", model, written, "--exports"),
                                 "equal (common level)\n")

    def test_conversions_to_old_operator_sets_equal_the_file(self):
        old = self.out / "old.onnx"
        (self.out / "model.dgt").write_text("""dragoman 1 common onnx
opset "" 22

entry main(%x: f32[2, 3]) -> (%y: f32[2, 2]) {
  const %w: f32[2, 3] = [[0.5, 1.0, -0.25], [0.0, 2.0, 1.0]]
  %y = dragoman.Linear(%x, %w)
}
""")
        self.done("convert", self.out / "model.dgt", "-o", old, "--opset", "9")
        self.assertEqual(self.done("diff", self.out / "model.dgt", old, "--exports"),
                         "equal (common level)\n")

    def test_passes_run_on_both(self):
        self.assertEqual(self.done("diff", MLP, MLP, "--passes", "default"),
                         "equal (common level)\n")
        lowered = self.out / "lowered.onnx"
        self.done("convert", MLP, "-o", lowered, "--passes", "default")
        self.assertEqual(self.done("diff", MLP, lowered, "--passes", "default"),
                         "equal (common level)\n")


if __name__ == "__main__":
    unittest.main()
