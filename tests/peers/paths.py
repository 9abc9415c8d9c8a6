#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws models, and through Dragoman paths that must all end with the numbers of the model itself.

usage: paths.py [--minutes M] [--seed S] [--paths N] [--engines NAME,...] [--found FOLDER]
       paths.py --again FOLDER MODEL

A path is one to three conversions, each to a drawn format, operator set and list of passes, and an
engine that runs what comes out: our interpreter, the generated program, ONNX Runtime, OpenVINO, TVM,
PyTorch; environments that are absent are left out. Models are those of tests/models/drawn_graphs.py,
some of them with names that are equal once they are cleaned, with open sizes of 0 or 1, or with
infinities and NaN among the inputs.

Where a path ends with other numbers, a crash, or a file that its reader refuses, `dragoman reduce`
makes the model as small as possible. FOLDER (build/paths) then holds a folder for each: model, inputs,
path, the reduced model. `--again` judges another model by the path of such a folder:
exit code 1 if it fails in the same way. Exit codes: 0 all paths agree, 1 some do not.
"""

import argparse
import contextlib
import collections
import json
import pathlib
import shutil
import sys
import tempfile
import threading
import time
from multiprocessing.connection import Listener

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support"), str(HERE.parent / "models")]
from commands import BUG, DRAGOMAN, call
from driver.consumers import given_inputs, judge_worker, judged, written_outputs
from driver.verdicts import (PEER, REFUSED, REJECTED, RIGHT, UNTRIED, WRONG, Verdict, kind_of,
                             of_failed_command)
from driver.workers import Absent, Broken, Worker
from drawn_inputs import drawn_model, fitting, inputs_of
from shared.cases import Case, restored, stored, write_case

LIMIT_S = 120
REDUCTION_LIMIT_S = 900
FAILURES = (WRONG, REJECTED)
INTERPRETER, PROGRAM = "interpreter", "C++"
# Of each format that is read as well: what runs it, and how often it is drawn.
FORMATS = {".onnx": 4, ".dgm": 1, ".dgt": 2, ".json": 1, ".py": 2, ".relay": 2, ".pt2": 2}
PEERS = {"ONNX Runtime": (".onnx", "consumers/onnxruntime_session.py", "onnx"),
         "OpenVINO": (".onnx", "consumers/openvino_model.py", "openvino"),
         "Relax": (".py", "consumers/relax_module.py", "tvm"),
         "Relay": (".relay", "consumers/relay_module.py", "relay"),
         "PyTorch": (".pt2", "consumers/torch_program.py", "torch")}
PROGRAMS = 0.02  # the share of paths that end with a program, which takes a minute to compile


def passes():
    listed = json.loads(call([DRAGOMAN, "ops", "--json"]).stdout)["passes"]
    return [entry["pass"] for entry in listed]


def draw_passes(rng, names):
    """None, those by default, one alone, or some in any order."""
    kind = rng.integers(5)
    if kind < 3:
        return ("none", "default", "default")[kind]
    count = 1 if kind == 3 else int(rng.integers(2, 8))
    return ",".join(rng.permutation(names)[:count])


def draw_conversion(rng, names):
    suffixes = list(FORMATS)
    shares = np.array(list(FORMATS.values()), float)
    suffix = suffixes[rng.choice(len(suffixes), p=shares / shares.sum())]
    options = ["--passes", draw_passes(rng, names)]
    if suffix in (".dgm", ".dgt", ".json"):
        options += ["--level", "common"]
    if suffix == ".onnx" and rng.random() < 0.6:
        options += ["--opset", str(int(rng.integers(9, 27)))]
    if suffix == ".onnx" and rng.random() < 0.2:
        options += ["--functions"]
    return suffix, options


def draw_path(rng, names, engines):
    """A path that ends with one of the engines; at least one is given."""
    while True:
        engine = str(rng.choice(engines))
        if engine == PROGRAM and len(engines) > 1 and rng.random() > PROGRAMS * len(engines):
            continue
        conversions = [draw_conversion(rng, names) for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))]
        if engine not in PEERS or PEERS[engine][0] == conversions[-1][0]:
            return {"conversions": conversions, "engine": engine}


class Judge:
    """Runs models along paths; its processes of peers last."""

    def __init__(self, scratch, engines):
        self.workers = {name: Worker(script, peer, scratch)
                        for name, (_, script, peer) in PEERS.items() if name in engines}

    def stop(self):
        for worker in self.workers.values():
            worker.stop()

    def case(self, model, feeds, folder):
        """The model with its inputs and what the interpreter makes of them; None if it refuses."""
        verdict, outputs = self.run(model, feeds, folder / "expected")
        if verdict.status != RIGHT:
            return verdict, None
        write_case(folder, model.name, [(feeds, {name: restored(*value)
                                                 for name, value in outputs.items()})])
        return verdict, Case(folder)

    def run(self, model, feeds, out, *options):
        """(verdict, outputs by name) of our own engines."""
        names = list(inputs_of(model))
        if len(names) != len(feeds):
            return Verdict(UNTRIED, "other inputs"), None
        if set(names) != set(feeds):
            feeds = dict(zip(names, feeds.values()))
        archive = given_inputs({name: stored(array) for name, array in feeds.items()},
                               out.with_suffix(".npz"))
        done = call([DRAGOMAN, "run", model, "-q", "--inputs", archive, "--output-dir", out,
                     *options], LIMIT_S)
        if done.returncode != 0:
            return self.failed(done), None
        return Verdict(RIGHT), written_outputs(out)

    @staticmethod
    def failed(done):
        """The verdict on a call that failed: input that a path leads to is valid."""
        verdict = of_failed_command(done)
        return Verdict(WRONG, verdict.reason) if done.returncode == 2 else verdict

    def judge(self, path, case):
        model = case.model
        for place, (suffix, options) in enumerate(path["conversions"]):
            target = case.folder / f"step{place}" / f"model{suffix}"
            done = call([DRAGOMAN, "convert", model, "-q", "-o", target, *options], LIMIT_S)
            if done.returncode != 0:
                return self.failed(done)
            if BUG in done.stderr:
                return Verdict(WRONG, done.stderr.strip()[:300])
            model = target
        if path["engine"] in self.workers:
            return self.judge_peer(path["engine"], model, case)
        inputs, expected = case.runs[0]
        engine = "native" if path["engine"] == PROGRAM else "interpreter"
        verdict, outputs = self.run(model, inputs, case.folder / "actual", "--engine", engine)
        if verdict.status != RIGHT:
            return verdict
        return judged({name: stored(array) for name, array in expected.items()}, outputs, {})

    def judge_peer(self, name, model, case):
        worker = self.workers[name]
        stored_case = Case(case.folder)
        stored_case.runs = [(inputs, {key: stored(array) for key, array in outputs.items()})
                            for inputs, outputs in case.runs]
        verdict = judge_worker(worker, model, stored_case)
        if verdict.status in FAILURES and PEERS[name][0] == case.model.suffix:
            own = judge_worker(worker, case.model, stored_case)
            if own.status != RIGHT:
                return Verdict(PEER, own.reason)
        return verdict


def same_failure(verdict, path):
    if verdict.status != path["status"]:
        return False
    return verdict.status == WRONG or kind_of(verdict.reason) == kind_of(path["reason"])


class Found:
    """A path that failed, in a folder of its own, and whether other models fail along it, too."""

    def __init__(self, folder, judge):
        self.folder, self.judge = folder, judge
        self.smallest = folder / "reduced"  # of those that failed so far
        self.path = json.loads((folder / "path.json").read_text())
        with np.load(folder / "inputs.npz") as arrays:
            self.feeds = dict(arrays)

    def fails(self, model, keeps=False):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            copy = shutil.copy(model, folder / f"model{model.suffix}")
            feeds = fitting(inputs_of(copy), self.feeds)
            verdict, case = self.judge.case(copy, feeds, folder)
            if case is None:
                return False
            fails = same_failure(self.judge.judge(self.path, case), self.path)
            if fails and keeps:
                shutil.copy(copy, self.smallest.with_suffix(model.suffix))
        return fails

    def answer(self, listener):
        """Answers processes whether the models that they name fail, until the listener closes."""
        while True:
            try:
                asking = listener.accept()
            except OSError:
                return
            # One that no longer waits, or an engine that is gone, is not the last.
            with asking, contextlib.suppress(OSError, EOFError, Absent, Broken):
                asking.send(self.fails(pathlib.Path(asking.recv()), keeps=True))

    def reduced(self):
        """The model made as small as possible, as text. The judge answers for each candidate, since
        a process of its own would import a framework first."""
        with Listener(family="AF_UNIX") as listener:
            threading.Thread(target=self.answer, args=(listener,), daemon=True).start()
            ask = (f"'{sys.executable}' -c 'import sys; from multiprocessing.connection import Client; "
                   f"c = Client(sys.argv[1]); c.send(sys.argv[2]); sys.exit(9 if c.recv() else 0)' '{listener.address}' {{}}")
            small = self.smallest.with_suffix(".onnx")
            done = call([DRAGOMAN, "reduce", self.folder / "model.onnx", "-q", "-o", small, "--timeout",
                         LIMIT_S, "--test", ask], REDUCTION_LIMIT_S)
        text = call([DRAGOMAN, "convert", small, "-o", "-"]).stdout
        return text if done.returncode == 0 else f"{text}not reduced further: {done.stderr[-300:]}"


def again(folder, model):
    path = json.loads((folder / "path.json").read_text())
    with tempfile.TemporaryDirectory() as scratch:
        judge = Judge(pathlib.Path(scratch), [path["engine"]])
        try:
            return Found(folder, judge).fails(model)
        finally:
            judge.stop()


def keep(folder, path, verdict, case, feeds):
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(case.model, folder / "model.onnx")
    np.savez(folder / "inputs.npz", **feeds)
    (folder / "path.json").write_text(json.dumps(path | {"status": verdict.status,
                                                         "reason": verdict.reason}))


def command_line():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--paths", type=int, default=4, help="of each model")
    parser.add_argument("--engines", default=",".join((INTERPRETER, PROGRAM, *PEERS)))
    parser.add_argument("--found", type=lambda text: pathlib.Path(text).resolve(),
                        default=pathlib.Path("build/paths").resolve())
    parser.add_argument("--again", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("model", type=lambda text: pathlib.Path(text).resolve(), nargs="?")
    return parser.parse_args()


def hunt(options, judge, engines):
    """Counts of verdicts by engine."""
    names = passes()
    counts = collections.Counter()
    seen = set()
    deadline = time.monotonic() + 60 * options.minutes
    seed = options.seed
    while engines and time.monotonic() < deadline:
        rng = np.random.default_rng([seed, 1])
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            feeds = drawn_model(seed, rng, folder / "model.onnx")
            verdict, case = judge.case(folder / "model.onnx", feeds, folder)
            if case is None:
                counts["model", verdict.status] += 1
                print(f"--seed {seed}: model: {verdict.reason}", flush=True)
            for place in range(options.paths if case else 0):
                if not engines:
                    break
                path = draw_path(rng, names, engines)
                for step in folder.glob("step*"):
                    shutil.rmtree(step)
                try:
                    verdict = judge.judge(path, case)
                except (Absent, Broken) as absent:
                    print(f"left out: {path['engine']}: {absent}", flush=True)
                    engines.remove(path["engine"])
                    continue
                counts[path["engine"], verdict.status] += 1
                kind = (path["engine"], kind_of(verdict.reason))
                if verdict.status not in FAILURES or kind in seen:
                    continue
                seen.add(kind)  # one model shows what many would
                found = options.found / f"{seed}-{place}"
                print(f"--seed {seed}: {found}: {path}\n{verdict.status}: {verdict.reason}", flush=True)
                keep(found, path, verdict, case, feeds)
                print(Found(found, judge).reduced(), flush=True)
        seed += 1
    print(f"{seed - options.seed} models")
    return counts


def main():
    options = command_line()
    if options.again:
        return int(again(options.again, options.model))
    engines = options.engines.split(",")
    print(f"--seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        judge = Judge(pathlib.Path(scratch), engines)
        try:
            counts = hunt(options, judge, engines)
        finally:
            judge.stop()
    for engine in dict.fromkeys(name for name, _ in counts):
        said = ", ".join(f"{counts[engine, status]} {status}"
                         for status in (RIGHT, REFUSED, REJECTED, WRONG, PEER, UNTRIED)
                         if counts[engine, status])
        print(f"{engine}: {said}")
    return int(any(status in FAILURES for _, status in counts))


if __name__ == "__main__":
    sys.exit(main())
