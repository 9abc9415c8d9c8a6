#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names and texts of a file cannot steer the terminal, pose as lines of ours, or leave a comment.

Each command is run on models of each format whose names hold escape sequences, line feeds, C1
controls, bidirectional marks, bytes that are not UTF-8, ends of comments and trigraphs; every byte
that is printed for people is looked at. The escaped form of a name is taken wherever a name is.
"""

import pathlib
import re
import subprocess
import unittest

import numpy as np

from command_case import CommandCase
from commands import DRAGOMAN

try:
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError:
    onnx = None

HOSTILE = b"\x1b[2J\nEVIL ok\r\x07*/ ??/\xc2\x9b1m\xe2\x80\xae\xef\xbb\xbf\xff"
SHOWN = r"\x1b[2J\nEVIL ok\r\x07*/ ??/\xc2\x9b1m\xe2\x80\xae\xef\xbb\xbf\xff"
PLACEHOLDER = "@" * len(HOSTILE)  # in messages, whose strings Python wants to be UTF-8
LINE_SEPARATORS = "\u0085\u2028\u2029"
HIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e"
                    r"\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")


def hostile(message):
    return message.SerializeToString().replace(PLACEHOLDER.encode(), HOSTILE)


def tensor(name):
    dim = "n" + PLACEHOLDER
    return helper.make_tensor_value_info(name + PLACEHOLDER, TensorProto.FLOAT, [dim, 2])


def named(letter):
    return letter + PLACEHOLDER


def model_of(nodes, **fields):
    weight = numpy_helper.from_array(np.ones(2, np.float32), named("w"))
    graph = helper.make_graph(nodes, named("g"), [tensor("x")], [tensor("y")], [weight],
                              doc_string=named("doc"))
    model = helper.make_model(graph, producer_name=named("p"), producer_version=named("v"),
                              doc_string=named("d"), ir_version=8, **fields)
    helper.set_model_props(model, {named("k"): named("v")})
    return model


def runnable():
    nodes = [helper.make_node("Add", [named("x"), named("w")], [named("a")], named("add")),
             helper.make_node("Relu", [named("a")], [named("y")], named("relu"))]
    return model_of(nodes, opset_imports=[helper.make_opsetid("", 17)])


def refused():
    nodes = [helper.make_node("Foo" + PLACEHOLDER, [named("x"), named("w")], [named("y")],
                              named("foo"), domain=named("dom"),
                              **{named("attribute"): named("value")})]
    return model_of(nodes, opset_imports=[helper.make_opsetid("", 17),
                                          helper.make_opsetid(named("dom"), 1)])


def without_file():
    model = runnable()
    weight = model.graph.initializer[0]
    weight.ClearField("raw_data")
    weight.data_location = TensorProto.EXTERNAL
    weight.external_data.add(key="location", value=named("file"))
    return model


def frozen_graph():
    """A TensorFlow graph that prints a string, as text."""
    name = "".join(f"\\{byte:03o}" for byte in HOSTILE)
    return f"""
node {{ name: "x{name}" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
  attr {{ key: "shape" value {{ shape {{ dim {{ size: 2 }} }} }} }} }}
node {{ name: "text" op: "Const" attr {{ key: "dtype" value {{ type: DT_STRING }} }}
  attr {{ key: "value" value {{ tensor {{ dtype: DT_STRING tensor_shape {{ }} string_val: "{name}" }} }} }} }}
node {{ name: "p{name}" op: "Print" input: "x{name}" input: "text"
  attr {{ key: "T" value {{ type: DT_FLOAT }} }}
  attr {{ key: "U" value {{ list {{ type: DT_STRING }} }} }}
  attr {{ key: "message" value {{ s: "{name}" }} }} }}
