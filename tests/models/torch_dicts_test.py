#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripted programs with dicts whose keys only run time knows: what torch gives for them, by the
interpreter, as ONNX and by the generated program. Skipped where torch is not installed."""

import json
import unittest

import numpy as np

from scripted_case import ScriptedCase, torch

HELPERS = """
def put(d: Dict[int, float], k: int, v: float):
    d[k] = v
def total(d: Dict[int, float]) -> float:
    t = 0.0
    for k in d:
        t += d[k] * k
    return t
"""
COUNTER = """        d: Dict[int, int] = {}
        for i in range(n):
            k = int(x[i])
            d[k] = d.get(k, 0) + 1
        return d, len(d)
"""
UPDATE = """        a: Dict[int, float] = {}
        b: Dict[int, float] = {}
        for i in range(n):
            a[int(x[i])] = float(i)
            b[i * i] = float(x[i])
        c = {9: 2.0, 7: 1.0}
        c.update(b)
        e: Dict[int, float] = {}
        e.update(a)
        a.update(b)
        b.update({4: 0.5, 16: 0.25})
        return torch.tensor(list(a.keys())), a, b, torch.tensor(list(c.keys())), c, e
"""
COMPREHENSION = """        keys: List[int] = x.tolist()
        d = {k: float(k) * 0.5 for k in keys}
        return torch.tensor(list(d.keys())), torch.tensor(list(d.values())), {k: k > n for k in keys}
"""
TWO_DICTS = """        a: Dict[int, int] = {}
        b: Dict[int, float] = {0: 1.0}
        for i in range(n):
            a[int(x[i])] = i
            b[i * i] = float(x[i])
        t = 0.0
        for k in a:
            if k in b:
                t += b[k] * k
        for k, v in b.items():
            t = t * 2.0 + v * k
        return a, b, t, len(b.items())
"""
FUNCTIONS = """        d: Dict[int, float] = {2: 1.0, 4: 3.0}
        put(d, int(x[0]), 0.25)
        put(d, n, 0.5)
        return total(d), d
"""
ITEMS = """        d: Dict[int, float] = {3: 1.0}
        for i in range(n):
            d[int(x[i])] = float(i)
        pairs = list(d.items())
        a, b = pairs[0]
        c, e = pairs[-1]
        t = 0.0
        for i, (key, v) in enumerate(d.items()):
            t += i * v + key
        for key, v in zip(d.keys(), d.values()):
            t = t * 3 + key * v
        return a, b, c, e, len(pairs), t, sorted(d.keys())[0], sum(d.keys()), max(d.keys())
"""
DELETION = """        d: Dict[int, float] = {2: 1.0, 4: 3.0, 9: 5.0}
        d[n] = 7.0
        del d[int(x[0])]
        p = d.pop(n, -1.0)
        q = d.pop(1000, -2.0)
        key, value = d.popitem()
        return d, p, q, key, value
"""
DEFAULTS = """        k, j = int(x[0]), int(x[1])
        d: Dict[int, float] = {2: 1.0}
        a = d.setdefault(k, 9.0)
        d.update({3: 5.0, 4: 6.0})
        e = d.copy()
        e[j] = 2.0
        f: Dict[int, float] = {1: 1.0}
        f[k] = 2.0
        f.clear()
        f[j] = 3.0
        g: Dict[int, float] = {}
        h = g.setdefault(k, 4.0) + g.setdefault(k, 5.0) + g.setdefault(3, 6.0)
        found = e.get(n)
        b = -1.0
        if found is not None:
            b = found * 2.0
        return d, e, {k: 1.0, j: 2.0, 3: 3.0}, f, g, h, a, b
"""
BRANCH = """        d: Dict[int, float] = {2: 1.0}
        if bool(x.sum() > 9):
            d[5] = 4.0
            d[n] = 8.0
        else:
            d[3] = 2.0
        return d, 5 in d, n in d
"""
FILL_AND_READ = """        d: Dict[int, float] = {}
        i = 0
        while i < n:
            d[i * 7 % 5] = float(x[i])
            i += 1
        t = 0.0
        j = 0
        while j < 5:
            t = t + d.get(j, 0.5) * j
            if j in d:
                d.pop(j)
            j += 1
        return t, len(d)
