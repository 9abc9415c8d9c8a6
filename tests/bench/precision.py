# SPDX-License-Identifier: Apache-2.0
"""Compares programs of another precision with those in f32.

usage: precision.py [--work FOLDER] [--models NAME,...] [--precision P] [--calls N] [--keep]

Prints a table in Markdown: the r.m.s. of the differences of all outputs over N random inputs,
relative to that of the outputs, of how many rows of the first output the largest element is the
same one, and how many different ones are the largest in f32. Models and programs are those of run.py, which also says what --keep does.
"""

import argparse
import json
import os
import subprocess

import numpy

import run

TOGETHER = 50  # calls of one process


def outputs_of(case, inputs):
    folder = os.path.join(case.data, "outputs")
    command = [case.program + "-build/infer", "--weights", case.weights, "--output-dir", folder,
               "--steps", str(TOGETHER)]
    for name, path in inputs:
        command += ["--input", f"{name}={path}"]
    subprocess.run(command, check=True)
    with open(os.path.join(folder, "index.json")) as file:
        index = json.load(file)["outputs"]
    return [numpy.load(os.path.join(folder, output["file"])) for output in index]


def draw(case, random):
    """Files of inputs, like those of the case."""
    inputs = []
    for name, stem in case.inputs:
        like = numpy.load(stem + "_first.npy")
        data = run.draw(random, like.dtype == numpy.int64, (TOGETHER, *like.shape))
        inputs.append((name, stem + "_drawn.npy"))
        numpy.save(inputs[-1][1], data)
    return inputs


def compare(wide, narrow, calls):
    """The relative r.m.s. of differences, the share of equal largest elements, different ones."""
    random = numpy.random.default_rng(11)
    errors = squares = 0.0
    same, rows, largest = 0, 0, set()
    for _ in range(0, calls, TOGETHER):
        inputs = draw(wide, random)
        expected, found = outputs_of(wide, inputs), outputs_of(narrow, inputs)
        for a, b in zip(found, expected):
            errors += float(((a.astype(float) - b) ** 2).sum())
            squares += float((b.astype(float) ** 2).sum())
        places = expected[0].argmax(-1)
        equal = found[0].argmax(-1) == places
        largest.update(places.ravel().tolist())
        same += int(equal.sum())
        rows += equal.size
    return (errors / squares) ** 0.5, same / rows, len(largest)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--work", default="build/bench", type=os.path.abspath)
    parser.add_argument("--models", default="trained_cnn,resnet18,mobilenet_v2")
    parser.add_argument("--precision", default="bf16")
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    names = options.models.split(",")
    run.make_all(options, names)
    print("| model | r.m.s. of differences | same largest element | different ones |")
    print("| --- | --- | --- | --- |")
    for name in names:
        cases = [run.Case(name, options.work, each) for each in ("f32", options.precision)]
        for case in cases:
            if not options.keep or not os.path.exists(case.program + "-build/infer"):
                case.build()
        error, same, different = compare(*cases, options.calls)
        print(f"| {name} | {100 * error:.2f} % | {100 * same:.1f} % | {different} |", flush=True)


if __name__ == "__main__":
    main()
