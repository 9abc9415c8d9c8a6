#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's files on the command line: written again as they were, and damaged ones.

Files are the small ones of tests/models/tensorflow and, where it is there, shared/data. protoc says
whether two messages are equal: it prints maps sorted.
"""

import io
import pathlib
import random
import shutil
import subprocess
import unittest
import zipfile

import numpy as np

from command_case import CommandCase
from commands import dragoman

MODELS = pathlib.Path("tests/models/tensorflow")
SHARED = pathlib.Path("../shared/data")
SCHEMA = "proto/tensorflow/tensorflow.proto"


def decode(message, data):
    done = subprocess.run(["protoc", f"--decode=dragoman.tf_pb.{message}", SCHEMA], input=data,
                          capture_output=True, check=True)
    return done.stdout


def graphs():
    found = sorted(MODELS.glob("*.pb"))
    found += sorted(SHARED.glob("tf-cases/*/graph.pb"))[::12]
    return found + sorted(path for path in SHARED.glob("real/tensorflow/**/*.pb")
                          if path.name not in ("saved_model.pb", "fingerprint.pb", "keras_metadata.pb"))


def saved_models():
    found = sorted(path.parent for path in MODELS.glob("*/saved_model.pb"))
    return found + sorted(path.parent
                          for path in SHARED.glob("real/tensorflow/**/saved_model.pb"))


@unittest.skipUnless(shutil.which("protoc"), "protoc is not there")
class WrittenAgain(CommandCase):
    def convert(self, *arguments):
        done = dragoman("convert", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_graphs_are_equal_field_by_field(self):
        self.assertTrue(graphs())
        for i, path in enumerate(graphs()):
            with self.subTest(path=str(path)):
                text, binary = self.out / f"{i}.dgt", self.out / f"{i}.pb"
                self.convert(path, "-o", text)
                self.convert(text, "-o", binary)
                self.assertEqual(decode("GraphDef", binary.read_bytes()),
                                 decode("GraphDef", path.read_bytes()))

    def test_text_is_read_as_binary_is(self):
        for path in sorted(SHARED.glob("tf-cases/*/graph.pbtxt"))[::24]:
            with self.subTest(path=str(path)):
                binary = self.out / "from_text.pb"
                self.convert(path, "-o", binary)
                self.assertEqual(decode("GraphDef", binary.read_bytes()),
                                 decode("GraphDef", path.with_suffix(".pb").read_bytes()))

    def test_saved_models_are_equal_field_by_field(self):
        self.assertTrue(saved_models())
        for i, folder in enumerate(saved_models()):
            with self.subTest(path=str(folder)):
                again = self.out / str(i)
                self.convert(folder, "-o", again, "--to", "tf")
                self.assertEqual(decode("SavedModel", (again / "saved_model.pb").read_bytes()),
                                 decode("SavedModel", (folder / "saved_model.pb").read_bytes()))
                done = dragoman("diff", folder, again)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Damaged(CommandCase):
    def check(self, data, name, target="copy.pb"):
        source = self.out / name
        source.write_bytes(data)
        done = dragoman("convert", source, "-o", self.out / target, "--from", "tf")
        self.assertIn(done.returncode, (0, 2, 4), done.stderr)
        return done.returncode

    def test_cut_and_flipped_graphs(self):
        self.assertTrue(sorted(MODELS.glob("*.pb*")))
        for path in sorted(MODELS.glob("*.pb*")):
            data = path.read_bytes()
            refused = 0
            for size in range(0, len(data), max(1, len(data) // 40)):
                with self.subTest(path=str(path), size=size):
                    refused += self.check(data[:size], "cut" + path.suffix) == 2
            self.assertGreater(refused, 0)
            for seed in range(40):
                generator = random.Random(seed)
                damaged = bytearray(data)
                for _ in range(generator.randint(1, 3)):
                    damaged[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
                with self.subTest(path=str(path), seed=seed):
                    self.check(bytes(damaged), "flipped" + path.suffix)

    def test_cut_checkpoints(self):
        for folder in sorted(path.parent for path in MODELS.glob("*/saved_model.pb")):
            for name in ("variables.index", "variables.data-00000-of-00001"):
                copy = self.out / "model"
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(folder, copy)
                file = copy / "variables" / name
                file.write_bytes(file.read_bytes()[:-1])
                done = dragoman("inspect", copy)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn("error: ", done.stderr)

    def test_formats_that_are_refused_by_name(self):
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as keras:
            keras.writestr("metadata.json", "{}")
            keras.writestr("model.weights.h5", b"\x89HDF")
        for data, said in ((b"\x89HDF\r\n\x1a\n" + bytes(64), "HDF5"),
                           (b"\x1c\0\0\0TFL3" + bytes(64), "TensorFlow Lite"),
                           (archive.getvalue(), ".keras")):
            source = self.out / "model"
            source.write_bytes(data)
            done = dragoman("inspect", source)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(said, done.stderr)


def node(name, op, inputs=(), **types):
    attributes = "".join(f' attr {{ key: "{key}" value {{ type: {value} }} }}'
                         for key, value in types.items())
    return f'node {{ name: "{name}" op: "{op}"' + "".join(f' input: "{i}"' for i in inputs) + \
        attributes + " }\n"


class FrozenGraphs(CommandCase):
    """As convert_variables_to_constants_v2 leaves them."""

    def test_placeholders_that_are_left_over_are_no_inputs(self):
        graph = self.out / "frozen.pbtxt"
        graph.write_text(node("x", "Placeholder", dtype="DT_FLOAT") +
                         node("unused_control_flow_input", "Placeholder", dtype="DT_INT32") +
                         node("unused_control_flow_input_1", "Placeholder", dtype="DT_VARIANT") +
                         node("flag", "Placeholder", dtype="DT_BOOL") +
                         node("y", "Neg", ["x"], T="DT_FLOAT"))
        common = dragoman("convert", graph, "-o", "-", "--to", "text", "--level", "common")
        self.assertEqual(common.returncode, 0, common.stderr)
        self.assertIn("(%x: f32[*], %flag: bool[*])", common.stdout)
        self.assertIn("placeholder 'unused_control_flow_input' and 1 other are not inputs, since "
                      "nothing reads them", common.stderr)

    def test_tables_that_only_the_caller_has_are_refused(self):
        graph = self.out / "frozen.pbtxt"
        graph.write_text(node("x", "Placeholder", dtype="DT_STRING") +
                         node("table", "Placeholder", dtype="DT_RESOURCE") +
                         node("size", "LookupTableSizeV2", ["table"]) +
                         node("y", "Identity", ["x"], T="DT_STRING"))
        np.save(self.out / "x.npy", np.array(["a"]))
        for arguments in (["convert", graph, "-o", self.out / "model.onnx"],
                          ["run", graph, "--input", f"x={self.out}/x.npy", "--output-dir",
                           self.out / "refused"]):
            done = dragoman(*arguments)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("node 'table' (tf.Placeholder): error: it stands for a table or another "
                          "resource that only the caller has", done.stderr)
        done = dragoman("run", graph, "--input", f"x={self.out}/x.npy", "--cut-outputs", "y",
                        "--output-dir", self.out / "cut")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_inputs_may_be_named_with_their_port(self):
        graph = self.out / "graph.pbtxt"
        graph.write_text(node("x", "Placeholder", dtype="DT_FLOAT") +
                         node("y", "Neg", ["x"], T="DT_FLOAT"))
        np.save(self.out / "x.npy", np.array([1, -2], np.float32))
        np.savez(self.out / "x.npz", **{"x:0": np.array([1, -2], np.float32)})
        for number, given in enumerate((["--input", f"x:0={self.out}/x.npy"],
                                        ["--inputs", self.out / "x.npz"],
                                        ["--input", f"x:0={self.out}/x.npy", "--shape", "x:0=2"])):
            done = dragoman("run", graph, *given, "--output-dir", self.out / f"out{number}")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = np.load(next((self.out / f"out{number}").glob("*.npy")))
            self.assertEqual(found.tolist(), [-1, 2])
        done = dragoman("convert", graph, "-o", "-", "--to", "text", "--level", "common",
                        "--shape", "x:0=2,3")
        self.assertIn("%x: f32[2, 3]", done.stdout, done.stderr)
        for name in ("x:1", "z:0"):
            done = dragoman("run", graph, "--input", f"{name}={self.out}/x.npy", "--output-dir",
                            self.out / "none")
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(f"the model has no input '{name}'", done.stderr)


if __name__ == "__main__":
    unittest.main()
