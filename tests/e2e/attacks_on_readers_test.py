#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Containers that attack their readers: pickles, archives, protobuf, JSON, files beside a model, and
operators that would touch files. A test for each kind of attack; docs/security.md lists them."""

import io
import json
import pathlib
import struct
import unittest
import zipfile

import script_archive
from attack_case import AttackCase, field

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
FORWARD = "  def forward(self: __torch__.M, x: Tensor) -> Tensor:\n    return x\n"
LONG = b"\x80\x02X"  # of a text: a length of four bytes follows


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value


def object_with(value):
    """A pickle of the module whose attribute `t` is `value`."""
    return b"\x80\x02c__torch__\nM\n)\x81}" + text(b"t") + value + b"sb."


class Pickles(AttackCase):
    def archive(self, pickled, code=FORWARD, name="m.pt"):
        path = self.out / name
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("m/data.pkl", pickled)
            archive.writestr("m/constants.pkl", script_archive.NOTHING)
            archive.writestr("m/code/__torch__.py", script_archive.HEAD.replace(
                "__buffers__", "t : Any\n  __buffers__") + code)
            archive.writestr("m/version", "3\n")
        return path

    def test_pickles_that_call(self):
        """Of whatever protocol: nothing is called, by any of the ways that pickles have."""
        command = text(f"touch {self.traces}/called".encode())
        calls = {
            "GLOBAL": b"cposix\nsystem\n" + command + b"\x85R",
            "INST": b"(" + command + b"iposix\nsystem\n",
            "OBJ": b"(cposix\nsystem\n" + command + b"o",
            "STACK_GLOBAL": b"\x8c\x05posix\x8c\x06system\x93" + command + b"\x85R",
            "resolve_name": b"cpkgutil\nresolve_name\n" + text(b"os:system") + b"\x85R" + command
                            + b"\x85R",
            "pip": b"cpip\nmain\n" + command + b"\x85R",
            "EXT1": b"\x82\x01" + command + b"\x85R",
            "NEWOBJ_EX": b"cposix\nsystem\n" + command + b"\x85}\x92",
            "PERSID": b"Pposix.system\n",
            "BUILD": b"cposix\nsystem\n}" + text(b"a") + command + b"sb",
        }
        for name, call in calls.items():
            with self.subTest(name):
                self.refused(self.archive(object_with(call)), "error: ")

    def test_pickles_in_pickles_and_bytes_behind_the_end(self):
        inner = b"\x80\x02cposix\nsystem\n)R."
        self.survives(self.archive(object_with(b"N") + inner))
        self.survives(self.archive(object_with(text(inner))))  # a text is a text

    def test_pickles_cut_anywhere(self):
        whole = object_with(b"(K\x01K\x02t]q\x01(K\x03h\x01e")
        for end in range(len(whole)):
            done = self.call("inspect", self.archive(whole[:end]))
            self.assertEqual(done.returncode, 2, (end, done.stdout, done.stderr))

    def test_pickles_that_ask_for_memory(self):
        for name, value in (("memo", b"Nr\xff\xff\xff\xff"), ("no memo", b"j\xff\xff\xff\x7f"),
                            ("text", b"\x8d" + struct.pack("<Q", 1 << 62)),
                            ("text of protocol 2", b"X\xff\xff\xff\xff"),
                            ("number", b"\x8b\xff\xff\xff\x7f"),
                            ("no values", b"t"), ("marks", b"(" * 10**6)):
            with self.subTest(name):
                self.refused(self.archive(object_with(value)), "error: ")

    def test_lists_of_themselves(self):
        self.survives(self.archive(object_with(b"]q\x01h\x01a")))

    def test_code_that_runs_at_load(self):
        """__setstate__ is interpreted: it ends, and allocates nothing."""
        head = ("  def __getstate__(self: __torch__.M) -> int:\n    return 1\n"
                "  def __setstate__(self: __torch__.M, s: int) -> NoneType:\n")
        for name, lines in (
                ("endless", ["k = 0", "while True:", "  k = torch.add(k, 1)"]),
                ("large", ["self.t = torch.zeros([1000000000000])"]),
                ("recursive", ["_0 = (self).__setstate__(s, )"]),
                ("doubling", ["l = [1, 1]", *["l = torch.add(l, l)"] * 60, "self.t = l"])):
            with self.subTest(name):
                body = "".join(f"    {line}\n" for line in lines) + "    return None\n"
                pickled = b"\x80\x02c__torch__\nM\n)\x81K\x01b."
                self.refused(self.archive(pickled, head + body + FORWARD), "error: ")


class Archives(AttackCase):
    ENTRIES = {"m/data.pkl": script_archive.MODULE, "m/constants.pkl": script_archive.NOTHING,
               "m/code/__torch__.py": (script_archive.HEAD + FORWARD).encode(), "m/version": b"3\n"}

    def archive(self, **more):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for name, content in self.ENTRIES.items():
                archive.writestr(name, content)
            for name, content in more.items():
                archive.writestr(name, content)
        return bytearray(stream.getvalue())

    def test_archives_that_lie(self):
        whole = self.archive()
        central, end = whole.index(b"PK\x01\x02"), whole.index(b"PK\x05\x06")
        lies = {
            "the size in the directory": (central + 24, struct.pack("<I", 1 << 30)),
            "the packed size": (central + 20, struct.pack("<I", 1 << 30)),
            "the size in the local header": (22, struct.pack("<I", 1 << 30)),
            "the place of an entry": (central + 42, struct.pack("<I", len(whole) + 1000)),
            "encryption": (central + 8, b"\x01\x00"),
            "an unknown method": (central + 10, b"\x63\x00"),
            "the checksum": (central + 16, b"\x01\x02\x03\x04"),
            "the number of entries": (end + 8, b"\xff\xff\xff\xff"),
            "the place of the directory": (end + 16, struct.pack("<I", 1 << 31)),
            "the name in the local header": (30, b"x/data.pkl"),
        }
        for name, (at, value) in lies.items():
            with self.subTest(name):
                damaged = bytearray(whole)
                damaged[at:at + len(value)] = value
                self.refused(self.put("m.pt", bytes(damaged)), "error: ")

    def test_two_entries_of_one_name(self):
        stream = io.BytesIO(self.archive())
        with zipfile.ZipFile(stream, "a") as archive:
            with self.assertWarns(UserWarning):
                archive.writestr("m/data.pkl", b"\x80\x02cposix\nsystem\n)R.")
        self.refused(self.put("m.pt", stream.getvalue()), "error: ")

    def test_a_comment_that_is_a_directory(self):
        """Readers that look for the end from different sides see different archives."""
        whole = self.archive()
        comment = bytes(self.archive(**{"m/data.pkl": b"cposix\nsystem\n)R."}))
        whole[-2:] = struct.pack("<H", len(comment))
        self.survives(self.put("m.pt", bytes(whole) + comment))

    def test_names_that_lead_out(self):
        for name in ("../../etc/passwd", "/etc/passwd", "m/../../x", "m\\..\\x", "m/" + "d/" * 3000):
            with self.subTest(name[:20]):
                self.survives(self.put("m.pt", bytes(self.archive(**{name: b"x"}))))

    def test_entries_that_unpack_to_gigabytes(self):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in self.ENTRIES.items():
                if "code" in name:
                    content = content + b"\n" * (1 << 29)
                archive.writestr(name, content)
        self.refused(self.put("m.pt", stream.getvalue()), "error: ")


class OutputNames(AttackCase):
    NAMES = ("../../../up", "/etc/x", "CON", "a/b", "..", "n" * 4096, "\\x00\\n")

    def test_tensors_named_after_files(self):
        """Names of files that are written are ours."""
        for name in self.NAMES:
            with self.subTest(name[:20]):
                model = self.put("m.dgt", f"""dragoman 1 source onnx
