#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs of sizes known at run time only, as codegen writes them, against ONNX Runtime and, where
`scripts/peers.sh openvino` has made it, OpenVINO.

Usage: open_sizes.py [--models NAME,…] [--repeat N] [--rounds R] [--work FOLDER]

Runs all sides alternately at several sizes on one thread, each R times N calls in a process of its
own. Prints a table in Markdown: the least call of each in milliseconds, ratios, and the largest
difference of the output from ONNX Runtime's, relative to its largest element. Runs in the environment that
`scripts/peers.sh onnx` prints; needs $DRAGOMAN_BINARY.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

DRAGOMAN = os.environ.get("DRAGOMAN_BINARY", "build/release/dragoman")
# N calls; the least in milliseconds, and the output beside the input.
TIMED = """
import sys, time
import numpy as np
model, x_file, y_file, repeat = sys.argv[1:]
x, times = np.load(x_file), []
{prepare}
for _ in range(int(repeat)):
    begin = time.perf_counter()
    {call}
    times.append(time.perf_counter() - begin)
np.save(y_file, y)
print(min(times) * 1000)
"""
ONNX_RUNTIME = TIMED.format(prepare="""
import onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
""", call='y = session.run(None, {"x": x})[0]')
OPENVINO = TIMED.format(prepare="""
import openvino
request = openvino.Core().compile_model(model, "CPU", {
    "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY",
    "INFERENCE_PRECISION_HINT": "f32"}).create_infer_request()
request.set_input_tensor(openvino.Tensor(x))
""", call="request.infer(); y = request.get_output_tensor().data")


class Writer:
    """Nodes and seeded weights of one graph from x to y."""

    def __init__(self):
        self.random = np.random.default_rng(0)
        self.nodes, self.weights = [], []

    def constant(self, array):
        self.weights.append(numpy_helper.from_array(array, f"w{len(self.weights)}"))
        return self.weights[-1].name

    def drawn(self, *shape):
        scale = np.prod(shape[1:]) ** -0.5 if len(shape) > 1 else 0.1
        return self.constant((self.random.standard_normal(shape) * scale).astype(np.float32))

    def op(self, kind, *operands, **attributes):
        self.nodes.append(helper.make_node(kind, operands, [f"v{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def model(self, sizes, result):
        self.op("Identity", result)
        self.nodes[-1].output[0] = "y"
        graph = helper.make_graph(
            self.nodes, "open", [helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes)],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None] * len(sizes))],
            self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def reader(kind="LSTM", gates=4, hidden=256, width=512):
    """Two layers both ways and a classifier, as readers of text end."""
    g, value = Writer(), "x"
    for _ in range(2):
        value = g.op(kind, value, g.drawn(2, gates * hidden, width), g.drawn(2, gates * hidden, hidden),
                     g.drawn(2, 2 * gates * hidden), hidden_size=hidden, direction="bidirectional")
        value = g.op("Reshape", g.op("Transpose", value, perm=[0, 2, 1, 3]),
                     g.constant(np.array([0, 0, 2 * hidden])))
        width = 2 * hidden
    logits = g.op("Add", g.op("MatMul", value, g.drawn(width, 97)), g.drawn(97))
    return g.model(["steps", "batch", 512], logits)


def generator():
    """DCGAN's."""
    g, value, channels = Writer(), "x", [100, 512, 256, 128, 64, 3]
    for i, (a, b) in enumerate(zip(channels, channels[1:])):
        window = {"strides": [2, 2], "pads": [1] * 4} if i > 0 else {}
        value = g.op("ConvTranspose", value, g.drawn(a, b, 4, 4), g.drawn(b), kernel_shape=[4, 4],
                     **window)
        value = g.op("Relu" if b > 3 else "Tanh", value)
    return g.model(["batch", 100, "height", "width"], value)


def feed_forward(width=512):
    """As between the attentions of a transformer."""
    g = Writer()
    wide = g.op("Relu", g.op("Add", g.op("MatMul", "x", g.drawn(width, 4 * width)),
                             g.drawn(4 * width)))
    y = g.op("Add", g.op("Add", g.op("MatMul", wide, g.drawn(4 * width, width)), g.drawn(width)), "x")
    return g.model(["batch", "steps", width], y)


MODELS = {
    "reader_lstm": (reader, [(40, 1, 512), (7, 3, 512), (100, 8, 512)]),
    "reader_gru": (lambda: reader("GRU", 3), [(40, 1, 512), (100, 8, 512)]),
    "gan_generator": (generator, [(1, 100, 1, 1), (2, 100, 3, 3)]),
    "feed_forward": (feed_forward, [(1, 1, 512), (1, 128, 512), (3, 7, 512)]),
}


def run(*command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, check=True,
                          text=True).stdout


class Pair:
    """A model, and its compiled program."""

    def __init__(self, name, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.model, self.program, self.x = folder / "model.onnx", folder / "program", folder / "x.npy"
        save(MODELS[name][0](), self.model)
        run(DRAGOMAN, "codegen", self.model, "-o", self.program, "--name", "program", "-q",
            "--no-reference")
        run("cmake", "-S", self.program, "-B", folder / "build")
        run("cmake", "--build", folder / "build")

    def ours(self, repeat):
        text = run(self.x.parent / "build/infer", "--input", f"x={self.x}", "--repeat", repeat,
                   "--output-dir", self.x.parent / "out")
        return json.loads(text.splitlines()[-1])["min"] / 1000

    def theirs(self, python, program, repeat):
        return float(run(python, "-c", program, self.model, self.x, self.x.parent / "expected.npy",
                         repeat))

    def measure(self, sizes, repeat, rounds, openvino):
        """The least of each side, and the difference."""
        np.save(self.x, np.random.default_rng(1).standard_normal(sizes).astype(np.float32))
        times = []
        for _ in range(rounds):
            times.append([self.ours(repeat)])
            if openvino is not None:
                times[-1].append(self.theirs(openvino, OPENVINO, repeat))
            times[-1].insert(1, self.theirs(sys.executable, ONNX_RUNTIME, repeat))
        wanted = np.load(self.x.parent / "expected.npy")
        difference = np.abs(np.load(self.x.parent / "out/y.npy") - wanted).max()
        return [min(side) for side in zip(*times)], difference / np.abs(wanted).max()


def find_openvino():
    script = pathlib.Path(__file__).resolve().parents[2] / "scripts/peers.sh"
    done = subprocess.run([script, "--made", "openvino"], stdout=subprocess.PIPE, text=True,
                          check=False)
    return pathlib.Path(done.stdout.strip()) / "bin/python" if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/bench/open"))
    options = parser.parse_args()
    openvino = find_openvino()
    peers = ["ONNX Runtime"] + (["OpenVINO"] if openvino is not None else [])
    columns = ["model", "sizes of x", "ours", *peers, "difference"]
    print(f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
    for name in options.models.split(","):
        pair = Pair(name, options.work / name)
        for sizes in MODELS[name][1]:
            times, difference = pair.measure(sizes, options.repeat, options.rounds, openvino)
            cells = [f"{times[0]:.3f}", *(f"{theirs:.3f}: {times[0] / theirs:.2f}"
                                          for theirs in times[1:])]
            print(f"| {name} | {' × '.join(map(str, sizes))} | {' | '.join(cells)} | "
                  f"{difference:.1e} |", flush=True)


if __name__ == "__main__":
    main()
