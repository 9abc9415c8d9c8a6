# SPDX-License-Identifier: Apache-2.0
"""Measures generated programs against ONNX Runtime.

usage: run.py [--work FOLDER] [--models NAME,...] [--threads 1,2] [--precision P] [--repeat N]
              [--rounds N] [--keep]

Makes the models (make_models.py), generates and compiles the programs, installs onnxruntime-node
in FOLDER and runs both sides alternately, `rounds` times each. Eight inputs take turns, and every
output is compared; the file that `dragoman convert` writes of each model must be one that ONNX
Runtime loads. Prints a table in Markdown; a ratio is ours divided by ONNX Runtime's, which computes
in f32 whatever P is:

  latency     of the least call over all rounds; of ONNX Runtime's is taken what a model without
              work costs a call
  cpu         processor time a call, which other work on the machine disturbs less than the clock;
              a dash where it is too short to say
  start       from the start of our process to the end of its first call, against creating a session
              and the first call in a process that runs already
  cold        the same with files of program and model not in memory
  memory      peak resident of a process that makes one call, ONNX Runtime's less that of its host
              without a model
  difference  the largest of an output, relative to its largest element; the r.m.s. of the
              differences, relative to that of the output, where P is not f32
  compile     seconds to compile program and runtime on one core, ccache off

With --keep programs that FOLDER/programs/NAME-build/infer (NAME-P-build) has already are measured
as they are. At the end stand the geometric means of the ratios.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time

import numpy
import onnx

import make_models

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../support"))
import commands

DRAGOMAN = os.environ.get("DRAGOMAN_BINARY", "build/release/dragoman")
COLUMNS = ("model", "threads", "ours ms", "ORT ms", "latency", "cpu", "start ms", "cold ms",
           "memory MB", "difference")
INPUTS = 8  # that take turns
SHORT_MS = 100  # processor time that time(1) gives by hundredths of a second
FEW = INPUTS  # calls, by which start and end of a process are distinguished from the rest


def measured(command, **options):
    """Runs a command: its output, wall seconds, processor seconds and peak resident bytes.

    The kernel counts this script's own peak for its children, not for theirs: time(1) stands
    between.
    """
    with tempfile.NamedTemporaryFile("r") as report:
        start = time.monotonic()
        process = subprocess.run(["/usr/bin/time", "-f", "%U %S %M", "-o", report.name, *command],
                                 stdout=subprocess.PIPE, check=True, **options)
        wall = time.monotonic() - start
        user, system, peak = report.read().split()
    return process.stdout.decode(), wall, float(user) + float(system), int(peak) * 1024


def draw(random, are_indices, shape):
    if are_indices:
        return random.integers(0, 1000, shape)
    return random.standard_normal(shape, dtype=numpy.float32)


def forget(files):
    """Leaves it to the disk to read files again."""
    for path in files:
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


class Case:
    """One model, generated and compiled, with its inputs."""

    def __init__(self, name, work, precision="f32"):
        self.name = name
        self.work = work
        self.precision = precision
        self.model = os.path.join(work, "models", name, "model.onnx")
        program = name if precision == "f32" else f"{name}-{precision}"
        self.program = os.path.join(work, "programs", program)
        self.weights = os.path.join(self.program, name + ".weights")
        self.data = os.path.join(work, "data", program)
        os.makedirs(self.data, exist_ok=True)
        os.makedirs(os.path.dirname(self.program), exist_ok=True)
        self.inputs = self.draw_inputs()

    def draw_inputs(self):
        """Names, and stems of files: STEM for all calls, STEM_first for one."""
        graph = onnx.load(self.model).graph
        constants = {tensor.name for tensor in graph.initializer}
        random = numpy.random.default_rng(7)
        files = []
        for value in graph.input:
            if value.name in constants:
                continue
            kind = value.type.tensor_type
            shape = [INPUTS] + [dim.dim_value for dim in kind.shape.dim]
            data = draw(random, kind.elem_type == onnx.TensorProto.INT64, shape)
            stem = os.path.join(self.data, str(len(files)))
            for path, array in ((stem, data), (stem + "_first", data[0])):
                numpy.save(path + ".npy", array)
                array.tofile(path + ".bin")
            files.append((value.name, stem))
        return files

    def build(self):
        """Seconds that the compiler needs."""
        command = [DRAGOMAN, "codegen", self.model, "-o", self.program, "--name", self.name,
                   "--precision", self.precision, "-q"]
        subprocess.run(command, check=True)
        build = self.program + "-build"
        environment = dict(os.environ, CCACHE_DISABLE="1")
        subprocess.run(["cmake", "-S", self.program, "-B", build], check=True, env=environment,
                       stdout=subprocess.DEVNULL)
        return measured(["cmake", "--build", build], env=environment)[2]

    def check_written(self):
        """Ends the measurement where ONNX Runtime or onnx.checker refuses the file that the model
        is written to once it is lowered and rewritten."""
        os.environ.setdefault("DRAGOMAN_ONNXRUNTIME", self.work)
        written = os.path.join(self.data, "written.onnx")
        done = commands.dragoman("convert", self.model, "-q", "--passes", "default", "-o", written)
        if problem := commands.complaint(done):
            sys.exit(f"{self.name}: {problem}")

    def ours(self, threads, repeat):
        """One call, or `repeat` timed ones and one for each input."""
        output = os.path.join(self.data, "ours")
        command = [self.program + "-build/infer", "--weights", self.weights, "--threads",
                   str(threads), "--output-dir", output]
        for name, stem in self.inputs:
            command += ["--input", f"{name}={stem}.npy" if repeat else f"{name}={stem}_first.npy"]
        if repeat:
            command += ["--repeat", str(repeat), "--steps", str(INPUTS)]
        text, wall, cpu, peak = measured(command)
        least = json.loads(text.splitlines()[-1])["min"] / 1000 if repeat else None
        return least, wall * 1000, cpu, peak

    def peer(self, threads, repeat):
        output = os.path.join(self.data, "peer")
        os.makedirs(output, exist_ok=True)
        files = [stem + (".bin" if repeat else "_first.bin") for _, stem in self.inputs]
        report, cpu = run_peer(self.work, self.model, threads, repeat, output, files)
        least = min(report["calls"]) if repeat else None
        return least, report["create"] + report["first"], cpu, report["peak"]

    def forget_files(self):
        forget([self.program + "-build/infer", self.weights, self.model])

    def difference(self):
        """Of all outputs of all calls."""
        ours = os.path.join(self.data, "ours")
        with open(os.path.join(ours, "index.json")) as file:
            index = json.load(file)["outputs"]
        worst = 0.0
        for i, output in enumerate(index):
            a = numpy.load(os.path.join(ours, output["file"])).ravel()
            b = numpy.fromfile(os.path.join(self.data, "peer", f"{i}.bin"), dtype=a.dtype)
            if self.precision == "f32":
                found = numpy.abs(a - b).max() / max(numpy.abs(b).max(), 1e-30)
            else:
                found = numpy.sqrt(numpy.mean((a - b) ** 2) / max(numpy.mean(b ** 2), 1e-30))
            worst = max(worst, float(found))
        return worst


def run_peer(work, model, threads, repeat, output, files):
    """The report of ONNX Runtime's side, and processor seconds."""
    command = ["node", os.path.join(work, "peer.js"), os.path.abspath(model), str(threads),
               str(repeat), output] + files
    text, _, cpu, _ = measured(command, cwd=work)
    return json.loads(text.splitlines()[-1]), cpu


