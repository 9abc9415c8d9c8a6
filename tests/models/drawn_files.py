# SPDX-License-Identifier: Apache-2.0
"""Judges drawn recurrences by what `dragoman` makes of the files that they lie in.

What is expected must come from the interpreter without passes, from the common graph after all of
them, from the ONNX file that this becomes, in onnx_eval.py, and, of the first N files, from the
generated program. With $DRAGOMAN_ONNXRUNTIME, a folder with node_modules in which onnxruntime-node
is, ONNX Runtime runs that file, too.
"""

import argparse
import dataclasses
import os
import pathlib
import tempfile

import onnx

import onnx_eval
from checked_model import CheckedModel
from onnxruntime_peer import OnnxRuntime
from random_seeds import first_seed, parse_seed
from recurrent_spellings_test import SEQUENCE, is_sequence
from run_outputs import array_differences

PER_FILE = 20  # cases share files, for a call takes longer than a case
TOLERANCE = 1e-4
LEFT = {"Sigmoid", "HardSigmoid", "Tanh", "Softsign", "Relu", "Loop", "Scan", "If"}


@dataclasses.dataclass
class DrawnCase:
    """A case in a file: its place among the outputs, and what there is to count."""

    description: str
    outputs: range
    layers: int = 0  # how many operators it must become; 0: any number


@dataclasses.dataclass
class DrawnFile:
    """What a file that was written has to give; its seeds have a case each."""

    model: pathlib.Path
    feeds: dict      # inputs by name
    wanted: dict     # outputs by name, in order
    cases: dict      # seed -> DrawnCase
    facts: list = dataclasses.field(default_factory=list)  # options that tell the inputs' types


class Judgement(CheckedModel):
    def __init__(self, file, folder, runtime):
        super().__init__(folder, file.model, file.feeds)
        self.file, self.runtime = file, runtime
        self.operators = {}  # seed -> operators after its outputs

    def compare(self, what, found):
        for line in array_differences(list(found.values()), self.file.wanted, TOLERANCE, TOLERANCE):
            self.complain(what, line)

    def run(self, model, *options):
        found = self.outputs(model, *options)
        if found is not None:
            self.compare(f"run {model.name} {' '.join(options)}", found)

    def check(self, native):
        self.run(self.model)
        common, written = self.folder / "common.dgm", self.folder / "written.onnx"
        if self.done("convert", self.model, "--passes", "default", *self.file.facts, "--level",
                     "common", "-o", common):
            self.run(common)
            if self.done("convert", common, "--passes", "none", "-o", written):
                self.check_written(written)
        if native:
            self.run(self.model, "--engine", "native")

    def check_written(self, path):
        model = onnx.load(path)
        names = [info.name for info in model.graph.input]
        feeds = dict(zip(names, self.feeds.values()))
        self.compare("onnx_eval", onnx_eval.evaluate(model, feeds))
        outputs = [info.name for info in model.graph.output]
        for seed, case in self.file.cases.items():
            self.operators[seed] = operators_behind(model.graph, [outputs[i] for i in case.outputs])
        if self.runtime:
            found, refusal = self.runtime.run(path, feeds, self.folder / "runtime")
            if self.complain("ONNX Runtime", refusal):
                self.compare("ONNX Runtime", found)

    def missed(self):
        """A line of each case that did not become the operators that it must."""
        lines = {}
        for seed, case in self.file.cases.items():
            types = self.operators.get(seed, [])
            found = sum(op in SEQUENCE for op in types)
            left = sorted(LEFT & set(types))
            if case.layers and (found != case.layers or left):
                lines[seed] = (f"--seed {seed} --rounds 1: {found} operators, left: "
                               f"{' '.join(left) or 'nothing'}: {case.description}")
        return lines


def names_in(graph):
    """All names that a body reads, its own among them."""
    for node in graph.node:
        yield from node.input
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from names_in(attribute.g)
    yield from (output.name for output in graph.output)


def operators_behind(graph, outputs):
    """The types of the nodes from which those outputs come."""
    makers = {name: node for node in graph.node for name in node.output}
    names, found = list(outputs), {}
    while names:
        node = makers.get(names.pop())
        if node is None or node.output[0] in found:
            continue
        found[node.output[0]] = "LSTM" if is_sequence(node.domain, node.op_type) else node.op_type
        names += node.input
        for attribute in node.attribute:
            if attribute.HasField("g"):
                names += names_in(attribute.g)
    return list(found.values())


class Campaign:
    """Draws, judges and counts."""

    def __init__(self, make, native, runtime):
        self.make, self.native, self.runtime = make, native, runtime
        self.wrong = self.counted = self.missed = 0

    def judge(self, seeds, native):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            judgement = Judgement(self.make(seeds, folder), folder, self.runtime)
            judgement.check(native)
        return judgement

    def run(self, seeds):
        native = self.native > 0
        self.native -= 1
        judgement = self.judge(seeds, native)
        if judgement.complaints:
            self.wrong += self.report(judgement, seeds, native)
            return
        self.counted += sum(case.layers > 0 for case in judgement.file.cases.values())
        for seed in judgement.missed():
            # A Scan may do steps of several cases.
            for line in self.judge([seed], native=False).missed().values():
                self.missed += 1
                print(f"not fused: {line}", flush=True)

    def report(self, judgement, seeds, native):
        """Prints what is wrong, case by case if it is wrong there, too; how many cases are wrong."""
        wrong = 0
        for seed in seeds if len(seeds) > 1 else ():
            alone = self.judge([seed], native)
            wrong += self.report(alone, [seed], native) if alone.complaints else 0
        if not wrong:
            what = judgement.file.cases[seeds[0]].description if len(seeds) == 1 else "together"
            lines = "\n  ".join(line[:1000] for line in judgement.complaints[:8])
            print(f"--seed {seeds[0]} --rounds {len(seeds)}: {what}\n  {lines}", flush=True)
        return max(wrong, 1)


def main(description, make, fused, per_file=PER_FILE):
    """The whole of a test: `make(seeds, folder)` writes a DrawnFile; of the cases that must become
    operators, a share of at least `fused` does. The exit code."""
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=parse_seed)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--native", type=int, default=1, help="of so many files the program, too")
    parser.add_argument("--alone", action="store_true", help="a file of its own for each case")
    args = parser.parse_args()
    first = first_seed(args.seed)
    place = os.environ.get("DRAGOMAN_ONNXRUNTIME")
    runtime = OnnxRuntime(place) if place else None
    campaign = Campaign(make, args.native, runtime)
    size = 1 if args.alone else per_file
    for start in range(first, first + args.rounds, size):
        campaign.run(range(start, min(start + size, first + args.rounds)))
    if runtime:
        runtime.close()
    counted, missed = campaign.counted, campaign.missed
    print(f"{args.rounds - campaign.wrong} of {args.rounds} recurrences are right; "
          f"{counted - missed} of {counted} regular ones are one operator a layer")
    return 1 if campaign.wrong or missed > (1 - fused) * counted else 0
