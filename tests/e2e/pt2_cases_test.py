#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs cases of torch.export through the command line: those recorded in
tests/models/exported_by_torch.tar.xz (tests/tools/record_exported.py) and, natively too, those of
shared/data/pt2-cases if they are there.

A case is a folder with model.pt2, inputs.npz, outputs.npz and meta.json. The model is run on its
inputs by the interpreter and by the generated C++ program; it is converted to ONNX and that file is
run, too; it is converted to .pt2 again, also by way of our own container, whose JSON must be the same
but for the order of keys, and whose weights must be the same bytes. Layers and programs of open
sizes, as they were exported and after their decompositions (NAME_d), are one common graph.
"""

import argparse
import json
import pathlib
import re
import sys
import tarfile
import tempfile
import zipfile

import numpy as np

from commands import complaint, dragoman
from run_outputs import compare, outcome_of, read_outputs
from torch_cases_test import expected_outputs

RECORDED = pathlib.Path(__file__).resolve().parent.parent / "models" / "exported_by_torch.tar.xz"
TIMEOUT_S = 300


def tensors_of(item, arrays):
    """The arrays of the tensors below an item of meta.json, in order: other arguments are part of
    an exported program."""
    if item["kind"] == "tensor":
        return [arrays[item["key"]]]
    if item["kind"] == "dict":
        return [array for _, part in item["items"] for array in tensors_of(part, arrays)]
    return [array for part in item.get("items", []) for array in tensors_of(part, arrays)]


def records_of(path):
    """Name without the top folder to bytes; JSON as what it says."""
    with zipfile.ZipFile(path) as archive:
        records = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    return {name: json.loads(data) if name.endswith(".json") else data
            for name, data in records.items()}


def written_difference(model, again):
    """How an archive that was written again differs; an empty string if it does not."""
    a, b = records_of(model), records_of(again)
    if a.keys() != b.keys():
        return f"records {sorted(a.keys() ^ b.keys())}"
    return ", ".join(f"record {name} differs" for name in a if a[name] != b[name])


class Case:
    def __init__(self, folder, work):
        self.folder = folder
        self.work = work
        meta = json.loads((folder / "meta.json").read_text())
        self.calls = meta["calls"]
        self.expected = expected_outputs(meta, np.load(folder / "outputs.npz"))
        arrays = np.load(folder / "inputs.npz")
        self.arguments = []
        inputs = [array for item in meta["inputs"] for array in tensors_of(item, arrays)]
        for i, array in enumerate(inputs):
            np.save(work / f"in-{i}.npy", array)
            self.arguments += ["--input", f"{i}={work / f'in-{i}.npy'}"]
        if self.calls > 1:
            self.arguments += ["--steps", self.calls]

    def run_model(self, model, *extra):
        out = self.work / f"out-{len(list(self.work.glob('out-*')))}"
        done = dragoman("run", model, "--output-dir", out, *self.arguments, *extra,
                        timeout=TIMEOUT_S)
        return complaint(done) or compare(read_outputs(out), self.expected)

    def write(self, model, *names):
        """Writes the model to files one after the other; how the last one differs from it."""
        previous = model
        for name in names:
            again = self.work / name
            if problem := complaint(dragoman("convert", previous, "-o", again, timeout=TIMEOUT_S)):
                return f"{name}: {problem}"
            previous = again
        return written_difference(model, previous)

    def check(self, native):
        """An empty string if the case passes, else the stage and what went wrong."""
        model = self.folder / "model.pt2"
        if problem := self.run_model(model):
            return "run: " + problem
        onnx = self.work / "model.onnx"
        done = dragoman("convert", model, "-o", onnx, "--allow-domain", "dragoman",
                        timeout=TIMEOUT_S)
        if problem := complaint(done):
            return "convert: " + problem
        if problem := self.run_model(onnx):
            return "onnx: " + problem
        if problem := self.write(model, "again.pt2") or self.write(model, "model.dgm", "again.pt2"):
            return "write: " + problem
        if native and (problem := self.run_model(model, "--engine", "native")):
            return "native: " + problem
        return ""


def decomposed_difference(folder):
    """How the two forms of a program differ; an empty string if they do not, and for others."""
    name = re.fullmatch(r"((?:layer|sizes)_.*?)(_s\d+)?", folder.name)
    if not name or name[1].endswith("_d"):
        return ""
    decomposed = folder.with_name(name[1] + "_d" + (name[2] or ""))
    done = dragoman("diff", folder / "model.pt2", decomposed / "model.pt2", "--level", "common",
                    "--passes", "default")
    return "" if done.returncode == 0 else f"decomposed: {done.stdout or done.stderr}"


def check_case(folder, native):
    return outcome_of(lambda work: Case(folder, work).check(native))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data/pt2-cases"))
    parser.add_argument("--only", help="a regular expression that names must match", default="")
    parser.add_argument("--no-native", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(RECORDED) as archive:
            archive.extractall(folder)
        failed = [check_all(pathlib.Path(folder), options.only, native=False),
                  check_all(options.data, options.only, not options.no_native)]
    return 1 if any(failed) else 0


def check_all(data, only, native):
    """How many of the cases below a folder fail, each with a line."""
    folders = sorted(path.parent for path in data.glob("*/meta.json"))
    folders = [folder for folder in folders if re.search(only, folder.name)]
    failed = 0
    for folder in folders:
        problem = check_case(folder, native) or decomposed_difference(folder)
        if problem:
            failed += 1
            print(f"{folder.name}: {problem}")
    print(f"{data}: {len(folders) - failed} of {len(folders)} pass")
    return failed


if __name__ == "__main__":
    sys.exit(main())
