# SPDX-License-Identifier: Apache-2.0
"""The module does what the command line does, on the models of tests/models."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import warnings

import numpy

import dragoman
from commands import DRAGOMAN

MODELS = pathlib.Path("tests/models")
ONNX = sorted(MODELS.glob("*/model.onnx"))
TORCHSCRIPT = sorted(MODELS.glob("torchscript/*/model.pt"))[::4]
TENSORFLOW = [MODELS / "tensorflow/counter.pb", MODELS / "tensorflow/stateful_lstm"]
ALL = ONNX + TORCHSCRIPT + TENSORFLOW


def command(*arguments):
    """What the program prints, or its findings if it fails."""
    done = subprocess.run([DRAGOMAN, *map(str, arguments)], capture_output=True, text=True,
                          errors="surrogateescape", check=False)
    return done.stdout if done.returncode == 0 else re.sub(r"\d+ errors\n$", "", done.stderr)


def call(function, *arguments, **options):
    """What a function gives, or the message of its error; as `command`, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dragoman.Warning)
        try:
            return function(*arguments, **options)
        except dragoman.Error as error:
            return f"{error}\n"


def data_set(model):
    """The first inputs and outputs that are recorded beside a model, or None."""
    for folder in sorted(model.parent.glob("**/inputs.npz")):
        return folder.parent
    return None


class ModelsTest(unittest.TestCase):

    def test_source_graphs_are_those_of_the_command_line(self):
        for path in ALL:
            with self.subTest(path=path):
                self.assertEqual(call(lambda: dragoman.load(path).to_text()),
                                 command("convert", path, "-o", "-", "--to", "text", "-q"))

    def test_an_entry_that_is_not_there(self):
        path = MODELS / "torchscript/lstm_policy/model.pt"
        with self.assertRaisesRegex(dragoman.Invalid, "no entry 'forwrd'.*forward"):
            dragoman.load(path, entry="forwrd")

    def test_rewritten_graphs_are_those_of_the_command_line(self):
        for path in ALL:
            with self.subTest(path=path):
                self.assertEqual(
                    call(lambda: dragoman.load(path).optimize().to_text()),
                    command("convert", path, "-o", "-", "--to", "text", "--passes", "default",
                            "--level", "common", "-q"))

    def test_relax_modules_are_those_of_the_command_line(self):
        for path in ONNX:
            with self.subTest(path=path):
                self.assertEqual(call(lambda: dragoman.load(path).to_text("relax")),
                                 command("convert", path, "-o", "-", "--to", "relax", "-q"))

    def test_files_are_those_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for path in ONNX:
                for suffix, options, flags in ((".onnx", {}, []),
                                               (".onnx", {"opset": 17}, ["--opset", "17"]),
                                               (".onnx", {"passes": "default"},
                                                ["--passes", "default"]),
                                               (".dgm", {}, []), (".json", {}, [])):
                    with self.subTest(path=path, suffix=suffix, options=options):
                        ours, theirs = folder / f"a{suffix}", folder / f"b{suffix}"
                        call(lambda: dragoman.load(path).save(ours, **options))
                        command("convert", path, "-o", theirs, "-q", *flags)
                        self.assertEqual(ours.read_bytes(), theirs.read_bytes())

    def test_outputs_are_those_of_the_command_line(self):
        ran = 0
        for path in ALL:
            data = data_set(path)
            if data is None:
                continue
            with self.subTest(path=path), tempfile.TemporaryDirectory() as out:
                said = command("run", path, "--inputs", data / "inputs.npz", "-o", out)
                inputs = dict(numpy.load(data / "inputs.npz"))
                outputs = call(dragoman.load(path).run, inputs)
                if isinstance(outputs, str):
                    self.assertEqual(outputs, said)
                    continue
                index = json.loads((pathlib.Path(out) / "index.json").read_text())["outputs"]
                self.assertEqual([o["name"] for o in index], list(outputs))
                for output in index:
                    expected = numpy.load(pathlib.Path(out) / output["file"])
                    found = outputs[output["name"]]
                    self.assertEqual(found.tobytes(), expected.tobytes())
                    self.assertEqual(found.shape, expected.shape)
                self.assertEqual(
                    {name: array.tobytes() for name, array in outputs.items()},
                    {name: array.tobytes()
                     for name, array in dragoman.load(path).session().run(inputs).items()})
                ran += 1
        self.assertGreater(ran, 3)

    def test_messages_cannot_steer_a_terminal(self):
        """Names come as they are; what says something of them is printable, and names them, too."""
        name, shown = "a\x1b[2J\n\u202e", r"a\x1b[2J\n\xe2\x80\xae"
        text = f"""dragoman 1 source onnx
opset "" 17

entry main(%x: f32[2]) -> (%y: f32[2]) {{
  %"{shown}" = onnx.Nothing(%x) @"{shown}"
  %y = onnx.Neg(%"{shown}")
}}
"""
        model = dragoman.load(text.encode())
        node = model.graph.nodes[0]
        self.assertEqual(node.name, name)
        with self.assertRaises(dragoman.Unsupported) as raised:
            model.save("never.pt2")
        for said in (str(raised.exception), repr(node), repr(node.outputs[0]),
                     *map(str, raised.exception.findings)):
            self.assertIn(shown, said)
            self.assertTrue(said.isprintable(), said)

    def test_recorded_data_is_verified(self):
        for path in ONNX:
            report = dragoman.verify(path, data=path.parent)
            self.assertTrue(report, report)
            self.assertTrue(all(output.elements > 0 for verification in report.verifications
                                for output in verification.outputs))


LARGE = """ir_version: 8
opset_import { version: 17 }
graph {
  name: "g"
  input { name: "x" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 32768 } } } } }
  output { name: "y" type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 16384 } } } } }
  initializer {
    name: "w" data_type: 1 dims: 16384 dims: 32768
    data_location: EXTERNAL external_data { key: "location" value: "w.bin" }
  }
  node {
    op_type: "Gemm" input: "x" input: "w" output: "y"
    attribute { name: "transB" type: INT i: 1 }
  }
}
"""


def anonymous_memory():
    """Bytes that this process has in memory and that are not those of a file."""
    status = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(re.search(r"RssAnon:\s*(\d+) kB", status)[1])


class LargeModelTest(unittest.TestCase):

    def test_weights_of_two_gigabytes_are_not_copied(self):
        with tempfile.TemporaryDirectory() as folder:
            model, weights = pathlib.Path(folder, "model.textproto"), pathlib.Path(folder, "w.bin")
            model.write_text(LARGE)
            weights.touch()
            os.truncate(weights, 2 << 30)  # a hole in the file, which takes no space on the disk
            before = anonymous_memory()
            optimized = dragoman.load(model).optimize()
            weight = next(value.constant for value in optimized.graph.constants
                          if value.constant.nbytes == 2 << 30)
            self.assertEqual(weight[-1, -1], 0)
            self.assertLess(anonymous_memory() - before, 64 << 20)


if __name__ == "__main__":
    unittest.main()
