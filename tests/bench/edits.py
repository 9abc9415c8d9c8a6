#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how short the edit lists of `dragoman diff` are: pairs of models with known edits.

Usage: edits.py [--rounds N] [--seed N] [--verbose] [MODEL.onnx ...]

For each model and number of edits, draws pairs: a copy with edits, its nodes reordered, and its
names kept, blank, fresh or permuted. The number of edits made bounds the shortest list. Prints, for
each way of naming and number of edits, the mean ratio of the list's length to that bound, the share
of lists above 1.5 times the bound, and the pairs of nodes of two operators where none was replaced.
Needs $DRAGOMAN_BINARY and python3-onnx.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import tempfile

import numpy
import onnx
from onnx import helper, numpy_helper

DRAGOMAN = os.environ.get("DRAGOMAN_BINARY", "build/release/dragoman")
MODELS = sorted((pathlib.Path(__file__).resolve().parent.parent / "models").glob("*/model.onnx"))
UNARY = ["Sin", "Cos", "Atan", "Softsign", "Ceil", "Floor", "Asinh"]
NAMES = ["kept", "blank", "fresh", "permuted"]
COUNTS = [1, 2, 3, 5, 10]


class Copy:
    """A model's graph while it is edited: nodes by what they give and read."""

    def __init__(self, model, draw):
        self.model = onnx.ModelProto()
        self.model.CopyFrom(model)
        del self.model.graph.value_info[:]
        self.graph = self.model.graph
        self.draw = draw
        self.fresh = 0
        self.touched = set()  # names of results around edits: the next edit is made elsewhere
        self.kept = {o.name for o in self.graph.output}

    def name(self):
        self.fresh += 1
        return f"edited_{self.fresh}"

    def nodes(self):
        return [n for n in self.graph.node if not self.touched.intersection(n.output)]

    def touch(self, node):
        self.touched.update(node.output)
        self.touched.update(i for i in node.input if i)

    def producers(self):
        return {o: n for n in self.graph.node for o in n.output}

    def read(self):
        return collections.Counter(i for n in self.graph.node for i in n.input)

    def readers(self, value):
        return [(n, i) for n in self.graph.node for i, x in enumerate(n.input) if x == value]

    def place(self, node, after):
        at = next(i for i, n in enumerate(self.graph.node) if n.output[:] == after.output[:])
        self.graph.node.insert(at + 1, node)

    def pick(self, nodes):
        nodes = list(nodes)
        return self.draw.choice(nodes) if nodes else None

    # Each edit returns its number of entries in the shortest list that this module knows, or 0.

    def insert(self):
        produced = self.producers()
        user = self.pick(n for n in self.nodes() if any(i in produced for i in n.input))
        if user is None:
            return 0
        slot = self.draw.choice([i for i, x in enumerate(user.input) if x in produced])
        before, after = user.input[slot], self.name()
        self.touch(user)
        user.input[slot] = after
        node = helper.make_node(self.draw.choice(UNARY), [before], [after], self.name())
        self.place(node, produced[before])
        self.touched.add(after)
        return 1

    def delete(self):
        produced = self.producers()
        read = self.read()
        node = self.pick(n for n in self.nodes() if len(n.output) == 1 and n.input and
                         n.output[0] not in self.kept and read[n.output[0]] and
                         sum(i in produced for i in n.input) == 1 and n.input[0] in produced)
        if node is None:
            return 0
        self.touch(node)
        for user, i in self.readers(node.output[0]):
            user.input[i] = node.input[0]
            self.touch(user)
        self.graph.node.remove(node)
        return 1

    def replace(self):
        node = self.pick(n for n in self.nodes() if len(n.input) == 1 and not n.attribute and
                         len(n.output) == 1 and n.op_type not in UNARY)
        if node is None:
            return 0
        self.touch(node)
        node.op_type = self.draw.choice(UNARY)
        return 1

    def rewire(self):
        order = {o: k for k, n in enumerate(self.graph.node) for o in n.output}
        user = self.pick(n for n in self.nodes() if any(i in order for i in n.input))
        if user is None:
            return 0
        slot = self.draw.choice([i for i, x in enumerate(user.input) if x in order])
        readable = [v for v, k in order.items()
                    if k < order[user.output[0]] and v != user.input[slot] and
                    v not in self.touched]
        # What the operand's producer alone gave would vanish with its last reader.
        if not readable or len(self.readers(user.input[slot])) < 2:
            return 0
        self.touch(user)
        user.input[slot] = self.draw.choice(readable)
        self.touched.add(user.input[slot])
        return 1

    def attribute(self):
        node = self.pick(n for n in self.nodes() if any(a.type in (1, 2) for a in n.attribute))
        if node is None:
            return 0
        self.touch(node)
        attribute = self.draw.choice([a for a in node.attribute if a.type in (1, 2)])
        if attribute.type == onnx.AttributeProto.INT:
            attribute.i += 1
        else:
            attribute.f = attribute.f * 2 + 1
        return 1

    def weight(self):
        read = self.read()
        tensor = self.pick(t for t in self.graph.initializer
                           if t.data_type == 1 and t.name not in self.touched and read[t.name] == 1)
        if tensor is None:
            return 0
        self.touched.add(tensor.name)
        array = numpy_helper.to_array(tensor).copy()
        if array.size == 0:
            return 0
        array.flat[self.draw.randrange(array.size)] += 1
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))
        return 1

    def duplicate(self):
        read = self.read()
        node = self.pick(n for n in self.nodes() if len(n.output) == 1 and read[n.output[0]] > 1)
        if node is None:
            return 0
        user, slot = self.draw.choice(self.readers(node.output[0]))
        twin = onnx.NodeProto()
        twin.CopyFrom(node)
        twin.output[0], twin.name = self.name(), self.name()
        user.input[slot] = twin.output[0]
        self.place(twin, node)
        self.touch(node)
        self.touch(user)
        self.touched.add(twin.output[0])
        return 2

    def all_weights(self):
        for tensor in self.graph.initializer:
            if tensor.data_type == 1:
                array = numpy_helper.to_array(tensor) * numpy.float32(1.01) + numpy.float32(0.01)
                tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))

    def reorder(self):
        """Another topological order."""
        produced = self.producers()
        waiting = {id(n): sum(i in produced for i in n.input) for n in self.graph.node}
        users = collections.defaultdict(list)
        for n in self.graph.node:
            for i in n.input:
                if i in produced:
                    users[id(produced[i])].append(n)
        ready = [n for n in self.graph.node if waiting[id(n)] == 0]
        order = []
        while ready:
            node = ready.pop(self.draw.randrange(len(ready)))
            order.append(node)
            for user in users[id(node)]:
                waiting[id(user)] -= 1
                if waiting[id(user)] == 0:
                    ready.append(user)
        copies = [onnx.NodeProto.FromString(n.SerializeToString()) for n in order]
        del self.graph.node[:]
        self.graph.node.extend(copies)

    def rename(self, how):
        if how == "kept":
            return
        values = [o for n in self.graph.node for o in n.output if o and o not in self.kept]
        values += [t.name for t in self.graph.initializer]
        if how == "permuted":
            others = values[:]
            self.draw.shuffle(others)
        else:
            others = [f"v{i}" for i in range(len(values))]
        new = dict(zip(values, others))
        names = [n.name for n in self.graph.node]
        self.draw.shuffle(names)
        for node, name in zip(self.graph.node, names):
            node.name = {"blank": "", "fresh": f"n_{name}", "permuted": name}[how]
            node.input[:] = [new.get(i, i) for i in node.input]
            node.output[:] = [new.get(o, o) for o in node.output]
        for tensor in self.graph.initializer:
            tensor.name = new[tensor.name]


