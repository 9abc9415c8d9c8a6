#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts how many models that PyTorch exported twice `dragoman diff` calls equal, and tries whether
it finds an edit of one of them.

usage: "$(scripts/peers.sh torch)/bin/python" tests/peers/pairs.py
           [--cache FOLDER] [--models PATTERN,...] [--kinds PATTERN,...] [--attention sdpa|eager]
           [--open] [--rtol R] [--edits] [--jobs N] [--export-only]

Each model is exported in several forms, which are kept in FOLDER; with --open, batches and lengths
are left open. A kind of pair is two forms; for each pair that is not equal the first line of `diff`
is printed, and at the end a table: the kind, the pairs, those that are equal, those that are with
--rtol (1e-3), and those of them for which `diff` states an assumption. With --edits, one thing is
changed in a copy of the second file of each equal pair, if that is ONNX: an element of a weight by
1 %, a factor by 1 %, an element of a mask, two operands, an attribute; `diff` must find each that
changes what ONNX Runtime computes. DRAGOMAN_BINARY names the program. Exit codes: 0 all edits are
found, 1 one is not.
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]
from driver.edits import EDITS, edited, has_effect

DRAGOMAN = os.environ.get("DRAGOMAN_BINARY", str(HERE.parents[1] / "build/release/dragoman"))
SECONDS_PER_EXPORT = 120
SECONDS_PER_DIFF = 300

# The files of a model: a form of torch_forms and, of ONNX, the operator set.
PROGRAM, DECOMPOSED, TRACED = "program.pt2", "decomposed.pt2", "traced.pt"
DYNAMO, DYNAMO_13 = "dynamo-20.onnx", "dynamo-13.onnx"
LEGACY, LEGACY_13 = "legacy-20.onnx", "legacy-13.onnx"
# Of ONNX files: what ONNX Runtime's basic optimisations and onnxsim make of them.
BASIC, SIMPLIFIED = "-basic.onnx", "-sim.onnx"
OPEN = "-open"  # of the names of folders

KINDS = [(PROGRAM, DYNAMO), (PROGRAM, DYNAMO_13), (PROGRAM, LEGACY), (PROGRAM, LEGACY_13),
         (PROGRAM, TRACED), (PROGRAM, DECOMPOSED), (DYNAMO, LEGACY), (DYNAMO, DYNAMO_13),
         (LEGACY, LEGACY_13)]
KINDS += [(form, form.replace(".onnx", how))
          for form in (DYNAMO, LEGACY) for how in (BASIC, SIMPLIFIED)]


def command_line():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path("/tmp/dragoman-pairs"))
    parser.add_argument("--models", default="*")
    parser.add_argument("--kinds", default="*")
    parser.add_argument("--attention", choices=["sdpa", "eager"], default="sdpa")
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--rtol", default="1e-3")
    parser.add_argument("--edits", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--export-only", action="store_true")
    return parser.parse_args()


def fits(name, patterns):
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns.split(","))


class OutOfTime(Exception):
    pass


def within(seconds, work, *operands):
    """What `work` gives, unless it takes longer."""
    def stop(*_):
        raise OutOfTime(f"takes more than {seconds} s")
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        return work(*operands)
    finally:
        signal.alarm(0)


def optimise(source, path):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(path)
    options.log_severity_level = 4
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])


def simplify(source, path):
    import onnx
    import onnxsim
    simplified, _ = onnxsim.simplify(onnx.load(source))
    onnx.save(simplified, path)


def write_form(make, path):
    """Writes the file; the options that Dragoman needs for it."""
    for how, write in ((BASIC, optimise), (SIMPLIFIED, simplify)):
        if path.name.endswith(how):
            write(path.with_name(path.name.replace(how, ".onnx")), path)
            return []
    import torch
    from producers import torch_forms
    name, _, operator_set = path.stem.partition("-")
    form = {"program": torch_forms.PT2, "decomposed": torch_forms.DECOMPOSED,
            "traced": torch_forms.TRACED, "dynamo": torch_forms.DYNAMO,
            "legacy": torch_forms.LEGACY}[name]
    torch.manual_seed(0)
    module, draws, open_axes = make()
    with torch.no_grad():
        return torch_forms.save(form, module.eval(), draws[0], open_axes, path,
                                int(operator_set) if operator_set else None)