def empty_call(work, threads):
    """Milliseconds that ONNX Runtime needs for a call of a model without work."""
    info = onnx.helper.make_tensor_value_info
    types = [info(name, onnx.TensorProto.FLOAT, [1]) for name in ("x", "y")]
    node = onnx.helper.make_node("Identity", ["x"], ["y"])
    graph = onnx.helper.make_graph([node], "empty", types[:1], types[1:])
    opset = onnx.helper.make_opsetid("", 13)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8)
    with tempfile.TemporaryDirectory(dir=work) as folder:
        path, x = os.path.join(folder, "empty.onnx"), os.path.join(folder, "x.bin")
        onnx.save(model, path)
        numpy.zeros(1, numpy.float32).tofile(x)
        return min(run_peer(work, path, threads, 2000, folder, [x])[0]["calls"])


def empty_host(work):
    """Peak resident bytes of ONNX Runtime's host without a model."""
    script = "require('onnxruntime-node'); console.log(process.resourceUsage().maxRSS * 1024)"
    return int(measured(["node", "-e", script], cwd=work)[0])


def compare(case, threads, options, host, empty):
    """A line of the table, and the ratios of latency, start, cold start and memory."""
    ours, peer = [], []
    for _ in range(options.rounds):
        for side, call in ((ours, lambda n: case.ours(threads, n)),
                           (peer, lambda n: case.peer(threads, n))):
            case.forget_files()
            cold = call(0)
            start = call(0)
            short, full = call(FEW), call(FEW + options.repeat)
            side.append((full[0], start[1], cold[1], (full[2] - short[2]) / options.repeat * 1000,
                         start[3]))
    a, b = [[min(round[i] for round in side) for i in range(5)] for side in (ours, peer)]
    b[0] = max(b[0] - empty, 1e-6)
    b[4] -= host
    ratios = [a[0] / b[0], a[1] / b[1], a[2] / b[2], a[4] / b[4]]
    cpu = f"{a[3] / b[3]:.2f}" if min(a[3], b[3]) * options.repeat > SHORT_MS else "-"
    return (f"| {case.name} | {threads} | {a[0]:.3f} | {b[0]:.3f} | {ratios[0]:.2f} "
            f"| {cpu} | {a[1]:.0f} / {b[1]:.0f} = {ratios[1]:.2f} "
            f"| {a[2]:.0f} / {b[2]:.0f} = {ratios[2]:.2f} "
            f"| {a[4] / 1e6:.0f} / {b[4] / 1e6:.0f} = {ratios[3]:.2f} "
            f"| {case.difference():.1e} |"), ratios


