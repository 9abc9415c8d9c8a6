#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does the layout of the source cost anything? One network as TorchScript, channels first, and as a
GraphDef of TensorFlow, channels last.

Usage: layouts.py [--models NAME,…] [--threads T,…] [--repeat N] [--rounds R] [--work FOLDER]

Generates and compiles a program of each and runs the two alternately, each R times N calls in a
process of its own. Prints a table in Markdown: the least call of each in milliseconds and their
ratio, the transposes in the source of the program of TensorFlow's, and the largest difference of an
output, relative to its largest element. Needs $DRAGOMAN_BINARY, protoc, and Debian's python3-torch
and python3-torchvision.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess

import numpy as np
import torch

import make_models
import tensorflow_graphs

DRAGOMAN = os.environ.get("DRAGOMAN_BINARY", "build/release/dragoman")
SIZE = 224


class Program:
    """A generated program of `model`, compiled, with its input."""

    def __init__(self, model, image, *facts):
        self.folder = model.parent
        self.infer = self.folder / "build/infer"
        np.save(self.folder / "x.npy", image)
        source = self.folder / "program"
        self.run(DRAGOMAN, "codegen", model, "-o", source, "--name", "network", "-q", *facts)
        self.run("cmake", "-S", source, "-B", self.folder / "build")
        self.run("cmake", "--build", self.folder / "build")
        self.transposes = sum(len(re.findall(r"(?m)^ *// Transpose: ", path.read_text()))
                              for path in source.glob("*.cc"))

    @staticmethod
    def run(*command):
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, check=True)
        return done.stdout.decode()

    def least_ms(self, threads, repeat):
        text = self.run(self.infer, "--weights", self.folder / "program/network.weights", "--threads",
                        threads, "--input", f"0={self.folder / 'x.npy'}", "--repeat", repeat,
                        "--output-dir", self.folder / "out")
        return json.loads(text.splitlines()[-1])["min"] / 1000

    def output(self):
        index = json.loads((self.folder / "out/index.json").read_text())
        return np.load(self.folder / "out" / index["outputs"][0]["file"])


def programs(name, work):
    """Those of TorchScript and of TensorFlow."""
    torch.manual_seed(7)
    module = make_models.settle(make_models.MODELS[name][0]())
    image = torch.randn(1, 3, SIZE, SIZE)
    files = [work / name / kind for kind in ("torchscript/model.pt", "tensorflow/model.pb")]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        torch.jit.trace(module, image).save(str(files[0]))
    files[1].write_bytes(tensorflow_graphs.graph_def(module, SIZE))
    return (Program(files[0], image.numpy(), "--shape", f"0=1,3,{SIZE},{SIZE}"),
            Program(files[1], image.numpy().transpose(0, 2, 3, 1).copy()))


def row(name, pair, threads, args):
    times = [[], []]
    for _ in range(args.rounds):
        for program, found in zip(pair, times):
            found.append(program.least_ms(threads, args.repeat))
    first, last = min(times[0]), min(times[1])
    wanted = pair[0].output()
    difference = np.abs(pair[1].output() - wanted).max() / np.abs(wanted).max()
    return [name, threads, f"{last:.3f} / {first:.3f} = {last / first:.2f}", pair[1].transposes,
            f"{difference:.1e}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--models", default="mobilenet_v2,efficientnet_b0")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/bench/layouts"))
    args = parser.parse_args()
    columns = ["model", "threads", "TensorFlow / TorchScript ms", "transposes", "difference"]
    print("| " + " | ".join(columns) + " |")
    print("| --- " * len(columns) + "|", flush=True)
    for name in args.models.split(","):
        pair = programs(name, args.work)
        for threads in args.threads.split(","):
            print("| " + " | ".join(map(str, row(name, pair, threads, args))) + " |", flush=True)


if __name__ == "__main__":
    main()
