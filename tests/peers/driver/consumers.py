# SPDX-License-Identifier: Apache-2.0
"""The consumers: each judges what Dragoman makes of a case."""

import json
import os
import shutil
import zipfile

import numpy
from commands import DRAGOMAN, call

from driver import compare
from driver.verdicts import (PEER, REJECTED, RIGHT, UNTRIED, WRONG, Verdict, of_failed_command)
from driver.workers import Worker
from shared.cases import Stored, read_results

COMMAND_LIMIT_S = 300
BUILD_LIMIT_S = 600
# Without it an ONNX file would be copied.
LOWERED = ("--passes", "default")
PEER_LIMIT_S = 180


def parts(name, value):
    """The arrays of an input, by the names that `run` takes: a list is given part by part."""
    if value is None:
        return {}
    if isinstance(value, list):
        return {key: array for place, item in enumerate(value)
                for key, array in parts(f"{name}.{place}", item).items()}
    return {name: value.array}


def given_inputs(inputs, path):
    """Writes the inputs of a run as `run` and `infer` take them."""
    # Not by numpy.savez, which has uses of its own for inputs called `file` or `like`.
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in inputs.items():
            for key, array in parts(name, value).items():
                with archive.open(key + ".npy", "w") as entry:
                    numpy.lib.format.write_array(entry, array)
    return path


def written_array(path, dtype):
    array = numpy.load(path)
    if array.dtype.kind == "S":
        array = numpy.char.decode(array, "utf-8", "surrogateescape")
    return Stored(array, "string" if array.dtype.kind == "U" else dtype)


def written_map(path, key_dtype, dtype):
    """A map, or a list of them, as cases hold maps."""
    def stored_map(entries):
        if isinstance(entries, list):
            return [stored_map(part) for part in entries]
        return [Stored(numpy.array(items, numpy.str_ if name == "string" else name), name)
                for items, name in ((list(entries), key_dtype), (list(entries.values()), dtype))]
    return stored_map(json.loads(path.read_text()))


def written_outputs(folder):
    """What `run` and `infer` wrote: stored values by name."""
    outputs = {}
    for output in json.loads((folder / "index.json").read_text())["outputs"]:
        path, dtype = folder / output["file"], output["dtype"]
        outputs[output["name"]] = (written_map(path, output["keys"], dtype) if "keys" in output
                                   else written_array(path, dtype))
    return outputs


def judged(expected, actual, facts):
    problem = compare.problem(expected, actual, facts)
    return Verdict(WRONG, problem) if problem else Verdict(RIGHT)


def judge_calls(program, case, folder):
    """The verdict on a command that takes the inputs of a run and writes its outputs."""
    folder.mkdir(exist_ok=True)
    for number, (inputs, expected) in enumerate(case.runs):
        out = folder / f"out_{number}"
        done = call([*program, "--inputs", given_inputs(inputs, folder / "in.npz"),
                     "--output-dir", out], COMMAND_LIMIT_S)
        if done.returncode != 0:
            return of_failed_command(done)
        verdict = judged(expected, written_outputs(out), case.facts)
        if verdict.status != RIGHT:
            return verdict
    return Verdict(RIGHT)


def judge_worker(worker, path, case):
    """The verdict on a model file that a process of a peer runs."""
    results = case.folder / f"{worker.peer}.npz"
    answer = worker.ask(PEER_LIMIT_S, do="run", model=str(path), case=str(case.folder),
                        results=str(results))
    if answer["status"] == "refused":
        return Verdict(UNTRIED, answer["reason"])
    if answer["status"] != "ok":
        return Verdict(REJECTED, answer["reason"])
    for (_, expected), actual in zip(case.runs, read_results(results)):
        verdict = judged(expected, actual, case.facts)
        if verdict.status != RIGHT:
            return verdict
    return Verdict(RIGHT)


class Consumer:
    """`judge(case)` gives a verdict; the folder of the case has room for what is written."""

    def version(self):
        return ""

    def stop(self):
        pass


class Interpreter(Consumer):
    name = "interpreter"

    def judge(self, case):
        return judge_calls([DRAGOMAN, "run", case.model, *case.options], case,
                           case.folder / "interpreter")

    def version(self):
        return call([DRAGOMAN, "--version"], COMMAND_LIMIT_S).stdout.strip()


