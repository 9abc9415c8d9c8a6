#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Convolution networks with channels last (tests/models/tensorflow/networks): neither the common
graph nor the generated C++ has other transposes than those where images come in and go out, and the
numbers are those of TensorFlow.js."""

import pathlib
import re
import sys
import tempfile

import tf_cases_test as cases
from commands import DRAGOMAN, complaint, dragoman

NETWORKS = pathlib.Path("tests/models/tensorflow/networks")


class Network(cases.Case):
    def count(self, place, found):
        allowed = self.meta["transposes"]
        return f"{place}: {found} transposes, of {allowed}" if found > allowed else ""

    def check_common(self):
        text = self.work / "common.dgt"
        done = dragoman("convert", self.folder / "graph.pb", "-o", text, "--level", "common",
                        "--passes", "default", *self.cut())
        found = len(re.findall(r"= onnx\.Transpose\(", text.read_text(encoding="utf-8")))
        return complaint(done) or self.count("common graph", found)

    def check_program(self):
        folder = self.work / "program"
        done = dragoman("codegen", self.folder / "graph.pb", "-q", "-o", folder, *self.cut())
        if problem := complaint(done):
            return problem
        sources = [path.read_text(encoding="utf-8") for path in folder.glob("*.cc")]
        steps = [line for source in sources for line in source.splitlines()
                 if re.match(r"\s*// Transpose: ", line)]
        return self.count("C++", len(steps))

    def check(self):
        return super().check() or self.check_common() or self.check_program()


def main():
    problems = {}
    with tempfile.TemporaryDirectory() as work:
        networks = {}
        for folder in sorted(path.parent for path in NETWORKS.glob("*/meta.json")):
            place = pathlib.Path(work) / folder.name
            place.mkdir()
            networks[folder.name] = Network(folder, place)
            problems[folder.name] = cases.check_case(networks[folder.name])
        cases.check_natively(networks, problems,
                             pathlib.Path(DRAGOMAN).absolute().parent / "tf_layouts", 2)
    for name, problem in problems.items():
        if problem:
            print(f"{name}: {problem}")
    return 1 if any(problems.values()) or not problems else 0


if __name__ == "__main__":
    sys.exit(main())
