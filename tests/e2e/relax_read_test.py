#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Relax modules read back: every one that `dragoman convert` writes, of tests/models and of ONNX's
node suite.

Text that is read and written is the same text, and so are its weights. What is read computes the
outputs that the case records; what it cannot lower is refused by line and column (exit code 4).
At least LEAST_RIGHT cases of the node suite compute them, and LEAST_EQUAL of these are the same graph
as the model that was written, in its normal form.
"""
import os
import re
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

from commands import complaint, dragoman

SUITE = "/usr/share/libonnx-testdata/data/node"
MODELS = "tests/models"
MANIFEST = "tests/conformance/node_manifest.txt"
LEAST_RIGHT = 885
LEAST_EQUAL = 440
UNSUPPORTED = 4
PLACE = re.compile(r":\d+:\d+ \(R\.\w+")


def same_bytes(a, b):
    if not os.path.exists(a):
        return not os.path.exists(b)
    with open(a, "rb") as left, open(b, "rb") as right:
        return left.read() == right.read()


def round_trip(path, folder):
    """What reading and writing changed; an empty string if nothing."""
    copy = os.path.join(folder, "copy_" + os.path.basename(path))
    if problem := complaint(dragoman("convert", path, "-o", copy)):
        return problem
    if not same_bytes(path, copy):
        return f"{copy} is another text"
    arrays = path.replace(".py", ".npz"), copy.replace(".py", ".npz")
    empty = not os.path.exists(arrays[1]) and os.path.getsize(arrays[0]) == 22
    return "" if empty or same_bytes(*arrays) else f"{arrays[1]} has other weights"


def check(model, folder):
    """('equal' | 'right' | 'refused' | 'not written' | 'no data' | 'failed', what); what is equal is
    right too."""
    name = os.path.basename(os.path.dirname(model))
    path = os.path.join(folder, name + ".py")
    if dragoman("convert", model, "-o", path).returncode != 0:
        return "not written", ""
    if problem := round_trip(path, folder):
        return "failed", problem
    data = os.path.join(os.path.dirname(model), "test_data_set_0")
    if not os.path.isdir(data):
        return "no data", ""
    done = dragoman("verify", path, "--data", data, "--rtol", "1e-3", "--atol", "1e-5")
    if done.returncode == UNSUPPORTED:
        lines = [line for line in done.stderr.splitlines() if "error:" in line]
        without = [line for line in lines if not PLACE.search(line)]
        return ("failed", without[0]) if without else ("refused", lines[0])
    if problem := complaint(done):
        return "failed", problem
    return "equal" if dragoman("diff", model, path).returncode == 0 else "right", ""


def cases():
    for name in sorted(os.listdir(MODELS)):
        model = os.path.join(MODELS, name, "model.onnx")
        if os.path.exists(model):
            yield model
    for name in sorted(os.listdir(SUITE)) if os.path.isdir(SUITE) else []:
        yield os.path.join(SUITE, name, "model.onnx")


def expected_to_fail():
    with open(MANIFEST, encoding="utf-8") as file:
        return {line.split(":")[0].split("/")[-1] for line in file if not line.startswith("#")}


def main():
    counts = {"equal": 0, "right": 0, "refused": 0, "not written": 0, "no data": 0, "failed": 0,
              "failed as expected": 0}
    expected = expected_to_fail()
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(2) as pool:
        jobs = [(model, pool.submit(check, model, folder)) for model in cases()]
        for model, job in jobs:
            outcome, what = job.result()
            name = os.path.basename(os.path.dirname(model))
            if outcome == "failed" and name in expected:
                outcome = "failed as expected"
            counts[outcome] += 1
            if outcome == "failed" or (outcome == "refused" and "-v" in sys.argv):
                print(f"{name}: {outcome}: {what}")
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    right = counts["equal"] + counts["right"]
    enough = not os.path.isdir(SUITE) or (right >= LEAST_RIGHT and counts["equal"] >= LEAST_EQUAL)
    return 0 if counts["failed"] == 0 and enough else 1


if __name__ == "__main__":
    sys.exit(main())
