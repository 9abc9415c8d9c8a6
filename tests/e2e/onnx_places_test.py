#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Places in the user's source, which torch.onnx.export writes into the metadata of nodes."""

import json
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from command_case import CommandCase

TRACE = """File "/home/me/policy.py", line 12, in forward
    return self.head(x)
  File "/home/me/heads.py", line 7, in forward
    return torch.softmax(x, -1)
  File "/usr/lib/python3/dist-packages/torch/nn/functional.py", line 9, in softmax
    return input.softmax(dim)"""

TYPE = ('name: "%s" type { tensor_type { elem_type: 1 '
        'shape { dim { dim_value: 2 } dim { dim_value: 3 } } } }')


class Places(CommandCase):
    def model(self, axis):
        path = self.out / "model.textproto"
        path.write_text(f"""ir_version: 10
opset_import {{ version: 18 }}
graph {{
  name: "g"
  node {{
    op_type: "Softmax" name: "node_softmax" input: "x" output: "y"
    attribute {{ name: "axis" type: INT i: {axis} }}
    metadata_props {{ key: "pkg.torch.onnx.stack_trace" value: {json.dumps(TRACE)} }}
    metadata_props {{ key: "pkg.torch.onnx.name_scopes"
                      value: "['', 'policy', 'policy.heads.0', 'softmax']" }}
  }}
  input {{ {TYPE % "x"} }}
  output {{ {TYPE % "y"} }}
}}""")
        return path

    def test_steps_of_programs_say_them(self):
        self.done("codegen", self.model(-1), "-o", self.out / "cpp")
        text = (self.out / "cpp" / "model.cc").read_text()
        self.assertIn("at heads.py:7", " ".join(text.replace("//", " ").split()))

    def test_origins_hold_them(self):
        text = self.done("convert", self.model(-1), "-o", "-", "--to", "text",
                         "--level", "common")
        self.assertIn('at "torch/nn/functional.py:9"', text)
        self.assertIn('called_from = ["policy.py:12", "heads.py:7"]', text)
        self.assertIn('scope "policy.heads.0"', text)

    def test_messages_say_them(self):
        error = self.fails(2, "convert", self.model(5), "-o", self.out / "m.py")
        self.assertIn("node 'node_softmax' (onnx.Softmax) at torch/nn/functional.py:9", error)


class Names(CommandCase):
    def test_weights_that_are_computed_keep_theirs(self):
        weight = np.random.default_rng(1).normal(size=(4, 3)).astype(np.float32)
        graph = helper.make_graph(
            [helper.make_node("Reshape", ["fc1.weight", "sizes"], ["Reshape_3"]),
             helper.make_node("Mul", ["Reshape_3", "two"], ["Mul_4"]),
             helper.make_node("Transpose", ["Mul_4"], ["Transpose_5"], perm=[1, 0]),
             helper.make_node("MatMul", ["x", "Transpose_5"], ["y"])], "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 4])],
            [numpy_helper.from_array(weight.reshape(12), "fc1.weight"),
             numpy_helper.from_array(np.int64([4, 3]), "sizes"),
             numpy_helper.from_array(np.float32(2), "two")])
        model = self.out / "model.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), model)
        self.done("simplify", model, "-o", self.out / "small.onnx")
        small = onnx.load(self.out / "small.onnx")
        self.assertEqual([tensor.name for tensor in small.graph.initializer], ["fc1.weight"])


if __name__ == "__main__":
    unittest.main()