def print_means(threads, ratios):
    means = numpy.exp(numpy.log(numpy.array(ratios)).mean(axis=0))
    print(f"geometric means at {threads} thread(s): latency {means[0]:.2f}, start {means[1]:.2f}, "
          f"cold {means[2]:.2f}, memory {means[3]:.2f}")


def describe_machine():
    with open("/proc/cpuinfo") as file:
        model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    load = os.getloadavg()
    return (f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.release()}; "
            f"load average {load[0]:.1f} {load[1]:.1f} {load[2]:.1f} when it began")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", default="build/bench", type=os.path.abspath)
    parser.add_argument("--models")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--precision", default="f32")
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", action="store_true")
    return parser.parse_args()


def make_all(options, names):
    folder = os.path.join(options.work, "models")
    os.makedirs(folder, exist_ok=True)
    subprocess.run([sys.executable, make_models.__file__, folder, *names], check=True)


def prepare(options):
    """Makes the models and installs ONNX Runtime; the names of the models."""
    names = options.models.split(",") if options.models else [*make_models.MODELS, *make_models.WRITTEN]
    make_all(options, names)
    shutil.copy(os.path.join(HERE, "peer.js"), options.work)
    if not os.path.exists(os.path.join(options.work, "node_modules")):
        subprocess.run(["npm", "install", "--ignore-scripts", "--silent", "onnxruntime-node"],
                       cwd=options.work, check=True)
    return names


def main():
    options = parse_options()
    names = prepare(options)
    host = empty_host(options.work)
    print(describe_machine() + "\n")
    print("| " + " | ".join(COLUMNS) + " |")
    print("| --- " * len(COLUMNS) + "|", flush=True)
    compiled = []
    ratios = {threads: [] for threads in options.threads.split(",")}
    empty = {threads: empty_call(options.work, threads) for threads in ratios}
    for name in names:
        case = Case(name, options.work, options.precision)
        case.check_written()
        if not options.keep or not os.path.exists(case.program + "-build/infer"):
            compiled.append(f"{name} {case.build():.1f} s")
        for threads, found in ratios.items():
            line, case_ratios = compare(case, int(threads), options, host, empty[threads])
            print(line, flush=True)
            found.append(case_ratios)
    print()
    for threads, found in ratios.items():
        print_means(threads, found)
    calls = ", ".join(f"{time:.3f} ms at {threads}" for threads, time in empty.items())
    print(f"a call of a model without work in ONNX Runtime: {calls} thread(s)")
    if compiled:
        print("compile: " + ", ".join(compiled))


if __name__ == "__main__":
    main()