class Program(Consumer):
    """The program that `codegen` writes, for sizes that the source leaves open as well."""

    name = "C++"

    def judge(self, case):
        folder = case.folder
        source, build = folder / "program", folder / "build"
        done = call([DRAGOMAN, "codegen", case.model, "-o", source, "--name", "program", "-q",
                     *case.options], COMMAND_LIMIT_S)
        if done.returncode != 0:
            return of_failed_command(done)
        # The runtime is the same in most programs.
        launcher = (["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else [])
        os.environ["CCACHE_BASEDIR"] = str(folder)
        for command in (["cmake", "-G", "Ninja", "-S", source, "-B", build, *launcher],
                        ["cmake", "--build", build, "-j1"]):
            done = call(command, BUILD_LIMIT_S)
            if done.returncode != 0:
                said = [line for line in done.stdout.splitlines() if "error" in line]
                return Verdict(WRONG, f"does not build: {(said or [done.stderr])[0][:200]}")
        return judge_calls([build / "infer"], case, folder / "infer")


class Converted(Consumer):
    """A framework that runs the file that `convert` writes for it."""

    def __init__(self, name, script, peer, suffix, scratch, options=()):
        self.name = name
        self.suffix = suffix
        self.options = options
        self.worker = Worker(script, peer, scratch)
        self.said_version = None

    def judge(self, case):
        # Consumers of one format and the same options share the file.
        path = case.folder / f"converted{''.join(self.options)}" / f"model{self.suffix}"
        if not path.exists():
            done = call([DRAGOMAN, "convert", case.model, "-o", path, "-q", *self.options,
                         *case.options], COMMAND_LIMIT_S)
            if done.returncode != 0:
                return of_failed_command(done)
        if case.facts.get("states"):
            return Verdict(UNTRIED, "keeps states")
        verdict = judge_worker(self.worker, path, case)
        if verdict.status in (WRONG, REJECTED) and case.model.suffix == self.suffix:
            own = self.judge_own(case)
            # A file that the peer does not load does not excuse other numbers.
            if own.status == verdict.status or verdict.status == REJECTED and own.status != RIGHT:
                return Verdict(PEER, own.reason)
        return verdict

    def judge_own(self, case):
        """The verdict on the producer's own file, which is of the same format."""
        return judge_worker(self.worker, case.model, case)

    def version(self):
        """What the peer says of itself, once it was started for a case."""
        if self.said_version is None and self.worker.process is not None:
            self.said_version = self.worker.ask(PEER_LIMIT_S, do="version").get("version", "")
        return self.said_version

    def stop(self):
        self.worker.stop()


class WriteBack(Consumer):
    """The producer itself, which runs the file of its own format that `convert` writes."""

    name = "producer"

    def judge(self, case):
        suffix = case.facts.get("write_back")
        if suffix is None:
            return Verdict(UNTRIED, "the format is not written, or the file says what it said")
        path = case.folder / "back" / f"model{suffix}"
        done = call([DRAGOMAN, "convert", case.model, "-o", path, "-q",
                     *case.facts.get("write_back_options", ())], COMMAND_LIMIT_S)
        if done.returncode != 0:
            return of_failed_command(done)
        return judge_worker(case.producer, path, case)


def onnxruntime(scratch, release="", *options):
    return Converted(" ".join(filter(None, ("ONNX Runtime", release, *options))),
                     "consumers/onnxruntime_session.py",
                     f"onnxruntime-{release}" if release else "onnx", ".onnx", scratch,
                     LOWERED + options)


def openvino(scratch, release="", *options):
    return Converted(" ".join(filter(None, ("OpenVINO", release, *options))),
                     "consumers/openvino_model.py",
                     f"openvino-{release}" if release else "openvino", ".onnx", scratch,
                     LOWERED + options)


def by_name(consumers):
    return {consumer.name: consumer for consumer in consumers}


def newest_consumers(scratch):
    """By name, in the order of the table's columns."""
    return by_name([
        Interpreter(), Program(), onnxruntime(scratch), openvino(scratch),
        Converted("Relax", "consumers/relax_module.py", "tvm", ".py", scratch),
        Converted("Relay", "consumers/relay_module.py", "relay", ".relay", scratch),
        Converted("PyTorch", "consumers/torch_program.py", "torch", ".pt2", scratch, LOWERED),
        WriteBack()])


def older_consumers(scratch):
    """Releases that are to load what is written by default, or with an --opset for them."""
    return by_name([
        onnxruntime(scratch, "1.22.1"), onnxruntime(scratch, "1.19.2"),
        onnxruntime(scratch, "1.19.2", "--opset", "21"), openvino(scratch, "2025.4.1"),
        openvino(scratch, "2024.6.0"), openvino(scratch, "2024.6.0", "--opset", "18")])