"""
# Dicts that start empty, and have one key in each iteration.
SWAPPED = """        d: Dict[int, float] = {}
        e: Dict[int, float] = {}
        f: Dict[int, float] = {}
        t = 0.0
        for i in range(n):
            for k in f:
                t += k
            f.clear()
            f[3] = t + 1.0
            d = e.copy()
            e[int(x[i])] = float(i)
        return d, e, t, len(d), len(f), d.get(1, 5.0)
"""
# So many iterations until a key is in each of them that inference gives up what t is.
CHAIN = """        d: Dict[int, float] = {}
        e: Dict[int, float] = {}
        f: Dict[int, float] = {}
        g: Dict[int, float] = {}
        h: Dict[int, float] = {}
        t = 0.5
        for i in range(n):
            h = g.copy()
            g = f.copy()
            f = e.copy()
            e = d.copy()
            d[int(x[i])] = t
            t += 1.0
        d[n] = t
        return d, e, f, g, len(h)
"""
TENSORS = """        y = x.view(-1, 2)
        d: Dict[int, Tensor] = {0: y[0]}
        for i in range(n):
            d[i % 2 * n] = y[i] * 2
        z = torch.zeros(2)
        for key, v in d.items():
            z = z + v * key
        return z, torch.stack(list(d.values()))
"""
OTHER_KEYS = """        f, b = float(x[0]) / 2, bool(x[1] > 1)
        d: Dict[float, int] = {0.5: 1, 1.0: 2}
        d[f] = 7
        e: Dict[bool, float] = {True: 1.0}
        e[b] = 3.0
        return len(d), d[0.5], len(e), e[True], e.get(False, 0.0)
"""
WORDS = """        d: Dict[str, int] = {"a": 0}
        for w in s.split(" "):
            d[w] = d.get(w, 0) + 1
        text = ""
        for w in d.keys():
            text = text + w + ";"
        return d, d["a"], text
"""
# What a dict holds that a module keeps between calls.
KEPT = """        self.counts[k] = self.counts.get(k, 0) + 1
        self.names[str(k)] = float(k)
        self.rows[k] = self.rows[1] + k
        found = self.last.get(7, 9.0)
        self.last.clear()
        self.last[k] = float(k)
        return (self.counts[k], len(self.counts), self.counts.get(7, -1), self.names.get("7", -1.0),
                len(self.names), self.rows[1], found)