opset "" 17
extra {{onnx.ir_version = 8}}

entry main(%"x{name}": f32[2]) -> (%"{name}": f32[2]) {{
  const %"w{name}": f32[2] = [1.0, 2.0]
  %"{name}" = onnx.Add(%"x{name}", %"w{name}") @"{name}"
}}
""")
                folder = self.results / "inner" / "deep"
                folder.mkdir(parents=True)
                for words in (["run", model, "--random", "-o", folder / "y"],
                              ["codegen", model, "-o", folder / "cpp"],
                              *(["convert", model, "-o", folder / f"m.{suffix}"]
                                for suffix in ("onnx", "py", "relay", "dgt", "pt2"))):
                    done = self.call(*words)
                    self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual([*self.results.iterdir()], [self.results / "inner"])
                self.assertEqual([*(self.results / "inner").iterdir()], [folder])
                self.assertEqual({path.name for path in self.out.iterdir()},
                                 {"m.dgt", "results", "traces"})
                self.succeed("rm", "-r", self.results / "inner")


class Protobuf(AttackCase):
    def check(self, name, content, pattern="error: "):
        for code, said in self.attack(self.put(name, content)):
            self.assertIn(code, (2, 4), said)
            self.assertRegex(said, pattern)

    def test_lengths_beyond_the_file(self):
        for length in (b"\xff\xff\xff\xff\x07", b"\xff" * 9 + b"\x01", b"\xff" * 11):
            self.check("m.onnx", b"\x08\x08\x3a" + length + b"x")
            self.check("m.pb", b"\x0a" + length + b"x")

    def test_groups_and_wire_types_that_there_are_not(self):
        for content in (b"\x0b" * 100000, b"\x3b" * 5000 + b"\x3c" * 5000, b"\x3e\x01", b"\x3f"):
            self.check("m.onnx", b"\x08\x08" + content)
            self.check("m.pb", b"\x0a\x02\x0a\x00" + content)

    def test_messages_that_nest(self):
        value = b""
        for _ in range(3000):  # of AttrValue.func.attr
            value = field(10, field(1, b"f") + field(2, field(1, b"a") + field(2, value)))
        node = field(1, b"n") + field(2, b"NoOp") + field(5, field(1, b"a") + field(2, value))
        self.check("m.pb", field(1, node))
        graph = field(2, b"inner")
        for _ in range(3000):
            graph = field(1, field(4, b"If") + field(5, field(1, b"then_branch") + field(6, graph)))
        self.check("m.onnx", field(1, 8) + field(7, graph) + field(8, field(2, 17)))

    def test_tensors_that_claim_more_than_the_file(self):
        sizes = field(1, 1 << 40)
        tensor = sizes + field(2, 1) + field(8, b"w") + field(9, b"1234")
        graph = field(1, field(1, b"w") + field(2, b"y") + field(4, b"Neg")) + field(2, b"g") + \
            field(5, tensor) + field(12, field(1, b"y"))
        self.check("m.onnx", field(1, 8) + field(7, graph) + field(8, field(2, 17)))

    def test_attributes_of_two_kinds(self):
        """Type FLOAT, and both f and i: which one is meant?"""
        two = field(1, b"alpha") + b"\x15\x00\x00\x00\x3f" + field(3, 5) + field(20, 1)
        node = field(1, b"x") + field(2, b"y") + field(4, b"Elu") + field(5, two)
        value = field(2, field(1, field(1, 1) + field(2, field(1, field(1, 2)))))
        graph = field(1, node) + field(2, b"g") + field(11, field(1, b"x") + value) + \
            field(12, field(1, b"y") + value)
        self.check("m.onnx", field(1, 8) + field(7, graph) + field(8, field(2, 17)), "attribute 'alpha'")

    def test_texts_that_nest(self):
        for opening in ("node { ", "library { function { "):
            self.check("m.pbtxt", opening * 300000)
            self.check("m.textproto", opening * 300000)
        self.survives(self.put("m.pbtxt", 'node { name: "\\400" op: "NoOp" }'))


class Json(AttackCase):
    def setUp(self):
        super().setUp()
        path = self.out / "seed.pt2"
        done = self.call("convert", MODELS / "mlp_dynamic" / "model.onnx", "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        with zipfile.ZipFile(path) as archive:
            self.entries = {name: archive.read(name) for name in archive.namelist()}
        self.program = next(name for name in self.entries if name.endswith("model.json"))

    def with_program(self, change, name=None):
        name = name or self.program
        path = self.out / "m.pt2"
        with zipfile.ZipFile(path, "w") as archive:
            for entry, content in self.entries.items():
                if entry == name:
                    content = change(content.decode()).encode()
                archive.writestr(entry, content)
        return path

    def expressions(self, expression):
        def change(program):
            changed, count = [], 0
            for part in program.split('"expr_str":'):
                if changed:
                    rest = part[part.index('"', part.index('"') + 1):]
                    part, count = f' {json.dumps(expression)[:-1]}{rest}', count + 1
                changed.append(part)
            self.assertGreater(count, 0)
            return '"expr_str":'.join(changed)
        return self.with_program(change)

    def test_expressions_that_are_programs(self):
        marker = self.traces / "called"
        for expression in (f"__import__('os').system('touch {marker}')", "Add(" * 10**6,
                           "s0" + "*s0" * 10**5, "Pow(Symbol('s0'), 10**10**10)", "9" * 10**5,
                           "lambda: 0", "Symbol('s0').__class__"):
            with self.subTest(expression[:20]):
                self.survives(self.expressions(expression))

    def test_texts_that_are_no_program(self):
        for name, change in (
                ("nested", lambda text: "[" * 10**6), ("nested objects", lambda text: '{"a":' * 10**6),
                ("not a number", lambda text: text.replace(":", ": NaN,", 1)),
                ("a large number", lambda text: text.replace("13", "1" + "0" * 5000)),
                ("half a surrogate", lambda text: text.replace('"x"', '"\\ud800"')),
                ("cut", lambda text: text[:len(text) // 2]), ("empty", lambda text: "")):
            with self.subTest(name):
                self.survives(self.with_program(change))

    def test_signatures_that_contradict_the_graph(self):
        def swap(program):
            described = json.loads(program)
            specs = described["graph_module"]["signature"]["input_specs"]
            specs[0], specs[2] = specs[2], specs[0]
            return json.dumps(described)
        self.refused(self.with_program(swap), "the signature has \"\\w+\" where the graph has")

    def test_weights_of_another_type(self):
        def widen(program):
            described = json.loads(program)
            graph = described["graph_module"]["graph"]
            parameter = graph["inputs"][0]["as_tensor"]["name"]
            graph["tensor_values"][parameter]["sizes"][0] = {"as_int": 63}
            return json.dumps(described)
        self.refused(self.with_program(widen), "the graph declares f32.*, and its weights hold f32")

    def test_weights_elsewhere(self):
        config = next((name for name in self.entries if name.endswith("weights_config.json")), None)
        for path in ("../../etc/passwd", "/etc/passwd", "weight_0/../../x", "no"):
            self.refused(self.with_program(lambda text: text.replace("weight_0", path), config),
                         "error: ")
        self.survives(self.with_program(lambda text: text.replace('"use_pickle": false',
                                                                  '"use_pickle": true'), config))


class OperatorsOnFiles(AttackCase):
    def graph(self, node):
        return f"""
