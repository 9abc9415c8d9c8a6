#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What grows faster than the model: user time of each command while one dimension of a model doubles.

Usage: scripts/doubling.py [--seconds S] [--largest N] [--only WORD] [--command WORD]

For each format and dimension of growing_models.py, and each command, the size is doubled until the
command takes S seconds (1). The exponent of the growth is that of the last two doublings; those
above 1.35 are listed at the end, and the exit code is then 1. n log n shows as 1.1 to 1.2, and what
outgrows the caches as a little more. Commands that refuse the model are timed like others.
DRAGOMAN_BINARY names the program. Takes an hour; not part of the tests.
"""

import argparse
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

from growing_models import MODELS

ROOT = pathlib.Path(__file__).resolve().parent.parent
DRAGOMAN = pathlib.Path(os.environ.get("DRAGOMAN_BINARY", "build/release/dragoman")).resolve()
SUFFIXES = {"dgt": "dgt", "relay": "relay", "relax": "py", "tensorflow": "pbtxt", "torchscript": "pt"}
FIRST, SMALLEST_TIME, TOO_FAST_GROWING, TIMEOUT_S = 500, 0.15, 1.35, 60
MEMORY = 8 << 30

# What is called; {m} is the model, {other} one with an element more, {out} a name for output.
COMMANDS = {
    "inspect": "inspect {m}",
    "inspect --html": "inspect {m} --html {out}.html",
    "to the same format": "convert {m} -o {out}.{suffix}",
    "to text": "convert {m} -o {out}.dgt --level common --passes none",
    "with passes": "convert {m} -o {out}.dgt --level common --passes default",
    "to dgm": "convert {m} -o {out}.dgm",
    "to json": "convert {m} -o {out}.json",
    "to onnx": "convert {m} -o {out}.onnx --passes default",
    "to relax": "convert {m} -o {out}.py",
    "to relay": "convert {m} -o {out}.relay",
    "to pt2": "convert {m} -o {out}.pt2",
    "to dot": "convert {m} -o {out}.dot",
    "codegen": "codegen {m} -o {out}",
    "run": "run {m} --random -o {out}",
    "simplify": "simplify {m} -o {out}.onnx",
    "diff with itself": "diff {m} {m} --level common",
    "diff with the next": "diff {m} {other}",
}
# Of what another command has written, to time the readers of formats that are not written here.
BY_WAY_OF = {"from dgm": "dgm", "from json": "json", "from onnx": "onnx", "from pt2": "pt2"}


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def user_seconds(words):
    """nan: the call did not end in time."""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    try:
        done = subprocess.run([DRAGOMAN, *words], capture_output=True, check=False, timeout=TIMEOUT_S,
                              preexec_fn=limit_memory)
    except subprocess.TimeoutExpired:
        return math.nan, None
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin, done


def write(folder, kind, make, size, name):
    path = folder / f"{name}.{SUFFIXES[kind]}"
    text = make(size)
    if kind == "torchscript":
        sys.path.insert(0, str(ROOT / "tests" / "support"))
        import script_archive
        script_archive.write_script(path, text)
    else:
        path.write_text(text)
    return path


def time_of(kind, make, command, size):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = write(folder, kind, make, size, "m")
        if command in BY_WAY_OF:
            copy = folder / f"copy.{BY_WAY_OF[command]}"
            user_seconds(["convert", model, "-o", copy])
            if not copy.exists():
                return None, None
            return user_seconds(["inspect", copy])
        words = COMMANDS[command]
        other = write(folder, kind, make, size + 1, "other") if "{other}" in words else None
        return user_seconds([word.format(m=model, other=other, out=folder / "out", suffix=model.suffix[1:])
                             for word in words.split()])


def last_line(done):
    lines = done.stderr.decode(errors="replace").splitlines()
    return lines[-1][:100] if lines else ""


def growth(kind, make, command, options):
    """(exponent of the last doublings, size, seconds, last exit code and message)."""
    size, times, said = FIRST, [], ""
    while size <= options.largest:
        seconds, done = time_of(kind, make, command, size)
        if seconds is None:
            return None
        said = "not in time" if done is None else f"{done.returncode} {last_line(done)}"
        if done is None:
            return math.inf, size, TIMEOUT_S, said
        times.append(max(seconds, 1e-3))
        if seconds >= options.seconds or done.returncode < 0:
            break
        size *= 2
    if len(times) < 3:
        return (math.inf if times[-1] >= options.seconds else 0), size, times[-1], said
    exponent = math.log2(times[-1] / times[-3]) / 2 if times[-1] >= SMALLEST_TIME else 0
    return exponent, min(size, options.largest), times[-1], said


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--largest", type=int, default=64000)
    parser.add_argument("--only", default="", help="formats and dimensions whose names hold this")
    parser.add_argument("--command", default="", help="commands whose names hold this")
    return parser.parse_args()


def main():
    options, found = arguments(), []
    begin = time.monotonic()
    for kind, dimensions in MODELS.items():
        for dimension, make in dimensions.items():
            if options.only not in f"{kind}: {dimension}":
                continue
            for command in (*COMMANDS, *BY_WAY_OF):
                if options.command not in command:
                    continue
                measured = growth(kind, make, command, options)
                if measured is None:
                    continue
                exponent, size, seconds, said = measured
                line = (f"{exponent:5.2f}  {seconds:6.2f} s at {size:6}  {kind}: {dimension}, {command}"
                        f"  [{said}]")
                print(line, flush=True)
                if exponent > TOO_FAST_GROWING:
                    found.append(line)
    print(f"\n{time.monotonic() - begin:.0f} s; grows too fast:", *found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