"""
LISTS = ([3, 1, 4, 9, 3, 1], [5, 2, 1, 0], [2, 4, 0, 1])
PROGRAMS = {
    "counter": (COUNTER, 4), "update": (UPDATE, 3), "comprehension": (COMPREHENSION, 3),
    "two dicts": (TWO_DICTS, 3), "functions": (FUNCTIONS, 5), "items": (ITEMS, 3),
    "defaults": (DEFAULTS, 5), "branch": (BRANCH, 5), "fill and read": (FILL_AND_READ, 4),
    "swapped": (SWAPPED, 4), "chain": (CHAIN, 4), "none": (SWAPPED, 0),
    "tensors": (TENSORS, 2), "other keys": (OTHER_KEYS, 0),
}
# What follows `d[k] = …` of a dict, and why it is refused.
REFUSED = (
    ("Dict[int, List[int]]", "[k]", "return len(d)",
     "a dict whose keys are known only at run time, with a list"),
    ("Dict[int, Tensor]", "x[k:]", "d[1] = x\n        return d[1]",
     "of tensors that differ in size or type, or may do so"),
    ("Dict[int, Tensor]", "x", "return d", "known only at run time, from i64 to tensors, which has no form as a map"),
    ("Dict[int, int]", "k", "e = {1.5: k}\n        e[float(k)] = 1\n        return e",
     "known only at run time, from f64 to i64, which has no form as a map"),
    ("Dict[int, Tensor]", "x", "x.add_(1)\n        return d[k]",
     "a write to an item of a list or dict whose length is known only at run time"),
)


def flat(value):
    """Leaves as JSON has them."""
    if isinstance(value, tuple):
        return [leaf for item in value for leaf in flat(item)]
    if isinstance(value, dict):
        return [{str(key): item for key, item in sorted(value.items())}]
    return [value.tolist() if isinstance(value, torch.Tensor) else value]


class TorchDicts(ScriptedCase):
    def results(self, model, arguments, *options):
        """The outputs of a run, and of maps the text of the file."""
        inputs = []
        for i, argument in enumerate(arguments):
            np.save(self.out / f"{i}.npy", np.asarray(argument))
            inputs += ["--input", f"{i}={self.out}/{i}.npy"]
        self.done("run", model, "-q", *inputs, "--output-dir", self.out / "results", *options)
        index = json.loads((self.out / "results/index.json").read_text())
        files = [self.out / "results" / entry["file"] for entry in index["outputs"]]
        return [json.loads(file.read_text()) if file.suffix == ".json" else np.load(file).tolist()
                for file in files]

    def agrees(self, module, arguments, model, *options):
        found = self.results(model, arguments, *options)
        wanted = flat(module(*arguments))
        self.assertEqual(found, wanted)
        self.assertEqual(*[[list(leaf) for leaf in leaves if isinstance(leaf, dict)]
                           for leaves in (found, wanted)])

    def test_programs(self):
        onnx = self.out / "m.onnx"
        for name, (body, n) in PROGRAMS.items():
            module = self.script("x, n: int", body, functions=HELPERS)
            self.done("convert", self.out / "m.pt", "-o", onnx, "--shape", "x=i64:t")
            for numbers in LISTS:
                with self.subTest(name, x=numbers):
                    self.agrees(module, (torch.tensor(numbers), n), self.out / "m.pt")
                    self.agrees(module, (torch.tensor(numbers), n), onnx)

    def test_deletion(self):
        module = self.script("x, n: int", DELETION)
        for first, n in ((4, 2), (4, 3), (9, 9), (2, 5)):
            self.agrees(module, (torch.tensor([first]), n), self.out / "m.pt")
        self.fails_alike(module, (torch.tensor([5]), 1), "the dict has no such key")

    def test_strings(self):
        module = self.script("s: str", WORDS)
        for text in ("a b a", "", "x  y x z"):
            self.agrees(module, (text,), self.out / "m.pt")

    def test_a_key_that_is_missing(self):
        body = "        d: Dict[int, float] = {2: 1.0}\n        d[k] = 7.0\n        return d[j]\n"
        module = self.script("k: int, j: int", body)
        for j in (2, 3):
            self.agrees(module, (3, j), self.out / "m.pt")
        self.fails_alike(module, (3, 5), "the dict has no such key")

    def test_the_first_item_of_a_dict_of_known_keys(self):
        module = self.script("", "        d = {3: 1.0, 1: 2.0, 2: 5.0}\n        key, value = d.popitem()\n"
                             "        return key, value, list(d.keys()), {1: 2, 3: 4, 1: 5}[1]\n")
        self.assertEqual(self.results(self.out / "m.pt", ()), [3, 1.0, 1, 2, 5])
        self.assertEqual(module(), (3, 1.0, [1, 2], 5))

    def test_a_dict_that_is_kept_between_calls(self):
        module = self.script("k: int", KEPT, counts={5: 2}, names={"a": 1.0}, rows={1: torch.ones(2)},
                             last={2: 0.5})
        calls = [5, 7, 7, 1]
        found = self.results(self.out / "m.pt", (calls,), "--steps", "4")
        wanted = [flat(module(k)) for k in calls]
        self.assertEqual([list(leaves) for leaves in zip(*found)], wanted)

    def test_a_generated_program(self):
        module = self.script("x, n: int", TWO_DICTS)
        for numbers in LISTS:
            self.agrees(module, (torch.tensor(numbers), 3), self.out / "m.pt", "--engine", "native",
                        "--shape", "x=i64:t")

    def test_what_is_refused(self):
        for kind, value, rest, problem in REFUSED:
            self.script("x, k: int", f"        d: {kind} = {{}}\n        d[k] = {value}\n        {rest}\n")
            error = self.fails(4, "convert", self.out / "m.pt", "-o", self.out / "m.onnx",
                               "--shape", "x=f32:4,3")
            self.assertIn(problem, error)


if __name__ == "__main__":
    unittest.main()
