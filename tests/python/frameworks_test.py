# SPDX-License-Identifier: Apache-2.0
"""Models that are in the memory of other frameworks."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import onnx
from onnx import helper

import dragoman

TORCH = """
import numpy, torch, dragoman

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)

    def forward(self, x):
        return torch.relu(self.linear(x))

net, x = Net().eval(), torch.randn(2, 4)
for program in (torch.export.export(net, (x,)), torch.jit.script(net), torch.jit.trace(net, x)):
    outputs = dragoman.from_torch(program).session().run([x])
    numpy.testing.assert_allclose(list(outputs.values())[0], net(x).detach(), atol=1e-6)

half = dragoman.load(b"graph g(%x: bf16[2, 4]) -> (%y) {\\n  %y = onnx.Identity(%x)\\n}\\n")
given = x.to(torch.bfloat16)
numpy.testing.assert_array_equal(half.run(given)["y"].view(numpy.uint16),
                                 given.view(torch.uint16).numpy())
print("ok")
"""

TENSORFLOW = """
import tempfile
import numpy, tensorflow as tf, dragoman

class Counter(tf.Module):
    def __init__(self):
        super().__init__()
        self.count = tf.Variable(1.0)

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32, name="x")])
    def __call__(self, x):
        return {"y": x * self.count.assign_add(1.0)}

counter, x = Counter(), numpy.float32([[1, -2, 3]])
with tempfile.TemporaryDirectory() as folder:
    tf.saved_model.save(counter, folder)
    models = [dragoman.from_tf(folder)]
models += [dragoman.from_tf(counter), dragoman.from_tf(counter.__call__.get_concrete_function())]
for model in models:
    session = model.session()
    for count in (2, 3, 4):
        (y,) = session.run({"x": x}).values()
        numpy.testing.assert_array_equal(y, count * x)
print("ok")
"""


class FrameworksTest(unittest.TestCase):

    def test_onnx(self):
        graph = helper.make_graph(
            [helper.make_node("Relu", ["x"], ["y"])], "g",
            [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2])],
            [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [2])])
        proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model = dragoman.from_onnx(proto)
        self.assertEqual(model.to_onnx(), proto)
        numpy.testing.assert_array_equal(model.run(numpy.float32([-1, 2]))["y"], [0, 2])

    def test_torch(self):
        self.run_with("torch", TORCH)

    def test_tensorflow(self):
        self.run_with("tensorflow", TENSORFLOW)

    def run_with(self, framework, text):
        """Runs a script in the environment of a framework, where there is one for this Python."""
        made = subprocess.run(["scripts/peers.sh", "--made", framework], capture_output=True,
                              text=True)
        if made.returncode != 0:
            self.skipTest(f"no environment of {framework}")
        python = pathlib.Path(made.stdout.strip()) / "bin/python"
        version = subprocess.run([python, "-c", "import sys; print(sys.version_info[:2])"],
                                 capture_output=True, text=True, check=True).stdout.strip()
        if version != str(sys.version_info[:2]):
            self.skipTest(f"{framework} is there for Python {version} only")
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "models.py"  # whose source torch reads
            script.write_text(text, "utf-8")
            done = subprocess.run([python, script], capture_output=True, text=True)
        self.assertEqual(done.stdout, "ok\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