def export(make, folder, names):
    """Writes the files that are not there yet; why one cannot be written is kept beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        path, failure = folder / name, folder / (name + ".failure")
        if path.exists() or failure.exists():
            continue
        try:
            options = within(SECONDS_PER_EXPORT, write_form, make, path)
            path.with_name(name + ".options").write_text(json.dumps(options))
        except Exception as error:  # exporters raise what they like
            path.unlink(missing_ok=True)
            failure.write_text("".join(traceback.format_exception_only(error))[:2000])


def options_of(path, side):
    kept = path.with_name(path.name + ".options")
    options = json.loads(kept.read_text()) if kept.exists() else []
    return [option + side if option == "--shape" else option for option in options]


def shared_sizes(path, side):
    """Options for sizes that an export leaves apart and another states as one: those of the same
    axis of several inputs, where batches and lengths are open."""
    if not path.parents[1].name.endswith(OPEN) or path.name == TRACED:
        return []
    done = subprocess.run([DRAGOMAN, "inspect", str(path), "--json"], capture_output=True,
                          text=True)
    symbols, options = {}, []
    for value in json.loads(done.stdout)["entries"][0]["inputs"]:
        for axis, size in enumerate(re.findall(r"[\[ ](\w+)", value["type"])):
            first = symbols.setdefault(axis, size)
            if size != first and not size.isdigit() and not first.isdigit():
                options += ["--dim" + side, f"{size}={first}"]
    return options


def diff(a, b, rtol, original=None):
    """The exit code of `dragoman diff`, and its first line. `b` may be an edit of `original`."""
    command = [DRAGOMAN, "diff", str(a), str(b)]
    command += options_of(a, "-a") + options_of(original or b, "-b")
    if a.suffix == b.suffix:
        command.append("--exports")
    command += shared_sizes(a, "-a") + shared_sizes(b, "-b")
    command += ["--rtol", rtol] if rtol else []
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_PER_DIFF)
    except subprocess.TimeoutExpired:
        return None, f"takes more than {SECONDS_PER_DIFF} s"
    return done.returncode, (done.stdout or done.stderr).split("\n")[0]


class Pair:
    """The verdicts on two files of a model, and whether edits of the second were found."""

    def __init__(self, folder, kind, rtol, with_edits):
        self.a, self.b = (folder / name for name in kind)
        self.exists = self.a.exists() and self.b.exists()
        if not self.exists:
            return
        code, self.said = diff(self.a, self.b, None)
        self.is_equal = self.is_close = code == 0
        if not self.is_equal:
            code, self.said = diff(self.a, self.b, rtol)
            self.is_close = code == 0
        self.edits = {}
        if self.is_close and with_edits and self.b.suffix == ".onnx":
            self.edits = {edit: found for edit in EDITS
                          if (found := self.finds(edit, rtol)) is not None}

    def finds(self, edit, rtol):
        """Whether the edit is found, and what it is; None: there is none that has an effect."""
        changed = self.b.with_name(f"edited-{self.a.stem}-{edit}-{self.b.name}")
        what = edited(self.b, edit, changed)
        if what is None:
            return None
        code, _ = diff(self.a, changed, rtol, self.b)
        is_found = code not in (0, None)
        is_edit = is_found or has_effect(self.b, changed)
        changed.unlink()
        return (is_found, what) if is_edit else None


def count(kind, pairs):
    """Prints what is not equal, and edits that were missed; a row of the table, and those."""
    counts, missed = collections.Counter(), 0
    for name, pair in pairs.items():
        if not pair.exists:
            continue
        counts["pairs"] += 1
        counts["equal"] += pair.is_equal
        counts["close"] += pair.is_close
        counts["assumed"] += pair.is_close and " for " in pair.said
        if not pair.is_close:
            print(f"{'/'.join(kind)}: {name}: {pair.said}")
        for edit, (is_found, what) in pair.edits.items():
            counts["edits"] += 1
            if not is_found:
                missed += 1
                print(f"{'/'.join(kind)}: {name}: MISSED {edit}: {what}")
    row = [*kind, *(counts[key] for key in ("pairs", "equal", "close", "assumed")),
           f"{counts['edits'] - missed} of {counts['edits']}"]
    return row, missed


def main():
    arguments = command_line()
    kinds = [kind for kind in KINDS if fits("/".join(kind), arguments.kinds)]
    names = list(dict.fromkeys(name for kind in kinds for name in kind))
    from producers import torch_models
    makers = {name: make
              for name, make in torch_models.programs(
                  (2, 1, 3) if arguments.open else (2,), attention=arguments.attention).items()
              if fits(name, arguments.models)}
    root = arguments.cache / (arguments.attention + (OPEN if arguments.open else ""))
    for i, (name, make) in enumerate(makers.items()):
        print(f"\r{i + 1}/{len(makers)} {name:50}", end="", file=sys.stderr, flush=True)
        export(make, root / name, names)
    print(file=sys.stderr)
    if arguments.export_only:
        return 0
    rows, missed = [], 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for kind in kinds:
            pairs = pool.map(lambda name: Pair(root / name, kind, arguments.rtol, arguments.edits),
                             makers)
            row, missed_here = count(kind, dict(zip(makers, pairs)))
            rows.append(row)
            missed += missed_here
    print("| first | second | pairs | equal | with --rtol | of them assumed | edits found |")
    print("| --- " * 7 + "|")
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