EDITS = [Copy.insert, Copy.delete, Copy.replace, Copy.rewire, Copy.attribute, Copy.weight,
         Copy.duplicate]


def draw_pair(model, count, names, weights, draw):
    """A copy with `count` edits, and the length of a list that names them."""
    copy = Copy(model, draw)
    made, kinds = 0, []
    for _ in range(count):
        for edit in draw.sample(EDITS, len(EDITS)):
            if weights and edit in (Copy.weight, Copy.duplicate):
                continue
            cost = edit(copy)
            if cost:
                made += cost
                kinds.append(edit.__name__)
                break
    if weights:
        copy.all_weights()
    copy.reorder()
    copy.rename(names)
    return copy.model, made, kinds


def compare(a, b):
    answer = subprocess.run([DRAGOMAN, "diff", a, b, "--json", "--level", "source"],
                            capture_output=True, text=True, check=False)
    if answer.returncode not in (0, 1):
        raise SystemExit(answer.stderr)
    return json.loads(answer.stdout)


def without_subgraphs(path):
    model = onnx.load(path)
    # Initializers that are listed among the inputs, as before IR version 4, are weights only.
    weights = {t.name for t in model.graph.initializer}
    inputs = [i for i in model.graph.input if i.name not in weights]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.ir_version = max(model.ir_version, 4)
    nested = any(a.type in (5, 10) for n in model.graph.node for a in n.attribute)
    return None if nested or len(model.graph.node) < 8 else model


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="*", type=pathlib.Path, default=MODELS)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    table = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        a, b = pathlib.Path(folder) / "a.onnx", pathlib.Path(folder) / "b.onnx"
        for path in options.models:
            model = without_subgraphs(path)
            if model is None:
                continue
            plain = onnx.ModelProto()
            plain.CopyFrom(model)
            del plain.graph.value_info[:]
            onnx.save(plain, a)
            for turn in range(options.rounds):
                for weights in (False, True):
                    for count in COUNTS:
                        seed = f"{options.seed} {path.name} {turn} {weights} {count}"
                        draw = random.Random(seed)
                        names = NAMES[(turn + count) % len(NAMES)]
                        edited, made, kinds = draw_pair(model, count, names, weights, draw)
                        onnx.save(edited, b)
                        counts = compare(a, b)["counts"] if made else {}
                        length = sum(n for kind, n in counts.items()
                                     if not (weights and kind == "changed constant"))
                        wrong = max(0, counts.get("changed op", 0) - kinds.count("replace"))
                        if made:
                            table[weights, names, count].append((length / made, wrong))
                        if options.verbose and made and length > made:
                            print(path, seed, names, f"{length} for {made}:", *kinds)
    print("| weights | names | edits | pairs | mean | above 1.5 | other operators paired |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for (weights, names, count), rows in sorted(table.items()):
        ratios = [r for r, _ in rows]
        print("|", "all changed" if weights else "kept", "|", names, "|", count, "|", len(rows), "|",
              f"{numpy.mean(ratios):.2f}", "|", f"{numpy.mean([r > 1.5 for r in ratios]):.0%}", "|",
              sum(w for _, w in rows), "|")
    ratios = [r for rows in table.values() for r, _ in rows]
    print(f"all: {len(ratios)} pairs, mean {numpy.mean(ratios):.3f}, above 1.5 times the bound: "
          f"{numpy.mean([r > 1.5 for r in ratios]):.1%}, other operators paired: "
          f"{sum(w for rows in table.values() for _, w in rows)}")


if __name__ == "__main__":
    main()