node {{ name: "x" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} }}
node {{ name: "f" op: "Const" attr {{ key: "dtype" value {{ type: DT_STRING }} }}
  attr {{ key: "value" value {{ tensor {{ dtype: DT_STRING tensor_shape {{ }}
    string_val: "{self.traces}/written" }} }} }} }}
{node}
"""

    def test_tensorflow(self):
        """Operators that read or write files, or run code, are refused where something reads them."""
        for op, operands in (("ReadFile", ["f"]), ("WriteFile", ["f", "f"]), ("MatchingFiles", ["f"]),
                             ("WholeFileReaderV2", []), ("TextLineReaderV2", []), ("PyFunc", ["x"]),
                             ("EagerPyFunc", ["x"]), ("ImmutableConst", []), ("RemoteCall", ["f", "x"]),
                             ("DebugIdentity", ["x"]), ("TRTEngineOp", ["x"]), ("XlaLaunch", ["x"]),
                             ("DecodeProtoV2", ["f"]), ("SaveV2", ["f", "f", "f", "x"]),
                             ("RestoreV2", ["f", "f", "f"]), ("MergeV2Checkpoints", ["f", "f"])):
            with self.subTest(op):
                inputs = " ".join(f'input: "{name}"' for name in operands)
                node = (f'node {{ name: "y" op: "{op}" {inputs} '
                        f'attr {{ key: "memory_region_name" value {{ s: "/etc/passwd" }} }} }}')
                self.survives(self.put("m.pbtxt", self.graph(node)))

    def test_prints_go_to_no_file(self):
        node = ('node { name: "y" op: "PrintV2" input: "f" attr { key: "output_stream" value { s: '
                f'"file://{self.traces}/printed" }} }} attr {{ key: "end" value {{ s: "" }} }} }}')
        self.survives(self.put("m.pbtxt", self.graph(node)))

    def test_torchscript(self):
        path = self.out / "m.pt"
        for expression, result in ((f'torch.from_file("{self.traces}/written", True, 4)', "y"),
                                   (f'torch.save(x, "{self.traces}/written")', "x")):
            script_archive.write_script(
                path, "  def forward(self: __torch__.M, x: Tensor) -> Tensor:\n"
                      f"    y = {expression}\n    return {result}\n")
            self.refused(path, "error: ")


if __name__ == "__main__":
    unittest.main()