"""


class PrintedNames(CommandCase):
    def call(self, *arguments):
        """The exit code and what people read, all of which is checked."""
        done = subprocess.run([DRAGOMAN, *map(str, arguments)], capture_output=True, check=False,
                              cwd=self.out)
        self.assertIn(done.returncode, (0, 1, 2, 4), done.stderr)
        said = done.stdout + done.stderr if "-o" not in arguments or "-" not in arguments \
            else done.stderr
        with self.subTest(arguments):
            self.check_printed(said)
        return done.returncode, said.decode(errors="replace")

    def check_printed(self, said):
        try:
            text = said.decode()
        except UnicodeDecodeError as error:
            self.fail(f"{error}: {said[:400]}")
        self.assertIsNone(HIDDEN.search(text), repr(text[:2000]))
        for line in text.split("\n"):
            self.assertFalse(line.lstrip().startswith("EVIL"), repr(text[:2000]))

    def write(self, name, content):
        path = self.out / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path.name

    def check_commands(self, model):
        for more in ([], ["-v"], ["--nodes"], ["--node", "a" + SHOWN], ["--node", "nothing"],
                     ["--to", "cpp"], ["--to", "relax"], ["--to", "relay"], ["--explain"],
                     ["--entry", "no"], ["--shape", "no=1"], ["--dim", "no=1"],
                     ["--shape", f"x{SHOWN}=1,2,3"], ["--cut-outputs", "no"]):
            self.call("inspect", model, *more)
        for suffix in ("onnx", "py", "relay", "dgt", "dgm", "json", "dot", "pt2"):
            self.call("convert", model, "-o", f"out.{suffix}", "--passes", "default", "--explain")
        self.call("convert", model, "-o", "out.onnx", "--batch", "4")
        self.call("run", model, "--random", "-o", "y")
        self.call("run", model, "--input", "no=no.npy", "-o", "y")
        self.call("verify", model, "--against", model)
        self.call("verify", model, "--against", model, "--bisect")
        self.call("codegen", model, "-o", "cpp")
        self.check_edits(model)
        self.check_pages(model)

    def check_edits(self, model):
        for more in (["--rename-input", "no=yes"], ["--rename-node", ".*=a"], ["--expose", "no"],
                     ["--drop-input", f"x{SHOWN}"], ["--drop-output", "no"], ["--argmax", "no"],
                     ["--order-inputs", "no"], ["--input-type", f"x{SHOWN}=uint8"],
                     ["--set-constant", "no=no.npy"], ["--remove-metadata", "no"],
                     ["--rename-dim", "no=n"], ["--strip", "names"]):
            self.call("edit", model, "-o", "out.onnx", *more)
        self.call("simplify", model, "-o", "out.onnx", "--check", "1")
        self.call("extract", model, "-o", "out.onnx", "--scope", "no")
        self.call("extract", model, "-o", "out.onnx", "--outputs", "a" + SHOWN)
        self.call("split", model, "-o", "out.onnx", "--at", "a" + SHOWN)
        self.call("split", model, "-o", "out.onnx", "--at", "no")
        self.call("merge", model, model, "-o", "out.onnx")
        self.call("bench", model, "--engine", "interpreter", "--rounds", "1", "--calls", "1",
                  "--profile", "--plot", "out.svg")
        self.call("reduce", model, "-o", "out.onnx", "--test", "false {}", "--timeout", "5")

    def check_pages(self, model):
        """Nothing in a page steers a terminal or ends its script: names are data of it."""
        self.call("inspect", model, "--html", "out.html")
        self.call("diff", model, model, "--html", "other.html")
        for path in (*self.out.glob("*.html"), *self.out.glob("*.svg")):
            self.check_printed(path.read_bytes())
            path.unlink()

    @unittest.skipIf(onnx is None, "no onnx")
    def test_onnx(self):
        for make in (runnable, refused, without_file):
            self.check_commands(self.write(f"{make.__name__}.onnx", hostile(make())))

    @unittest.skipIf(onnx is None, "no onnx")
    def test_containers_of_the_source_graph(self):
        for make in (runnable, refused):
            source = self.write("m.onnx", hostile(make()))
            for suffix in ("dgt", "dgm", "json"):
                copy = f"{make.__name__}.{suffix}"
                self.assertEqual(self.call("convert", source, "-o", copy)[0], 0)
                self.check_commands(copy)

    def test_tensorflow(self):
        graph = self.write("m.pbtxt", frozen_graph())
        self.check_commands(graph)
        code, said = self.call("run", graph, "--random", "-o", "y")
        self.assertEqual(code, 0, said)
        self.assertIn("EVIL ok", said)  # what the model prints

    def test_texts_that_do_not_parse(self):
        hidden = HOSTILE.replace(b"\n", b"")  # a line of the file is shown as one
        for name, text in (("m.dgt", b"graph g() -> (%y) { %y = " + hidden),
                           ("m.relay", b'#[version = "0.0.5"]\ndef @main(' + hidden),
                           ("m.py", b"from tvm.script import ir as I\n@I.ir_module\nclass M:\n  x"
                            + hidden),
                           ("m.json", b'{"a": "' + hidden), ("m.pbtxt", b"node { " + hidden)):
            path = self.write(name, text)
            self.assertEqual(self.call("inspect", path)[0], 2)

    @unittest.skipIf(onnx is None, "no onnx")
    def test_differences(self):
        source = self.write("a.onnx", hostile(runnable()))
        other = runnable()
        other.graph.node[1].op_type = "Abs"
        other.graph.node[0].name = named("other")
        self.assertEqual(self.call("diff", source, self.write("b.onnx", hostile(other)))[0], 1)
        self.call("diff", source, self.write("c.onnx", hostile(refused())))

    @unittest.skipIf(onnx is None, "no onnx")
    def test_generated_sources(self):
        model = self.write("m.onnx", hostile(runnable()))
        self.assertEqual(self.call("codegen", model, "-o", "cpp", "--name", "m")[0], 0)
        for path in (self.out / "cpp").rglob("*"):
            if path.suffix not in (".h", ".cc", ".txt") or "runtime" in path.parts:
                continue
            text = path.read_bytes()
            self.check_printed(text)
            for line in text.decode().split("\n"):
                comment = line.partition("//")[2]
                self.assertNotIn("??", comment)
                self.assertFalse(comment.endswith("\\"), line)

    @unittest.skipIf(onnx is None, "no onnx")
    def test_an_escaped_name_is_a_name(self):
        model = self.write("m.onnx", hostile(runnable()))
        np.save(self.out / "x.npy", np.ones((1, 2), np.float32))
        np.save(self.out / "w.npy", np.ones(2, np.float32))
        for arguments in (
                ("run", model, "--input", f"x{SHOWN}=x.npy", "-o", "y"),
                ("inspect", model, "--node", "a" + SHOWN),
                ("convert", model, "-o", "m.dgt", "--shape", f"x{SHOWN}=1,2"),
                ("convert", model, "-o", "m.dgt", "--dim", f"n{SHOWN}=3"),
                ("convert", model, "-o", "m.dgt", "--cut-outputs", "a" + SHOWN),
                ("convert", model, "-o", "m.dgt", "--cut-inputs", "a" + SHOWN),
                ("edit", model, "-o", "out.onnx", "--expose", "a" + SHOWN),
                ("edit", model, "-o", "out.onnx", "--rename-input", f"x{SHOWN}=x"),
                ("edit", model, "-o", "out.onnx", "--rename-node", f"relu{SHOWN}=relu"),
                ("edit", model, "-o", "out.onnx", "--rename-dim", f"n{SHOWN}=n"),
                ("edit", model, "-o", "out.onnx", "--order-inputs", "x" + SHOWN),
                ("edit", model, "-o", "out.onnx", "--order-outputs", "y" + SHOWN),
                ("edit", model, "-o", "out.onnx", "--argmax", "y" + SHOWN),
                ("edit", model, "-o", "out.onnx", "--input-scale", f"x{SHOWN}=2"),
                ("edit", model, "-o", "out.onnx", "--set-constant", f"w{SHOWN}=w.npy"),
                ("edit", model, "-o", "out.onnx", "--remove-metadata", "k" + SHOWN),
                ("extract", model, "-o", "out.onnx", "--outputs", "a" + SHOWN),
                ("extract", model, "-o", "out.onnx", "--scope", "relu" + SHOWN),
                ("split", model, "-o", "out.onnx", "--at", "a" + SHOWN),
                ("merge", model, model, "-o", "out.onnx", "--connect", f"y{SHOWN}=x{SHOWN}"),
                ("convert", model, "-o", "out.onnx", "--batch", "3", "--batch-axis", f"x{SHOWN}=0"),
                ("bench", model, "--engine", "interpreter", "--rounds", "1", "--calls", "1",
                 "--input", f"x{SHOWN}=x.npy"),
                ("verify", model, "--against", model, "--input", f"x{SHOWN}=x.npy")):
            code, said = self.call(*arguments)
            self.assertEqual(code, 0, said)

    @unittest.skipIf(onnx is None, "no onnx")
    def test_what_can_be_read_stays(self):
        name = "größe 名前 🙂 it's \"so\""
        model = runnable()
        model.producer_name = name
        path = self.write("m.onnx", model.SerializeToString())
        self.assertIn(name, self.call("inspect", path)[1])


if __name__ == "__main__":
    unittest.main()
