#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TorchScript files of other projects give the outputs that torch recorded.

From the interpreter, from exported ONNX and from generated C++. The files are those of
../shared/data/real/torchscript.

A recording is FILE.golden.npz with arrays in:0, in:1, … and out:, or out:0, out:1.0, …. One of more
calls of an object that keeps a state has one more leading axis (STEPS).
"""

import pathlib
import sys
import tempfile

import numpy as np

import native_programs
from commands import DRAGOMAN, complaint, dragoman
from run_outputs import compare, read_outputs

DATA = pathlib.Path("../shared/data/real/torchscript")
STEPS = {"motion.pt": 10}
TIMEOUT_S = 120


class Recording:
    def __init__(self, file, work):
        self.model = file.with_name(file.name.removesuffix(".golden.npz"))
        self.name = str(self.model.relative_to(DATA))
        arrays = np.load(file)
        self.inputs = [arrays[name] for name in arrays.files if name.startswith("in:")]
        self.expected = [(arrays[name], str(arrays[name].dtype))
                         for name in arrays.files if name.startswith("out:")]
        self.steps = STEPS.get(self.model.name)
        self.work = work / native_programs.identifier(self.name)
        self.work.mkdir()
        for i, array in enumerate(self.inputs):
            np.save(self.work / f"{i}.npy", array)

    def program(self):
        return native_programs.identifier(self.name)

    def shapes(self):
        facts = []
        for i, array in enumerate(self.inputs):
            sizes = ",".join(map(str, array.shape[1:] if self.steps else array.shape))
            facts += ["--shape", f"{i}={array.dtype}:{sizes}"]
        return facts

    def data(self, out):
        arguments = ["--output-dir", out]
        for i in range(len(self.inputs)):
            arguments += ["--input", f"{i}={self.work / str(i)}.npy"]
        return arguments + (["--steps", self.steps] if self.steps else [])

    def judge(self, done, out):
        return complaint(done) or compare(read_outputs(out), self.expected)

    def check_interpreter(self, model, out):
        done = dragoman("run", model, *self.data(self.work / out), timeout=TIMEOUT_S)
        return self.judge(done, self.work / out)

    def check_onnx(self):
        onnx = self.work / "model.onnx"
        done = dragoman("convert", self.model, "-o", onnx, *self.shapes(), timeout=TIMEOUT_S)
        return complaint(done) or self.check_interpreter(onnx, "onnx")

    def check_program(self, folder):
        out = self.work / "native"
        return self.judge(native_programs.run(self.program(), folder, self.data(out)), out)


def check_recordings(recordings, folder):
    """What went wrong, a line each."""
    problems = []

    def note(recording, how, problem):
        if problem:
            problems.append(f"{recording.name}: {how}: {problem}")
        return not problem

    programs = {}
    for recording in recordings:
        note(recording, "interpreter", recording.check_interpreter(recording.model, "run"))
        note(recording, "ONNX", recording.check_onnx())
        problem = native_programs.generate(recording.model, recording.program(), folder,
                                           recording.shapes())
        if note(recording, "C++", problem):
            programs[recording.program()] = recording
    failed = native_programs.build(list(programs), folder)
    for program, recording in programs.items():
        note(recording, "C++", failed.get(program) or recording.check_program(folder))
    return problems


def main():
    if not DATA.is_dir():
        print(f"{DATA} is not there: skipped")
        return 77
    folder = pathlib.Path(DRAGOMAN).absolute().parent / "real_torchscript"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        recordings = [Recording(file, pathlib.Path(work))
                      for file in sorted(DATA.rglob("*.golden.npz"))]
        problems = check_recordings(recordings, folder)
    print(*problems, f"{len(problems)} problems in {len(recordings)} files", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
