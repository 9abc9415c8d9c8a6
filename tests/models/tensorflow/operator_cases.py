# SPDX-License-Identifier: Apache-2.0
"""What makers of small graphs share: numbers to draw, and cases as tests/e2e/tf_cases_test.py runs
them.

The first argument of a maker is ../shared/tools/tf-oracle after `npm ci`, or a copy of it:
TensorFlow's kernels in JavaScript, and the builder of graphs; the second a part of the names of the
cases to make. Cases whose operator TensorFlow.js lacks have the result of a NumPy program, or of a
definition in plain Python, that the maker gives; where both are there, both must agree.
"""

import json
import pathlib
import re
import shutil
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import tfkit  # noqa: E402  pylint: disable=wrong-import-position
import tfrun  # noqa: E402  pylint: disable=wrong-import-position
from tfbuild import DTN, G, Lib, graphdef  # noqa: E402,F401  pylint: disable=wrong-import-position,unused-import

HERE = pathlib.Path(__file__).parent
DRAW = np.random.default_rng(18)
FLOAT = {"T": "dt:float"}


def seed(number):
    DRAW.bit_generator.state = np.random.default_rng(number).bit_generator.state


def f32(*sizes):
    return DRAW.normal(size=sizes).astype(np.float32)


def i32(*values):
    return np.array(values, np.int32)


def type_name(array):
    if array.dtype == object:
        return "string"
    number = tfkit.NP2DT[array.dtype]
    return next(name for name, value in DTN.items() if value == number)


def run_oracle(message, fetches, feeds):
    flat, tensors = tfkit.flatten(message, fetches)
    pruned = tfkit.prune(flat, tensors, extra=list(feeds))
    found = tfrun.run(pruned, list(dict.fromkeys(tensors)), [feeds])[0]
    return [found[tensor] for tensor in tensors]


def save(name, graph, feeds, fetches, reference=None, oracle=True, library=None, place="operators",
         asked=(), **told):
    """asked: fetches whose reference is what TensorFlow.js gives. told: what meta.json tells besides;
    "onnx": False if the release that tests use has no operator for this."""
    if len(sys.argv) > 2 and sys.argv[2] not in name:
        return
    message = graphdef(graph, library)
    results = run_oracle(message, fetches, feeds) if oracle else None
    if asked:
        answers = dict(zip(asked, run_oracle(message, list(asked), feeds)))
        reference = [answers.get(name, array) for name, array in zip(fetches, reference)]
    if reference is not None:
        reference = [np.asarray(array) for array in reference]
        for found, wanted in zip(results or [], reference):
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=name)
        results = reference
    folder = HERE / place / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "graph.pb").write_bytes(message.SerializeToString(deterministic=True))
    np.savez(folder / "inputs.npz", **feeds)
    np.savez(folder / "outputs.npz", **{f"o{i}": array for i, array in enumerate(results)})
    golden = [source for source, used in (("tfjs", oracle or asked),
                                          ("numpy", len(asked) < len(reference or ()))) if used]
    meta = {"inputs": list(feeds), "fetches": fetches, "golden": "+".join(golden), **told}
    (folder / "meta.json").write_text(json.dumps(meta) + "\n")


def case(name, op, operands, results=1, reference=None, oracle=True, **attributes):
    """operands: arrays; those in a tuple become constants."""
    graph, feeds, names = G(), {}, []
    for i, operand in enumerate(operands):
        if isinstance(operand, tuple):
            names.append(graph.const(operand[0], name=f"k{i}"))
        else:
            feeds[f"x{i}"] = operand
            names.append(graph.ph(f"x{i}", type_name(operand), operand.shape))
    graph.op(op, *names, name="y", **attributes)
    fetches = ["y"] + [f"y:{i}" for i in range(1, results)]
    save(name, graph, feeds, fetches, reference, oracle)


class Group:
    """Calls of several operators in one graph, which is one case: each result of each call is recorded.

    Results that a call does not tell are TensorFlow.js'.
    """

    def __init__(self, name):
        self.name, self.graph = name, G()
        self.feeds, self.fetches, self.wanted = {}, [], []
        self.asked = []  # fetches of TensorFlow.js

    def given(self, operand):
        """The tensor of an operand: an array, one in a tuple, which becomes a constant, or a name."""
        if isinstance(operand, str):
            return operand
        if isinstance(operand, tuple):
            return self.graph.const(operand[0])
        operand = np.asarray(operand)
        for name, array in self.feeds.items():
            if array.dtype == operand.dtype and array.shape == operand.shape and (array == operand).all():
                return name
        name = f"x{len(self.feeds)}"
        self.feeds[name] = operand
        return self.graph.ph(name, type_name(operand), operand.shape)

    def add(self, op, *operands, control=(), **attributes):
        """A node that is not recorded; T is the type of the first array, unless it is told."""
        arrays = [np.asarray(o[0] if isinstance(o, tuple) else o) for o in operands
                  if not isinstance(o, str)]
        if arrays and re.search(r"\bT:type", tfkit.OPS.get(op, ("", "", "T:type"))[2]):
            attributes = {"T": f"dt:{type_name(arrays[0])}", **attributes}
        return self.graph.op(op, *map(self.given, operands), ctl=control, **attributes)

    def fetch(self, tensor, wanted=None):
        self.fetches.append(tensor)
        self.wanted.append(wanted)
        if wanted is None:
            self.asked.append(tensor)

    def call(self, op, *operands, wanted=None, results=1, **more):
        """`wanted`: an array, or a list of one for each result."""
        node = self.add(op, *operands, **more)
        if wanted is None:
            wanted = [None] * results
        for i, array in enumerate(wanted if isinstance(wanted, list) else [wanted]):
            self.fetch(f"{node}:{i}" if i else node, array)
        return node

    def save(self, **told):
        if self.asked:
            told["asked"] = self.asked
        texts = {name: array.astype("S") if array.dtype == object else array
                 for name, array in self.feeds.items()}
        save(self.name, self.graph, texts, self.fetches, self.wanted, oracle=False, **told)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def words(*texts):
    return np.array([text.encode() for text in texts], object)


def text_case(name, op, operands, reference, results=1, **attributes):
    """Strings, which TensorFlow.js has no kernels for, and ONNX few."""
    graph, feeds, names = G(), {}, []
    for i, operand in enumerate(operands):
        if isinstance(operand, tuple):
            names.append(graph.const(operand[0], name=f"k{i}"))
        else:
            feeds[f"x{i}"] = operand.astype("S") if operand.dtype == object else operand
            names.append(graph.ph(f"x{i}", type_name(operand), operand.shape))
    graph.op(op, *names, name="y", **attributes)
    fetches = ["y"] + [f"y:{i}" for i in range(1, results)]
    save(name, graph, feeds, fetches, reference, oracle=False, onnx=False)
