#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers as Keras and TensorFlow 1 write them (tests/models/tensorflow/recurrent).

Each form becomes the one operator that its meta.json names, without loops, and gives the recorded
numbers: by the interpreter, through ONNX, and by generated C++ with --native (or DRAGOMAN_ALL), else
of a sample of the forms.
"""

import argparse
import os
import pathlib
import re
import sys
import tempfile

import tf_cases_test as cases
from commands import DRAGOMAN, complaint, dragoman
from torch_cases_test import in_sample

FORMS = pathlib.Path("tests/models/tensorflow/recurrent")
CONTROL = ("Loop", "Scan", "If", "dragoman.While")
RECURRENT = ("LSTM", "GRU", "RNN")
PERCENT = 10  # of the forms, as generated C++


class Form(cases.Case):
    def check(self):
        return super().check() or self.check_operators()

    def check_operators(self):
        text = self.work / "common.dgt"
        done = dragoman("convert", self.folder / "graph.pb", "-o", text, "--level", "common",
                        "--passes", "default", *self.cut())
        if problem := complaint(done):
            return problem
        found = re.findall(r"= (?:onnx\.|dragoman\.)?(\w+)\(", text.read_text(encoding="utf-8"))
        found = [name for name in found if name in RECURRENT + CONTROL]
        return "" if found == [self.meta["one"]] else f"not one {self.meta['one']}: {found}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression that names must match")
    parser.add_argument("--native", action="store_true", default=bool(os.environ.get("DRAGOMAN_ALL")))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    names = sorted(path.parent.name for path in FORMS.glob("*/meta.json")
                   if re.search(options.only, path.parent.name))
    with tempfile.TemporaryDirectory() as work:
        forms = {}
        for name in names:
            place = pathlib.Path(work) / name
            place.mkdir()
            forms[name] = Form(FORMS / name, place)
        problems = {name: cases.check_case(form) for name, form in forms.items()}
        native = {name: form for name, form in forms.items()
                  if not problems[name] and (options.native or in_sample(name, PERCENT))}
        folder = pathlib.Path(DRAGOMAN).absolute().parent / "tf_recurrent"
        cases.check_natively(native, problems, folder, options.jobs)
    for name, problem in problems.items():
        if problem:
            print(f"{name}: {problem}")
    print(f"{sum(not problem for problem in problems.values())} of {len(problems)} pass")
    return 1 if any(problems.values()) or not problems else 0


if __name__ == "__main__":
    sys.exit(main())
