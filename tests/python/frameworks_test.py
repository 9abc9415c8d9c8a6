# SPDX-License-Identifier: Apache-2.0
"""Models that are in the memory of other frameworks."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import onnx
from onnx import helper

import dragoman

CACHE = pathlib.Path(os.environ.get("DRAGOMAN_PEERS") or pathlib.Path(
    os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "dragoman-peers")

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
        made = sorted(CACHE.glob("torch-*.ready"))
        if not made:
            self.skipTest("no environment of torch")
        python = made[-1].with_suffix("") / "bin/python"
        version = subprocess.run([python, "-c", "import sys; print(sys.version_info[:2])"],
                                 capture_output=True, text=True, check=True).stdout.strip()
        if version != str(sys.version_info[:2]):
            self.skipTest(f"torch is there for Python {version} only")
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "torch_models.py"  # whose source torch reads
            script.write_text(TORCH, "utf-8")
            done = subprocess.run([python, script], capture_output=True, text=True)
        self.assertEqual(done.stdout, "ok\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
