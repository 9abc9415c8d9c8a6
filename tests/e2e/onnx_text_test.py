#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ONNX models in protobuf's text format and JSON: read and written as the package onnx has them."""

import pathlib
import unittest

import onnx
import onnx.parser
from google.protobuf import json_format, text_format

from command_case import CommandCase
from commands import dragoman

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
        self.assertIn("bad.textproto:2:", self.fails(2, "inspect", path))
        path = self.written("bad.onnxjson", '{"ir_version": "8", "graph": 5}')
        self.assertIn("(graph)", self.fails(2, "inspect", path))
        nested = "g { node { attribute { " * 200
        path = self.written("deep.textproto", "ir_version: 8\ngraph { node { attribute { " + nested)
        self.assertIn("too deep", self.fails(2, "inspect", path))


class Syntax(CommandCase):
    """ONNX's own text (.onnxtxt)."""

    TEXT = r"""# a comment
<
   ir_version: 10,
   opset_import: ["" : 18, "local" : 1],
   producer_name: "some \"quoted\" \\ text",
   metadata_props: ["key": "value"]
>
net (float[n, 3] x, bool c, float[3] given = {1, 2, 3}) => (float[n, 3] y, float16[2] h, seq(int64[]) s)
   <float[3] "layer/bias" = {0.5, -1, 2e3}, float16[2] h = {15360, 48128}, float[n, 3] z>
{
   [first] a = Add (x, "layer/bias")
   z = If (c) <
      then_branch: graph = "the/then" () => (float[n, 3] t) { t = LeakyRelu <alpha = 0.25> (a) },
      else_branch = other () => (float[n, 3] e) { e = Neg (a) }
   >
   k = Constant <value: tensor = int64[2] {0, 1}> ()
   u = ReduceSum <keepdims: int = 1> (z, )
   m = local.scale <factor: float = 2> (z)
   v, = Dropout (m, "", "")
   s = SequenceConstruct (k, k)
   y = Add (v, given)
}
<domain: "local", opset_import: ["" : 18]>
scale <factor> (a) => (b)
{
   f = Constant <value_float: float = @factor> ()
   b = Mul (a, f)
}
"""

    def written(self, name, text):
        path = self.out / name
        path.write_text(text)
        return path

    def test_what_is_read(self):
        path = self.written("m.onnxtxt", self.TEXT)
        model = self.out / "m.onnx"
        self.done("convert", path, "-o", model)
        read = onnx.load(model)
        self.assertEqual(read.producer_name, r'some "quoted" \ text')
        self.assertEqual([t.name for t in read.graph.initializer], ["given", "layer/bias", "h"])
        self.assertEqual([n.op_type for n in read.graph.node[1].attribute[0].g.node], ["LeakyRelu"])
        self.assertEqual(list(read.functions[0].attribute), ["factor"])
        again = self.out / "again.onnxtxt"
        self.done("convert", model, "-o", again)
        self.done("convert", again, "-o", self.out / "again.onnx")
        self.assertEqual(onnx.load(self.out / "again.onnx"), read)
        self.done("diff", path, model)

    def test_what_is_written_is_what_the_package_reads(self):
        # Its parser of 2022 takes no names in quotes.
        source = self.written("m.dgt", 'dragoman 1 source onnx\nopset "" 17\n'
                              "entry main @net(%x: f32[n, 3]) -> (%y: f32[n, 3]) {\n"
                              "  const %w: f32[3] = [0.1, -2.5, 1e-30]\n"
                              "  %s = onnx.Add(%x, %w)\n"
                              "  %y = onnx.LeakyRelu(%s) {alpha = 0.3}\n}\n")
        path = self.out / "m.onnxtxt"
        self.done("convert", source, "-o", path)
        onnx.save(onnx.parser.parse_model(path.read_text()), self.out / "back.onnx")
        self.assertEqual(self.done("diff", source, self.out / "back.onnx"),
                         "equal (source level)\n")

    def test_what_the_text_lacks_is_said(self):
        model = onnx.load(MODEL)
        model.graph.node[0].doc_string = "a layer"
        onnx.save(model, self.out / "doc.onnx")
        said = dragoman("convert", self.out / "doc.onnx", "-o", self.out / "doc.onnxtxt")
        self.assertEqual(said.returncode, 0)
        self.assertIn("no place for 1 doc strings", said.stderr)
        model.graph.node[0].op_type = "a-b"
        model.graph.node[0].domain = "some.where"
        onnx.save(model, self.out / "odd.onnx")
        said = self.fails(4, "convert", self.out / "odd.onnx", "-o", self.out / "odd.onnxtxt")
        self.assertIn("/0/Gemm", said)

    def test_a_model_without_a_head_is_known_by_its_suffix(self):
        path = self.written("m.onnxtxt", "g (float[2] x) => (float[2] y) { y = Relu(x) }")
        self.assertIn("1 onnx.Relu", self.done("inspect", path))

    def test_errors_show_their_place(self):
        for text, why in (("g (float[2] x) => (float[2] y) {\n  y = Relu(x\n}", "3:1"),
                          ("<ir_versions: 3>", "no field"),
                          ("g (flat[2] x) => (float[2] y) { }", "m.onnxtxt"),
                          ("g () => (float y) { y = Constant <value = int32 {9999999999}> () }",
                           "outside of the element type")):
            with self.subTest(text):
                self.assertIn(why, self.fails(2, "inspect", self.written("m.onnxtxt", text)))


class ExternalData(CommandCase):
    def converted(self, name, *options):
        path = self.out / name / "m.onnx"
        path.parent.mkdir()
        self.done("convert", MODEL, "-o", path, *options)
        self.done("verify", path, "--data", MODEL.parent)
        self.assertEqual(onnx.load(str(path)).graph.initializer[0].dims, [64, 41])
        self.assertEqual(self.done("diff", MODEL, path), "equal (source level)\n")
        return sorted(f.name for f in path.parent.iterdir())

    def test_weights_lie_where_the_options_say(self):
        self.assertEqual(self.converted("some", "--external-data", 1000), ["m.onnx", "m.onnx.data"])
        inside = [t.name for t in onnx.load(self.out / "some" / "m.onnx", load_external_data=False)
                  .graph.initializer if t.data_location == onnx.TensorProto.DEFAULT]
        self.assertEqual(inside, ["0.bias", "2.bias"])
        self.assertEqual(self.converted("each", "--external-data", 1000, "--data-files", "each"),
                         ["m.onnx", "m.onnx.0.weight.data", "m.onnx.2.weight.data"])
        self.done("convert", self.out / "each" / "m.onnx", "-o", self.out / "in.onnx",
                  "--external-data", "none")
        self.assertEqual(onnx.load(self.out / "in.onnx", load_external_data=False).graph,
                         onnx.load(MODEL).graph)
        self.fails(2, "convert", MODEL, "-o", self.out / "o.onnx", "--external-data", "1k")
        for chosen in ([], ["--external-data", "none"]):
            said = self.fails(2, "convert", MODEL, "-o", self.out / "o.onnx", *chosen,
                              "--data-files", "each")
            self.assertIn("--data-files needs --external-data BYTES", said)
        self.fails(2, "convert", MODEL, "-o", self.out / "o.dgt", "--external-data", "1")


if __name__ == "__main__":
    unittest.main()
