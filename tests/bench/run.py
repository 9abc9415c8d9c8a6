"""Measures generated programs against ONNX Runtime.

usage: run.py [--work FOLDER] [--models NAME,...] [--threads 1,2] [--repeat N] [--rounds N] [--keep]

Makes the models (make_models.py), generates and compiles the programs, installs onnxruntime-node
in FOLDER and runs both sides alternately, `rounds` times each. Every output is compared. Prints a
table in Markdown; a ratio is ours divided by ONNX Runtime's:

  latency  of the least call over all rounds
  cpu      processor time a call, which other work on the machine disturbs less than the clock
  start    from the start of our process to the end of its first call, against creating a session
           and the first call in a process that runs already
  memory   peak resident, ONNX Runtime's less that of its host without a model
  compile  seconds to compile program and runtime on one core, ccache off

With --keep programs that FOLDER/programs/NAME-build/infer has already are measured as they are. At
the end stand the geometric means of the ratios.
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
DRAGOMAN = os.environ.get("DRAGOMAN_BINARY", "build/release/dragoman")
COLUMNS = ("model", "threads", "ours ms", "ORT ms", "latency", "cpu", "start ms", "memory MB",
           "difference")
FEW = 2  # calls, which start and end of a process are told from the rest by


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


class Case:
    """One model, generated and compiled, with its inputs."""

    def __init__(self, name, work):
        self.name = name
        self.model = os.path.join(work, "models", name, "model.onnx")
        self.program = os.path.join(work, "programs", name)
        self.data = os.path.join(work, "data", name)
        os.makedirs(self.data, exist_ok=True)
        os.makedirs(os.path.dirname(self.program), exist_ok=True)
        self.inputs = self.draw_inputs()

    def draw_inputs(self):
        graph = onnx.load(self.model).graph
        constants = {tensor.name for tensor in graph.initializer}
        random = numpy.random.default_rng(7)
        files = []
        for value in graph.input:
            if value.name in constants:
                continue
            kind = value.type.tensor_type
            shape = [dim.dim_value for dim in kind.shape.dim]
            if kind.elem_type == onnx.TensorProto.INT64:
                data = random.integers(0, 1000, shape)
            else:
                data = random.standard_normal(shape, dtype=numpy.float32)
            stem = os.path.join(self.data, str(len(files)))
            numpy.save(stem + ".npy", data)
            data.tofile(stem + ".bin")
            files.append((value.name, stem))
        return files

    def build(self):
        """Seconds that the compiler needs."""
        command = [DRAGOMAN, "codegen", self.model, "-o", self.program, "--name", self.name, "-q"]
        subprocess.run(command, check=True)
        build = self.program + "-build"
        environment = dict(os.environ, CCACHE_DISABLE="1")
        subprocess.run(["cmake", "-S", self.program, "-B", build], check=True, env=environment,
                       stdout=subprocess.DEVNULL)
        return measured(["cmake", "--build", build], env=environment)[2]

    def ours(self, threads, repeat):
        output = os.path.join(self.data, "ours")
        command = [self.program + "-build/infer", "--weights",
                   os.path.join(self.program, self.name + ".weights"), "--threads", str(threads),
                   "--output-dir", output]
        for name, stem in self.inputs:
            command += ["--input", f"{name}={stem}.npy"]
        if repeat:
            command += ["--repeat", str(repeat)]
        text, wall, cpu, peak = measured(command)
        least = json.loads(text.splitlines()[-1])["min"] / 1000 if repeat else None
        return least, wall * 1000, cpu, peak

    def peer(self, threads, repeat, work):
        output = os.path.join(self.data, "peer")
        os.makedirs(output, exist_ok=True)
        command = ["node", os.path.join(work, "peer.js"), os.path.abspath(self.model), str(threads),
                   str(repeat), output] + [stem + ".bin" for _, stem in self.inputs]
        text, _, cpu, _ = measured(command, cwd=work)
        report = json.loads(text.splitlines()[-1])
        least = min(report["calls"]) if repeat else None
        return least, report["create"] + report["first"], cpu, report["peak"]

    def difference(self):
        """The largest difference of an output, relative to its largest element."""
        ours = os.path.join(self.data, "ours")
        with open(os.path.join(ours, "index.json")) as file:
            index = json.load(file)["outputs"]
        worst = 0.0
        for i, output in enumerate(index):
            a = numpy.load(os.path.join(ours, output["file"])).ravel()
            b = numpy.fromfile(os.path.join(self.data, "peer", f"{i}.bin"), dtype=a.dtype)
            worst = max(worst, float(numpy.abs(a - b).max() / max(numpy.abs(b).max(), 1e-30)))
        return worst


def empty_host(work):
    """Peak resident bytes of ONNX Runtime's host without a model."""
    script = "require('onnxruntime-node'); console.log(process.resourceUsage().maxRSS * 1024)"
    return int(measured(["node", "-e", script], cwd=work)[0])


def compare(case, threads, options, host):
    """A line of the table, and the ratios of latency, start and memory."""
    ours, peer = [], []
    for _ in range(options.rounds):
        for side, call in ((ours, lambda n: case.ours(threads, n)),
                           (peer, lambda n: case.peer(threads, n, options.work))):
            start = call(0)
            short, full = call(FEW), call(FEW + options.repeat)
            side.append((full[0], start[1], (full[2] - short[2]) / options.repeat * 1000, full[3]))
    best = [[min(round[i] for round in side) for i in range(4)] for side in (ours, peer)]
    a, b = best
    ratios = [a[0] / b[0], a[1] / b[1], a[3] / (b[3] - host)]
    return (f"| {case.name} | {threads} | {a[0]:.3f} | {b[0]:.3f} | {ratios[0]:.2f} "
            f"| {a[2] / max(b[2], 1e-6):.2f} | {a[1]:.0f} / {b[1]:.0f} = {ratios[1]:.2f} "
            f"| {a[3] / 1e6:.0f} / {(b[3] - host) / 1e6:.0f} = {ratios[2]:.2f} "
            f"| {case.difference():.1e} |"), ratios


def print_means(threads, ratios):
    means = numpy.exp(numpy.log(numpy.array(ratios)).mean(axis=0))
    print(f"geometric means at {threads} thread(s): latency {means[0]:.2f}, start {means[1]:.2f}, "
          f"memory {means[2]:.2f}")


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
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keep", action="store_true")
    return parser.parse_args()


def prepare(options):
    """Makes the models and installs ONNX Runtime; the names of the models."""
    os.makedirs(options.work, exist_ok=True)
    names = options.models.split(",") if options.models else list(make_models.MODELS)
    subprocess.run([sys.executable, make_models.__file__, os.path.join(options.work, "models"),
                    *names], check=True)
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
    for name in names:
        case = Case(name, options.work)
        if not options.keep or not os.path.exists(case.program + "-build/infer"):
            compiled.append(f"{name} {case.build():.1f} s")
        for threads, found in ratios.items():
            line, case_ratios = compare(case, int(threads), options, host)
            print(line, flush=True)
            found.append(case_ratios)
    print()
    for threads, found in ratios.items():
        print_means(threads, found)
    if compiled:
        print("compile: " + ", ".join(compiled))


if __name__ == "__main__":
    main()
