#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX models in protobuf's text format and JSON: read and written as the package onnx has them."""

import pathlib
import unittest

import onnx
from google.protobuf import json_format, text_format

from command_case import CommandCase

MODEL = pathlib.Path(__file__).resolve().parent.parent / "models" / "mlp" / "model.onnx"


class OnnxText(CommandCase):
    def written(self, name, text):
        path = self.out / name
        path.write_text(text)
        return path

    def test_text_and_json_keep_the_model(self):
        model = onnx.load(MODEL)
        for path in (self.written("m.textproto", text_format.MessageToString(model)),
                     self.written("m.onnxjson", json_format.MessageToJson(model)),
                     self.written("named.onnxjson", json_format.MessageToJson(
                         model, preserving_proto_field_name=True))):
            with self.subTest(path.name):
                back = self.out / "back.onnx"
                self.done("convert", path, "-o", back)
                self.assertEqual(back.read_bytes(), MODEL.read_bytes())

    def test_what_is_written_is_what_the_package_reads(self):
        self.done("convert", MODEL, "-o", self.out / "m.textproto")
        self.done("convert", MODEL, "-o", self.out / "m.onnxjson")
        model = onnx.load(MODEL)
        text = (self.out / "m.textproto").read_text()
        self.assertEqual(text_format.Parse(text, onnx.ModelProto()), model)
        json = (self.out / "m.onnxjson").read_text()
        self.assertEqual(json_format.Parse(json, onnx.ModelProto()), model)

    def test_a_rewritten_model_is_written_as_text(self):
        path = self.out / "m.textproto"
        self.done("convert", MODEL, "-o", path, "--passes", "default")
        self.done("verify", path, "--data", MODEL.parent)

    def test_errors_name_their_place(self):
        path = self.written("bad.textproto", "ir_version: 8\ngraph { node { op_type: } }\n")
        self.assertIn("bad.textproto:line 2:", self.fails(2, "inspect", path))
        path = self.written("bad.onnxjson", '{"ir_version": "8", "graph": 5}')
        self.assertIn("(graph)", self.fails(2, "inspect", path))
        nested = "g { node { attribute { " * 200
        path = self.written("deep.textproto", "ir_version: 8\ngraph { node { attribute { " + nested)
        self.assertIn("too deep", self.fails(2, "inspect", path))

    def test_the_text_of_onnx_itself_is_named(self):
        path = self.written("m.onnxtxt", '<ir_version: 8, opset_import: ["": 17]>\n'
                            "g (float[2] x) => (float[2] y) { y = Relu(x) }\n")
        self.assertIn("onnx.load(", self.fails(4, "inspect", path))


if __name__ == "__main__":
    unittest.main()
