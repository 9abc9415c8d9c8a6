#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Graphs and programs that attack what reads, rewrites and runs them: recursion, cycles, types that
lie, sizes that overflow, endless loops, texts that nest. A test for each kind of attack;
docs/security.md lists them."""

import unittest

import script_archive
from attack_case import AttackCase

HEAD = 'dragoman 1 source onnx\nopset "" 17\nextra {onnx.ir_version = 8}\n\n'
F32 = 'attr { key: "T" value { type: DT_FLOAT } }'
X = ('node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: '
     '"shape" value { shape { dim { size: 2 } } } } }\n')
RELAY = "Tensor[(2), float32]"
RELAX = 'R.Tensor((2,), dtype="float32")'


def tf(name, op, *inputs, more=F32):
    given = " ".join(f'input: "{i}"' for i in inputs)
    return f'node {{ name: "{name}" op: "{op}" {given} {more} }}\n'


def tf_ints(name, *values):
    return tf(name, "Const", more='attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" '
              f'value {{ tensor {{ dtype: DT_INT32 tensor_shape {{ dim {{ size: {len(values)} }} }} '
              + " ".join(f"int_val: {value}" for value in values) + " } } }")


class ProgramCase(AttackCase):
    def onnx(self, *lines, inputs="%x: f32[2]", outputs="%y: f32[?]", rest=""):
        body = "\n  ".join(lines)
        return self.put("m.dgt", f"{HEAD}entry main({inputs}) -> ({outputs}) {{\n  {body}\n}}\n{rest}")

    def tensorflow(self, *nodes):
        return self.put("m.pbtxt", X + "".join(nodes))

    def script(self, *lines, value="x", result="Tensor", more=""):
        path = self.out / "m.pt"
        body = "".join(f"    {line}\n" for line in lines)
        script_archive.write_script(
            path, f"  def forward(self: __torch__.M, x: Tensor) -> {result}:\n{body}"
                  f"    return {value}\n{more}")
        return path

    def relay(self, *functions, main="%x"):
        return self.put("m.relay", '#[version = "0.0.5"]\n' + "\n".join(functions) +
                        f"\ndef @main(%x: {RELAY}) -> {RELAY} {{\n  {main}\n}}\n")

    def relax(self, functions, result):
        lines = ["from tvm.script import ir as I", "from tvm.script import relax as R", "@I.ir_module",
                 "class Module:"]
        for name, body in {**functions, "main": [f"y: {RELAX} = {result}"]}.items():
            lines += ["    @R.function", f"    def {name}(x: {RELAX}) -> {RELAX}:", "        cls = Module",
                      *(f"        {line}" for line in body), "        return y"]
        return self.put("m.py", "\n".join(lines) + "\n")



class Recursion(ProgramCase):
    def test_functions_in_a_circle(self):
        function = ('\nfunction onnx:f.{0}(%x) -> (%y)\n    opset "" 17\n    opset "f" 1 {{\n'
                    "  %y = onnx:f.{1}(%x)\n}}\n")
        head = HEAD.replace('17\n', '17\nopset "f" 1\n')
        text = f"{head}entry main(%x: f32[2]) -> (%y: f32[2]) {{\n  %y = onnx:f.A(%x)\n}}\n"
        self.refused(self.put("m.dgt", text + function.format("A", "B") + function.format("B", "A")),
                     "calls itself")
        self.refused(self.put("m.dgt", text + function.format("A", "A")), "calls itself")
        library = "".join(
            f'function {{ signature {{ name: "{a}" input_arg {{ name: "a" type: DT_FLOAT }} output_arg '
            f'{{ name: "r" type: DT_FLOAT }} }} node_def {{ name: "n" op: "{b}" input: "a" }} '
            'ret { key: "r" value: "n:r:0" } }\n' for a, b in (("A", "B"), ("B", "A")))
        self.refused(self.tensorflow(tf("y", "A", "x"), f"library {{ {library} }}"), "calls itself")
        self.refused(self.script("y = (self).forward(x, )", value="y"), "error: ")
        self.survives(self.relay(f"def @f(%a: {RELAY}) -> {RELAY} {{\n  @g(%a)\n}}",
                                 f"def @g(%a: {RELAY}) -> {RELAY} {{\n  @f(%a)\n}}", main="@f(%x)"))
        self.survives(self.relax({"f": [f"y: {RELAX} = cls.g(x)"], "g": [f"y: {RELAX} = cls.f(x)"]},
                                 "cls.f(x)"))

    def test_calls_that_lie_deep(self):
        methods = "".join(f"  def m{i}(self: __torch__.M, x: Tensor) -> Tensor:\n    return (self).m{i + 1}(x, )\n"
                          for i in range(300))
        last = "  def m300(self: __torch__.M, x: Tensor) -> Tensor:\n    return torch.exp(x)\n"
        self.refused(self.script("y = (self).m0(x, )", value="y", more=methods + last),
                     "lies more than 200 calls deep")

    def test_functions_that_call_the_next_twice(self):
        count = 40
        head = HEAD.replace('17\n', '17\nopset "f" 1\n')
        text = f"{head}entry main(%x: f32[2]) -> (%y: f32[2]) {{\n  %y = onnx:f.F0(%x)\n}}\n"
        for i in range(count):
            op = f"onnx:f.F{i + 1}" if i + 1 < count else "onnx.Exp"
            text += (f'\nfunction onnx:f.F{i}(%x) -> (%y)\n    opset "" 17\n    opset "f" 1 {{\n'
                     f"  %a = {op}(%x)\n  %y = {op}(%a)\n}}\n")
        self.refused(self.put("m.dgt", text), "--expand-limit raises that")
        methods = "".join(
            f"  def m{i}(self: __torch__.M, x: Tensor) -> Tensor:\n    y = (self).m{i + 1}(x, )\n"
            f"    return (self).m{i + 1}(y, )\n" for i in range(count)) + \
            f"  def m{count}(self: __torch__.M, x: Tensor) -> Tensor:\n    return torch.exp(x)\n"
        self.refused(self.script("y = (self).m0(x, )", value="y", more=methods),
                     "--expand-limit raises that")
        self.survives(self.relay(
            *(f"def @f{i}(%a: {RELAY}) -> {RELAY} {{\n  @f{i + 1}(@f{i + 1}(%a))\n}}" for i in range(count)),
            f"def @f{count}(%a: {RELAY}) -> {RELAY} {{\n  exp(%a)\n}}", main="@f0(%x)"))


class Structure(ProgramCase):
    def test_cycles(self):
        self.refused(self.onnx("%a = onnx.Add(%x, %y)", "%y = onnx.Neg(%a)"), "error: ")
        self.refused(self.onnx("%y = onnx.Add(%x, %y)"), "error: ")
        self.refused(self.tensorflow(tf("a", "AddV2", "x", "b"), tf("b", "Neg", "a"), tf("y", "Exp", "b")),
                     "error: ")
        self.refused(self.tensorflow(tf("a", "AddV2", "x", "a"), tf("y", "Exp", "a")), "error: ")

    def test_edited_graphs_without_their_parts(self):
        loop = """dragoman 1 source relay

