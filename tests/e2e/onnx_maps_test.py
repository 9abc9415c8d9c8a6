#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Maps of ai.onnx.ml as inputs and outputs: JSON files, ONNX's test data, generated programs."""

import json
import math
import unittest

import numpy as np
import onnx
from onnx import SequenceProto, TensorProto, TypeProto, helper, numpy_helper

from command_case import CommandCase

FLOAT, INT64, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING


def tensor(name, kind, sizes):
    return helper.make_tensor_value_info(name, kind, sizes)


def map_type(key, value):
    kind = TypeProto()
    kind.map_type.key_type = key
    kind.map_type.value_type.CopyFrom(helper.make_tensor_type_proto(value, []))
    return kind


def of_maps(name, key, value=FLOAT):
    return helper.make_value_info(name, helper.make_sequence_type_proto(map_type(key, value)))


def maps(*rows):
    """A message of a list of maps from integers."""
    sequence = SequenceProto(elem_type=SequenceProto.MAP)
    for row in rows:
        values = [np.array(value, np.float32) for value in row.values()]
        sequence.map_values.add(key_type=INT64, keys=list(row),
                                values=numpy_helper.from_list(values))
    return sequence


class MapsTest(CommandCase):
    def model(self, nodes, inputs, outputs):
        graph = helper.make_graph(nodes, "g", inputs, outputs)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
        path = self.out / "model.onnx"
        path.write_bytes(helper.make_model(graph, opset_imports=opsets,
                                           ir_version=8).SerializeToString())
        return path

    def node(self, op, operand, result, **attributes):
        return helper.make_node(op, [operand], [result], domain="ai.onnx.ml", **attributes)

    def zipped(self, key=INT64, **labels):
        return self.model([self.node("ZipMap", "x", "p", **labels)],
                          [tensor("x", FLOAT, ["n", None])], [of_maps("p", key)])

    def outputs(self, model, *options):
        """The contents of the output files by the names of outputs."""
        self.done("run", model, *options, "--output-dir", self.out / "y", "-q")
        index = json.loads((self.out / "y/index.json").read_text(encoding="utf-8"))
        read = {".json": lambda path: json.loads(path.read_text(encoding="utf-8")),
                ".npy": lambda path: np.load(path).tolist()}
        return {row["name"]: read[path.suffix](path) for row in index["outputs"]
                for path in [self.out / "y" / row["file"]]}

    def given(self, x):
        np.save(self.out / "x.npy", np.array(x, np.float32))
        return ["--input", f"x={self.out / 'x.npy'}"]

    def given_map(self, text):
        (self.out / "m.json").write_text(text, encoding="utf-8")
        return ["--input", f"m={self.out / 'm.json'}"]

    def test_zip_map(self):
        x = self.given([[0.5, 0.25, 1], [math.nan, math.inf, -2]])
        model = self.zipped(classlabels_int64s=[10, -3, 10])
        maps = self.outputs(model, *x)["p"]
        self.assertEqual(maps[0], {"-3": 0.25, "10": 1.0})
        self.assertEqual(maps[1], {"-3": math.inf, "10": -2.0})
        model = self.zipped(STRING, classlabels_strings=["é", "a\"b", ""])
        self.assertEqual(self.outputs(model, *self.given([[1, 2, 3]]))["p"],
                         [{"": 3.0, "a\"b": 2.0, "é": 1.0}])
        index = json.loads((self.out / "y/index.json").read_text(encoding="utf-8"))["outputs"][0]
        self.assertEqual(index, {"name": "p", "file": "p.json", "dtype": "float32",
                                 "keys": "string", "shape": [1]})
        self.assertIn("has 3 class labels for 2 scores", self.fails(
            2, "run", model, *self.given([[1, 2]]), "--output-dir", self.out / "z"))

    def test_dict_vectorizer(self):
        model = self.model(
            [self.node("DictVectorizer", "m", "y", string_vocabulary=["b", "a", "c", "b"])],
            [helper.make_value_info("m", map_type(STRING, FLOAT))], [tensor("y", FLOAT, None)])
        read = lambda text: self.outputs(model, *self.given_map(text))["y"]
        self.assertEqual(read('{"a": 1.5, "b": -2, "z": NaN}'), [[-2.0, 1.5, 0.0, -2.0]])
        self.assertEqual(read('{"\\u0061": 1e3}'), [[0.0, 1000.0, 0.0, 0.0]])
        self.assertEqual(read("{}"), [[0.0] * 4])
        for text, problem in (('{"a": 1, "a": 2}', "occurs twice"), ('{"a": "1"}', "no float32"),
                              ('{"a": 1', "expected '}'"), ('[1]', "expected '{'"),
                              ('{"a": 0x1}', "no float32"), ('{"\\ud800": 1}', "surrogate")):
            self.assertIn(problem, self.fails(2, "run", model, *self.given_map(text),
                                              "--output-dir", self.out / "z"))
        self.assertIn("m=FILE.json", self.fails(2, "run", model, "--output-dir", self.out / "z"))

    def test_cast_map(self):
        def cast(kind, text, **attributes):
            given = STRING if attributes.get("cast_to") == "TO_STRING" else FLOAT
            model = self.model([self.node("CastMap", "m", "y", **attributes)],
                               [helper.make_value_info("m", map_type(INT64, kind))],
                               [tensor("y", given, None)])
            return self.outputs(model, *self.given_map(text))["y"]

        self.assertEqual(cast(FLOAT, '{"10": 1, "9": 2}'), [[2.0, 1.0]])
        self.assertEqual(cast(FLOAT, '{"3": 1, "0": 2, "7": 4}', map_form="SPARSE", max_map=5),
                         [[2.0, 0.0, 0.0, 1.0, 0.0]])
        # As C++ and Python write six digits after the point.
        numbers = [0.1, -2.5, 0.0, -0.0, 1e-7, -1e-7, 0.9999999, 123456.789, 8388607.5, 16777216.0,
                   3.0e18, 2.5e-6, math.inf, -math.inf, math.nan]
        given = json.dumps({str(i): x for i, x in enumerate(numbers)})
        self.assertEqual(cast(FLOAT, given, cast_to="TO_STRING"),
                         [["%f" % np.float32(x) for x in numbers]])
        with self.assertRaisesRegex(AssertionError, "negative keys"):
            cast(FLOAT, '{"-1": 1}', map_form="SPARSE", max_map=2)

    def test_maps_of_bodies(self):
        scores = self.node("ZipMap", "x", "q", classlabels_int64s=[1, 2])
        branch = helper.make_graph([scores], "branch", [], [of_maps("q", INT64)])
        chosen = helper.make_node("If", ["c"], ["p"], then_branch=branch, else_branch=branch)
        model = self.model([chosen], [tensor("x", FLOAT, [1, 2]),
                                      tensor("c", TensorProto.BOOL, [])], [of_maps("p", INT64)])
        np.save(self.out / "c.npy", np.array(True))
        self.assertIn("output 'p' is maps that a body gives", self.fails(
            4, "run", model, *self.given([[1, 2]]), "--input", f"c={self.out / 'c.npy'}",
            "--output-dir", self.out / "z"))

    def data_set(self, **messages):
        folder = self.out / "test_data_set_0"
        folder.mkdir(exist_ok=True)
        for name, message in messages.items():
            (folder / f"{name}.pb").write_bytes(message.SerializeToString())
        return folder

    def test_recorded_maps(self):
        model = self.zipped(classlabels_int64s=[2, 1])
        x = numpy_helper.from_array(np.array([[0.5, 0.25], [1, 2]], np.float32))

        right = self.data_set(input_0=x, output_0=maps({2: 0.5, 1: 0.25}, {1: 2, 2: 1}))
        self.done("verify", model, "--data", right)
        wrong = self.data_set(input_0=x, output_0=maps({2: 0.5, 1: 0.25}, {1: 2, 2: 3}))
        verdict = self.fails_to_verify(model, wrong)
        self.assertIn("p.map_values: f32[2, 2], 1 of 4 elements differ", verdict)
        wrong = self.data_set(input_0=x, output_0=maps({2: 0.5, 3: 0.25}, {3: 2, 2: 1}))
        self.assertIn("p.map_keys", self.fails_to_verify(model, wrong))

    def fails_to_verify(self, model, data):
        with self.assertRaises(AssertionError) as caught:
            self.done("verify", model, "--data", data)
        return str(caught.exception)

    def test_targets(self):
        model = self.zipped(classlabels_int64s=[2, 1])
        self.done("convert", model, "-o", self.out / "again.onnx", "--passes", "default")
        x = self.given([[0.5, 0.25]])
        self.assertEqual(self.outputs(self.out / "again.onnx", *x), {"p": [{"1": 0.25, "2": 0.5}]})
        self.assertIn("TVM has no maps", self.fails(4, "convert", model, "-o", self.out / "m.py"))

    def test_inputs_are_written(self):
        """As the operators that read them, in front of which others stand."""
        words = dict(string_vocabulary=["b", "a", "c"])
        known = (
            ("DictVectorizer", words, STRING, '{"a": 1.5, "z": 2}', [[0.0, 1.5, 0.0]]),
            ("DictVectorizer", dict(int64_vocabulary=[3, 1]), INT64, '{"1": 4}', [[0.0, 4.0]]),
            ("CastMap", {}, INT64, '{"10": 1, "9": 2}', [[2.0, 1.0]]),
            ("CastMap", dict(map_form="SPARSE", max_map=4), INT64, '{"2": 5}', [[0.0, 0, 5, 0]]))
        for op, attributes, key, text, expected in known:
            with self.subTest(op, **attributes):
                nodes = [self.node(op, "m", "v", **attributes), helper.make_node("Neg", ["v"], ["y"])]
                model = self.model(nodes, [helper.make_value_info("m", map_type(key, FLOAT))],
                                   [tensor("y", FLOAT, None)])
                self.done("convert", model, "-o", self.out / "again.onnx", "--passes", "default", "-q")
                inputs = onnx.load(self.out / "again.onnx").graph.input
                self.assertEqual([i.name for i in inputs], ["m"])
                self.assertTrue(inputs[0].type.HasField("map_type"))
                given = self.given_map(text)
                self.assertEqual(self.outputs(self.out / "again.onnx", *given),
                                 {"y": [[-x for x in row] for row in expected]})

    def test_program(self):
        nodes = [self.node("DictVectorizer", "m", "v", int64_vocabulary=[7, -2]),
                 self.node("ZipMap", "v", "p", classlabels_strings=["b", "a"])]
        model = self.model(nodes, [helper.make_value_info("m", map_type(INT64, FLOAT))],
                           [of_maps("p", STRING)])
        given = self.given_map('{"-2": 0.1, "7": 3}')
        self.assertEqual(self.outputs(model, *given, "--engine", "native"),
                         {"p": [{"a": 0.1, "b": 3.0}]})
        self.done("codegen", model, "-o", self.out / "cpp", "--name", "maps")
        header = (self.out / "cpp/maps.h").read_text(encoding="utf-8")
        self.assertIn('#include "runtime/program/map.h"', header)


if __name__ == "__main__":
    unittest.main()