entry main(%n: i32[], %x: f32[2]) -> (%r) {
  %f = relay.Function() {body = graph(%i: i32[], %s: f32[2]) -> (%v) {
    %c = relay.less(%i, %n)
    %v = relay.If(%c) {else_branch = graph() -> (%t) {
      %t = relay.Tuple(%i, %s)
    }}
  }}
  %loop = relay.Let(%f) {name = "loop", recursive = "loop"}
  %r = relay.Call(%loop, %n, %x)
}
"""
        self.refused(self.put("loop.dgt", loop), "has no graph 'then_branch'")
        self.refused(self.put("loop.dgt", loop.replace("relay.Call(%loop, %n, %x)", "relay.Call()")),
                     "has no operand")

    def test_nodes_that_are_missing_or_there_twice(self):
        self.refused(self.tensorflow(tf("a", "Neg", "nothing")), "error: ")
        self.refused(self.tensorflow(tf("a", "Neg", "x", "^nothing")), "error: ")
        self.refused(self.tensorflow(tf("a", "Neg", "x:7")), "error: ")
        self.refused(self.tensorflow(tf("a", "Neg", "x:-1")), "error: ")
        self.refused(self.tensorflow(tf("a", "Neg", "x"), tf("a", "Exp", "x")), "error: ")
        self.refused(self.onnx("%y = onnx.Neg(%nothing)"), "error: ")

    def test_attributes_of_other_types(self):
        convolution = ('attr { key: "strides" value { s: "1" } } attr { key: "padding" value { i: 1 } }')
        self.refused(self.tensorflow(tf("y", "Conv2D", "x", "x", more=F32 + convolution)), "error: ")
        for number in ("200", "DT_RESOURCE", "DT_VARIANT", "0", "-1"):
            for key in ("T", "dtype"):
                self.survives(self.tensorflow(tf("y", "Neg", "x", more=f'attr {{ key: "{key}" value {{ '
                                                                       f"type: {number} }} }}")))
        for tensor in ("dtype: DT_RESOURCE", "dtype: 200", "dtype: DT_FLOAT int_val: 1",
                       'dtype: DT_VARIANT tensor_shape { dim { size: 3 } } tensor_content: "\\377"'):
            self.survives(self.tensorflow(tf("y", "Const", more='attr { key: "dtype" value { type: '
                          f'DT_FLOAT }} }} attr {{ key: "value" value {{ tensor {{ {tensor} }} }} }}')))
        for attribute in ("perm = 1.0", 'perm = "a"', "perm = graph g() -> () {}", "perm = [9, -9]",
                          "perm = $alpha(7)", "perm = [0], perm = [0]", "perm = tensors []"):
            self.survives(self.onnx(f"%y = onnx.Transpose(%x) {{{attribute}}}"))

    def test_operands_of_unknown_type(self):
        self.survives(self.onnx("%f = onnx:nobody.Knows(%x)", "const %t: i64[1] = [0]",
                                "%y = onnx.NegativeLogLikelihoodLoss(%f, %t) {ignore_index = 2}"))

    def test_versions_and_domains_that_there_are_not(self):
        for line in ('opset "" 1000000000', 'opset "" -1', 'opset "" 0', 'opset "dom" 9223372036854775807'):
            self.survives(self.put("m.dgt", f'dragoman 1 source onnx\n{line}\n\nentry main(%x: f32[2]) -> '
                                            "(%y: f32[2]) {\n  %y = onnx.Neg(%x)\n}\n"))
        for code, said in self.attack(self.onnx("%y = onnx:nobody.Knows(%x)"))[::3]:
            self.assertIn(code, (0, 4))
            self.assertIn("nobody.Knows", said)


class Contradictions(ProgramCase):
    """A file that says two things is refused: neither of them is chosen without a word."""

    def test_truth_that_is_neither(self):
        self.refused(self.onnx('const %c: bool[2] = base64 "Av8="', "%y = onnx.Not(%c)", outputs="%y: bool[2]"),
                     "neither 0 nor 1")
        self.refused(self.tensorflow(
            tf("c", "Const", more='attr { key: "dtype" value { type: DT_BOOL } } attr { key: "value" value { '
               'tensor { dtype: DT_BOOL tensor_shape { dim { size: 2 } } tensor_content: "\\002\\377" } } }'),
            tf("y", "LogicalNot", "c", more="")), "error: ")

    def test_numbers_that_stand_for_truth(self):
        """Of 2, ONNX Runtime makes a false keepdims; others make a true one."""
        for attribute in ("keepdims = 2", "keepdims = -1"):
            self.refused(self.onnx(f"%y = onnx.ArgMax(%x) {{{attribute}}}", outputs="%y: i64[1]"),
                         "attribute 'keepdims' is -?[0-9]+, expected 0 or 1")

    def test_operators_that_are_two(self):
        body = "entry main(%x: f32[2]) -> (%y: f32[2]) {{\n  %y = {}(%x)\n}}\n"
        for imports, said in (
                ('opset "" 17\nopset "ai.onnx" 11\n', "operator sets 17 and 11 of ai.onnx"),
                ('opset "" 0\n', "operator set 0 of ai.onnx, which there is not"),
                ('opset "f" 1\n', "no operator set of ai.onnx is imported"),
                ("", "imports no operator set, which IR version 8 demands")):
            text = HEAD.replace('opset "" 17\n', imports) + body.format("onnx.Neg")
            self.refused(self.put("m.dgt", text), said)
        function = ('\nfunction onnx:f.F(%x) -> (%y)\n    opset "" 17 {{\n  %y = onnx.{}(%x)\n}}\n')
        text = HEAD.replace("17\n", '17\nopset "f" 1\n') + body.format("onnx:f.F")
        self.refused(self.put("m.dgt", text + function.format("Neg") + function.format("Exp")),
                     "function 'onnx:f.F': error: two functions have this name")

    def test_functions_in_place_of_operators(self):
        text = (HEAD + "entry main(%x: f32[2]) -> (%y: f32[2]) {\n  %y = onnx.Neg(%x)\n}\n"
                '\nfunction onnx.Neg(%x) -> (%y)\n    opset "" 17 {\n  %y = onnx.Exp(%x)\n}\n')
        for code, said in self.attack(self.put("m.dgt", text))[:3]:  # run says no warnings
            self.assertEqual(code, 0)
            self.assertIn("function 'onnx.Neg' is called in place of ONNX's operator", said)

    def test_two_values_at_one_index(self):
        self.refused(self.onnx("%s = onnx.Constant() {sparse_value = sparse [4] (f32[2] [1.0, 2.0], i64[2] [3, 3])}",
                               "%y = onnx.Neg(%s)"), "two values of a sparse tensor have one index")

    def test_types_that_operators_do_not_declare(self):
        integers = 'attr { key: "%s" value { type: DT_INT32 } }'
        self.refused(self.tensorflow(tf("y", "AddV2", "x", "x", more=integers % "T")),
                     "operand 0 has elements of f32, expected i32")
        self.refused(self.tensorflow(tf("y", "Cast", "x", more=integers % "SrcT" + integers % "DstT")),
                     "operand 0 has elements of f32, expected i32")
        function = ('signature { name: "f" input_arg { name: "a" type: DT_INT32 } output_arg { name: "r" type: '
                    'DT_FLOAT } } node_def { name: "n" op: "Neg" input: "a" ' + F32 + ' } '
                    'ret { key: "r" value: "n:y:0" }')
        self.refused(self.tensorflow(tf("y", "f", "x", more=""), f"library {{ function {{ {function} }} }}"),
                     "operand 0 has elements of i32, expected f32")

    def test_conditions_that_are_no_truths(self):
        """Not even where the branch that is taken is known."""
        for condition in ("i64[] = 1", "u8[1] = [0]", "f32[] = 1.0"):
            self.refused(self.onnx(f"const %c: {condition}", "%y = onnx.If(%c) {else_branch = graph e() -> (%a) {\n"
                                   "    %a = onnx.Neg(%x)\n  }, then_branch = graph t() -> (%b) {\n"
                                   "    %b = onnx.Exp(%x)\n  }}"), "expected bool")

    def test_parts_that_are_not_equal(self):
        three = tf("a", "ConcatV2", "x", "x1", "i", more=F32 + 'attr { key: "N" value { i: 2 } }')
        one = ('node { name: "x1" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: '
               '"shape" value { shape { dim { size: 1 } } } } }\n')
        index = tf("i", "Const", more='attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value '
                   "{ tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 } } }")
        split = tf("s", "Split", "i", "a", more=F32 + 'attr { key: "num_split" value { i: 2 } }')
        unpack = tf("s", "Unpack", "a", more=F32 + 'attr { key: "num" value { i: 2 } }')
        for parts, said in ((split, "3 elements do not make 2 equal parts"), (unpack, "2 results of 3 parts")):
            self.refused(self.tensorflow(one, index, three, parts, tf("y", "Neg", "s:1")), said)


class Sizes(ProgramCase):
    def test_sizes_that_overflow(self):
        large = "const %s: i64[2] = [9223372036854775807, 9223372036854775807]"
        for lines in (
                [large, "%y = onnx.Expand(%x, %s)"], [large, "%y = onnx.ConstantOfShape(%s)"],
                ["const %r: i64[1] = [1099511627776]", "%y = onnx.Tile(%x, %r)"],
                ["const %s: i64[2] = [4294967296, 4294967296]", "%y = onnx.ConstantOfShape(%s)"],
                ["const %p: i64[2] = [9223372036854775807, 9223372036854775807]", "%y = onnx.Pad(%x, %p)"],
                ["const %a: i64[] = 0", "const %b: i64[] = 9223372036854775807", "const %c: i64[] = 1",
                 "%y = onnx.Range(%a, %b, %c)"],
                ["const %a: f32[] = 0.0", "const %b: f32[] = inf", "const %c: f32[] = 1e-30",
                 "%y = onnx.Range(%a, %b, %c)"],
                ["const %d: i64[] = 9223372036854775807", "const %v: f32[2] = [0.0, 1.0]",
                 "%y = onnx.OneHot(%x, %d, %v)"],
                ["const %s: f32[1] = [1e30]", "%y = onnx.Resize(%x, _, %s)"],
                ["const %s: i64[2] = [-1, -9223372036854775808]", "%y = onnx.Reshape(%x, %s)"]):
            with self.subTest(lines[-1]):
                self.survives(self.onnx(*lines))
        large = "1000000000000000000"
        for size in (f"torch.zeros([{large}])", f"torch.zeros([{large}, {large}])",
                     f"torch.expand(x, [{large}, 2])", f"torch.repeat(x, [{large}])",
                     f"torch.arange({large})", f"torch.eye({large})", "torch.empty([-5])",
                     f"torch.one_hot(torch.to(x, 4), {large})"):
            with self.subTest(size):
                self.survives(self.script(f"y = {size}", value="torch.add(x, torch.sum(y))"))
        for node in (tf("y", "Fill", "s", "v"), tf("y", "Tile", "x", "s"), tf("y", "BroadcastTo", "x", "s"),
                     tf("y", "TensorListReserve", "s", "s"), tf("y", "Pad", "x", "s")):
            with self.subTest(node):
                self.survives(self.tensorflow(tf_ints("s", 2147483647, 2147483647),
                                              tf("v", "Const", more='attr { key: "dtype" value { type: '
                                                 'DT_FLOAT } } attr { key: "value" value { tensor { dtype: '
                                                 "DT_FLOAT tensor_shape { } float_val: 1 } } }"), node))

    def test_windows_of_no_size(self):
        image = dict(inputs="%x: f32[1, 4, 8, 8]")
        weight = "const %w: f32[4, 4, 1, 1] = [" + ", ".join(
            ["[" + ", ".join(["[[1.0]]"] * 4) + "]"] * 4) + "]"
        for operator, attributes in (
                ("MaxPool(%x)", "kernel_shape = [0, 0]"), ("MaxPool(%x)", "kernel_shape = [2, 2], strides = [0, 0]"),
                ("AveragePool(%x)", "kernel_shape = [-1, 2]"),
                ("MaxPool(%x)", "kernel_shape = [1, 1], dilations = [9223372036854775807, 1]"),
                ("MaxPool(%x)", "kernel_shape = [1, 1], pads = [9223372036854775807, 0, 1, 0]"),
                ("Conv(%x, %w)", "group = 0"), ("Conv(%x, %w)", "group = 9223372036854775807"),
                ("Conv(%x, %w)", "strides = [0, 1]"), ("Conv(%x, %w)", "dilations = [1073741824, 1073741824]"),
                ("Conv(%x, %w)", "dilations = [0, 0]"), ("ConvTranspose(%x, %w)", "strides = [4611686018427387904, 1]"),
                ("Split(%x)", "axis = 1, num_outputs = 0"), ("DepthToSpace(%x)", "blocksize = 0"),
                ("SpaceToDepth(%x)", "blocksize = 0"), ("LRN(%x)", "size = 0"),
                ("GroupNormalization(%x, %x, %x)", "num_groups = 0")):
            with self.subTest(operator + attributes):
                self.survives(self.onnx(weight, f"%y = onnx.{operator} {{{attributes}}}", **image))

    def test_integers_that_trap(self):
        for lines in (
                ["const %a: i64[1] = [-9223372036854775808]", "const %b: i64[1] = [-1]", "%y = onnx.Div(%a, %b)"],
                ["const %a: i32[1] = [-2147483648]", "const %b: i32[1] = [-1]", "%y = onnx.Mod(%a, %b)"],
                ["const %a: i32[1] = [1]", "const %b: i32[1] = [0]", "%y = onnx.Div(%a, %b)"],
                ["const %a: i32[1] = [1]", "const %b: i32[1] = [0]", "%y = onnx.Mod(%a, %b)"],
                ["const %a: u64[1] = [1]", "const %b: u64[1] = [64]",
                 '%y = onnx.BitShift(%a, %b) {direction = "LEFT"}'],
                ["const %a: f32[3] = [nan, 1e30, -inf]", "%y = onnx.Cast(%a) {to = 6}"],
                ["const %a: i64[1] = [-9223372036854775808]", "%y = onnx.Abs(%a)"],
                ["const %a: i64[1] = [-9223372036854775808]", "%y = onnx.Neg(%a)"],
                ["const %a: i64[1] = [0]", "const %b: i64[1] = [-3]", "%y = onnx.Pow(%a, %b)"]):
            with self.subTest(lines[-1]):
                self.survives(self.onnx(*lines, inputs="", outputs="%y"))

    def test_parameters_of_quantisation(self):
        for scale, zero, attributes in (
                ("f32[] = 0.0", "u8[] = 1", ""), ("f32[] = nan", "u8[] = 1", ""), ("f32[] = inf", "i8[] = 1", ""),
                ("f32[3] = [1.0, 1.0, 1.0]", "u8[3] = [1, 1, 1]", "{axis = 0}"),
                ("f32[2] = [1.0, 1.0]", "u8[1] = [1]", "{axis = 0}"), ("f32[] = 1.0", "u8[] = 1", "{axis = 77}"),
                ("f32[] = -1.0", "u8[] = 1", "{axis = -9223372036854775808}")):
            with self.subTest(scale + attributes):
                self.survives(self.onnx(f"const %s: {scale}", f"const %z: {zero}",
                                        f"%q = onnx.QuantizeLinear(%x, %s, %z) {attributes}",
                                        f"%y = onnx.DequantizeLinear(%q, %s, %z) {attributes}"))

    def test_indices_beyond_the_data(self):
        """At run time: an error, by the interpreter as by the generated program."""
        for index in (-2 ** 63, 2, 2 ** 63 - 1, -3):
            for operator in ("Gather(%x, %i)", "GatherElements(%x, %i)", "ScatterElements(%x, %i, %x1)"):
                self.survives(self.onnx(f"const %i: i64[1] = [{index}]", "const %x1: f32[1] = [1.0]",
                                        f"%y = onnx.{operator}"))


class Loops(ProgramCase):
    def test_loops_without_an_end(self):
        """They stay loops: only running one takes as long as it asks."""
        loop = self.onnx("const %m: i64[] = 9223372036854775807", "const %t: bool[] = true",
                         "%y = onnx.Loop(%m, %t, %x) {body = graph b(%i: i64[], %c: bool[], %v: f32[2]) -> "
                         "(%c, %w) {\n    %w = onnx.Exp(%v)\n  }}")
        for words in (["inspect", loop, "--to", "cpp"], ["convert", loop, "-o", "o.onnx"],
                      ["convert", loop, "-o", "o.onnx", "--passes", "default"],
                      ["convert", loop, "-o", "o.dgt", "--passes", "default", "--unroll"], ["codegen", loop, "-o", "c"],
                      ["convert", loop, "-o", "o_torch"]):
            done = self.call(*words)
            self.assertIn(done.returncode, (0, 2, 4), done.stderr)
        # No call of it is recorded in a package of PyTorch, nor of what takes gigabytes.
        self.assertIn("check.safetensors holds no call", done.stderr)
        large = self.onnx("%y = onnx.Exp(%x)", inputs="%x: f32[1000000, 1000000]", outputs="%y")
        done = self.call("convert", large, "-o", "large_torch")
        self.assertIn("check.safetensors holds no call: a call takes more than 1 GiB of memory", done.stderr)
        self.refused(self.tensorflow(
            tf("p", "Const", more='attr { key: "dtype" value { type: DT_BOOL } } attr { key: "value" value '
               "{ tensor { dtype: DT_BOOL tensor_shape { } bool_val: true } } }"),
            tf("w", "While", "x", more='attr { key: "T" value { list { type: DT_FLOAT } } } attr { key: "cond" '
               'value { func { name: "c" } } } attr { key: "body" value { func { name: "c" } } }')), "error: ")

    def test_numbers_that_are_counted(self):
        """What is evaluated while a program is lowered has a bound, and an option that raises it."""
        self.survives(self.script("k = 0", "while True:", "  k = torch.add(k, 1)", value="torch.add(x, k)"))
        for lines in (["k = 0", "for i in range(9000):", "  for j in range(9000):", "    for l in range(9000):",
                       "      k = torch.add(k, 1)"],
                      ["k = 0", "for i in range(10000):", "  for j in range(10000):", "    k = torch.add(k, j)"]):
            with self.subTest(lines):
                self.refused(self.script(*lines, value="torch.add(x, k)"), "--expand-limit raises that",
                             "--shape", "x=2")
        few = self.script("k = 0", "for i in range(3000):", "  for j in range(1000):", "    k = torch.add(k, j)",
                          value="torch.add(x, k)")
        convert = ["convert", few, "-o", "out.onnx", "--shape", "x=2"]
        done = self.call(*convert, "--expand-limit", "100")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("--expand-limit raises that", done.stderr)
        self.assertEqual(self.call(*convert).returncode, 0)

    def test_constants_that_take_long_to_compute(self):
        image = "const %c: f32[1, 1, 360, 360] = base64 \"" + "A" * (4 * 360 * 360 // 3 * 4) + '"'
        window = "const %w: f32[1, 1, 300, 300] = base64 \"" + "A" * (4 * 300 * 300 // 3 * 4) + '"'
        for nodes in ([f"%y{i} = onnx.Conv(%c, %w) {{pads = [{i}, 0, 0, 0]}}" for i in range(60)],
                      [f"%y{i} = onnx.MaxPool(%c) {{kernel_shape = [300, 300], pads = [{i}, 0, 0, 0]}}"
                       for i in range(60)]):
            joined = ", ".join(f"%y{i}" for i in range(60))
            path = self.onnx(image, window, *nodes, f"%y = onnx.Concat({joined}) {{axis = 2}}", inputs="",
                             outputs="%y")
            for words in (["inspect", path, "--to", "cpp"], ["diff", path, path, "--level", "common"],
                          ["convert", path, "-o", "o.onnx", "--passes", "default"]):
                done = self.call(*words)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_bodies_in_bodies(self):
        body = "%w = onnx.Exp(%v)"
        for _ in range(60):
            body = ("%w = onnx.Loop(%m, %t, %v) {body = graph b(%i: i64[], %c: bool[], %v: f32[2]) -> "
                    f"(%c, %w) {{\n{body}\n}}}}")
        text = body.replace("%w = ", "%y = ", 1).replace("(%m, %t, %v)", "(%m, %t, %x)", 1)
        self.survives(self.onnx("const %m: i64[] = 1", "const %t: bool[] = true", text))


class Texts(ProgramCase):
    def test_equations_and_expressions(self):
        for equation in ("...," * 100000 + "->", ",".join("abcdefghijklmnopqrstuvwxyz" * 4), "a" * 100000,
                         "->" * 1000, "i,j->ijk", "\\xff", "ii...i->...", ""):
            self.survives(self.onnx(f'%y = onnx.Einsum(%x, %x) {{equation = "{equation}"}}'))
        for pattern in ("(a*)*b", "(" * 100000, "a{1000000}{1000000}", "[" * 1000, "\\\\", "(?P<a", "a**" * 1000):
            self.survives(self.onnx("const %s: str[2] = [\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\", \"b\"]",
                                    f'%y = onnx.RegexFullMatch(%s) {{pattern = "{pattern}"}}',
                                    inputs="", outputs="%y"))

    def test_texts_that_nest(self):
        depth = 100000
        self.survives(self.script(f"y = {'(' * depth}x{')' * depth}", value="y"))
        self.survives(self.script(f"y = {'torch.exp(' * depth}x{')' * depth}", value="y"))
        self.survives(self.script(f"l = {'[' * depth}{']' * depth}"))
        self.survives(self.script("l = [" + "1, " * 10**6 + "]"))
        self.survives(self.script(*(" " * i + "if True:" for i in range(5000)), " " * 5000 + "y = x"))
        self.survives(self.relay(main="exp(" * depth + "%x" + ")" * depth))
        self.survives(self.relay(main="(" * depth + "%x" + ")" * depth))
        self.survives(self.relay(main="fn (%a) {" * depth))
        self.survives(self.relax({}, "R.exp(" * depth + "x" + ")" * depth))
        self.survives(self.put("m.dgt", HEAD + "entry main(%x: " + "seq<" * depth))
        self.survives(self.onnx("%y = onnx.If(%x) {then_branch = graph() -> () {" * depth))
        self.survives(self.onnx("%y = onnx.Foo(%x) {a = " + "list [" * depth))
        self.survives(self.put("m.json", '{"a":' * depth))

    def test_scripts_that_are_none(self):
        for line in ("\ty = x", "y = x\r", "y = x\0", 'y = "', "y = '\\777'", "y = " + "9" * 10000,
                     "y = 1e99999", "größe = x", "y = CONSTANTS.c999", "y = self.nothing", "y = x.y.z",
                     "y = torch.exp()", "y = torch.exp(x, x, x, x, x)", "y = (self).forward()",
                     "x = x\n  def forward(self: __torch__.M) -> int:\n    return 1", "class M(M):"):
            with self.subTest(line):
                self.survives(self.script(line))


if __name__ == "__main__":
    unittest.main()
