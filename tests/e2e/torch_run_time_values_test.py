#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripted programs whose strings and list indices only run time knows, against Python."""

import unittest

import numpy as np

from command_case import CommandCase
from run_outputs import read_outputs
from script_archive import write_expressions, write_script

WORDS = ("a word", " Beta\t", "ALMA", "42", "")
# Of a string s: the type of the result, what torch writes, what Python gives.
TEXTS = (
    ("str", "torch.upper(s)", str.upper),
    ("str", "torch.lower(s)", str.lower),
    ("str", "torch.strip(s)", str.strip),
    ("str", "torch.lstrip(s)", str.lstrip),
    ("str", 'torch.rstrip(s, "A.t")', lambda s: s.rstrip("A.t")),
    ("str", 'torch.add(torch.add("<", s), ">")', lambda s: f"<{s}>"),
    ("str", 'torch.replace(s, "a", ".\\\\")', lambda s: s.replace("a", ".\\")),
    ("str", "torch.slice(s, 1, -1)", lambda s: s[1:-1]),
    ("str", 'torch.slice(torch.add(s, "xyz"), -2)', lambda s: (s + "xyz")[-2:]),
    ("str", 'torch.add(s, "z")[0]', lambda s: (s + "z")[0]),
    ("str", 'torch.format("{}/{}", s, torch.len(s))', lambda s: f"{s}/{len(s)}"),
    ("str", 'torch.percentFormat("%s%%%d", s, torch.len(s))', lambda s: f"{s}%{len(s)}"),
    ("str", 'torch.join("-", [s, "b", s])', lambda s: "-".join([s, "b", s])),
    ("str", '["no", "yes"][torch.Int(torch.eq(s, "42"))]', lambda s: ["no", "yes"][s == "42"]),
    ("int", "torch.len(s)", len),
    ("int", 'torch.Int(torch.add("7", torch.str(torch.len(s))))', lambda s: int(f"7{len(s)}")),
    ("float", 'torch.Float(torch.add("-1.", torch.str(torch.len(s))))',
     lambda s: float(f"-1.{len(s)}")),
    ("bool", 'torch.startswith(s, "A")', lambda s: s.startswith("A")),
    ("bool", 'torch.endswith(s, ".")', lambda s: s.endswith(".")),
    ("int", 'torch.find(s, "t")', lambda s: s.find("t")),
    ("int", 'torch.rfind(s, "a")', lambda s: s.rfind("a")),
    ("bool", "torch.isdigit(s)", str.isdigit),
    ("bool", 'torch.__contains__(["42", "x"], s)', lambda s: s in ["42", "x"]),
    ("int", 'torch.len(torch.split(s))', lambda s: len(s.split())),
    ("str", 'torch.join("+", torch.split(s, "a"))', lambda s: "+".join(s.split("a"))),
    ("str", 'torch.split(torch.add(s, ",b,"), ",", 1)[-1]', lambda s: (s + ",b,").split(",", 1)[-1]),
    ("str", 'torch.join("", torch.slice(torch.split(s, "a"), 1))', lambda s: "".join(s.split("a")[1:])),
    ("bool", 'torch.__contains__(torch.split(s, " "), "42")', lambda s: "42" in s.split(" ")),
    ("int", 'torch.ord(torch.add(s, "z")[0])', lambda s: ord((s + "z")[0])),
    ("str", 'torch.chr(torch.add(torch.len(s), 65))', lambda s: chr(len(s) + 65)),
    ("int", 'torch.get({"42": 5, "ALMA": 6}, s, 7)', lambda s: {"42": 5, "ALMA": 6}.get(s, 7)),
)
COUNT = """  def forward(self: __torch__.M,
    x: Tensor) -> List[int]:
    counts = [0, 0, 0]
    for i in range(torch.len(x)):
      k = int(x[i])
      _0 = torch._set_item(counts, k, torch.add(counts[k], 1))
    return counts
"""
# How often each of two words stands in a text, and the letters after those of it.
LETTERS = """  def forward(self: __torch__.M,
    s: str) -> Tuple[int, int, str, List[int]]:
    counts = {"a": 0, "b": 0}
    codes = annotate(List[int], [])
    words = torch.split(s, " ")
    for i in range(torch.len(words)):
      word = words[i]
      if torch.__contains__(counts, word):
        _0 = torch._set_item(counts, word, torch.add(counts[word], 1))
      else:
        pass
    text = ""
    for k in range(torch.len(s)):
      code = torch.ord(s[k])
      _1 = torch.append(codes, code)
      text0 = torch.add(text, torch.chr(torch.add(code, 1)))
      text = text0
    return (counts["a"], counts["b"], text, codes)
"""
ADDED = """  def forward(self: __torch__.M,
    s: str) -> int:
    counts = {"a": 0}
    _0 = torch._set_item(counts, s, 1)
    return counts["a"]
"""
# A list that grows until a number below -1 comes, and the largest of its numbers.
GROWN = """  def forward(self: __torch__.M,
    x: Tensor) -> float:
    found = annotate(List[float], [])
    i = 0
    goes_on = True
    while goes_on:
      if torch.lt(float(torch.select(x, 0, i)), -1):
        goes_on_0 = False
      else:
        _0 = torch.append(found, float(torch.select(x, 0, i)))
        goes_on_0 = True
      i, goes_on = torch.add(i, 1), goes_on_0
    largest = -1000.
    for k in range(torch.len(found)):
      largest = ops.prim.max(largest, found[k])
    return largest
"""
# Which of the tensors is written to, or may have been, is known at run time only.
WRITES = """  def forward(self: __torch__.M,
    x: Tensor,
    k: int) -> Tensor:
    items = [torch.mul(x, 1), torch.mul(x, 2)]
    chosen = items[k]
    _0 = torch.add_({}, 10)
    return {}
"""
# A list whose length only run time knows holds the tensor that is written to.
ITEMS = """  def forward(self: __torch__.M,
    x: Tensor,
    n: int) -> List[Tensor]:
    items = annotate(List[Tensor], [])
    y = torch.mul(x, 1)
    for i in range(n):
      _0 = torch.append(items, y)
      _1 = torch.add_(y, 1)
    return items
"""
PARTS = """  def forward(self: __torch__.M,
    x: Tensor) -> Tensor:
    y = torch.mul(x, 1)
    parts = torch.split(y, 2)
    _0 = torch.add_(y, 1)
    return parts[0]
"""
# An argument that a loop carries, and may write to in its first iteration.
CARRIED = """  def forward(self: __torch__.M,
    x: Tensor,
    n: int) -> Tensor:
    y = torch.mul(x, 1)
    z = y
    for i in range(n):
      _0 = torch.add_(z, 1)
      z = torch.clone(z)
    return {}
"""
# Other axes, of a tensor and of one that shares its elements.
AXES = """  def forward(self: __torch__.M,
    x: Tensor) -> Tensor:
    y = torch.mul(x, 1)
    {}
    _0 = torch.t_(torch.unsqueeze_(y, 0))
    return torch.add(y, {})
"""
# Ways of a branch that have no common form, and what makes a tensor of either.
FORMS = """  def forward(self: __torch__.M,
    x: Tensor,
    n: int) -> Tensor:
    if torch.gt(n, 1):
      items = [[x, x], [x]]
    else:
      items = [[torch.neg(x)]]
    y = torch.mul(torch.stack(items[0]), torch.len(items))
    return torch.sum(y, [0])
"""


class RunTimeValues(CommandCase):
    def outputs(self, name, array, *options):
        np.save(self.out / "x.npy", array)
        self.done("run", self.out / "m.pt", "--input", f"{name}={self.out / 'x.npy'}",
                  "--output-dir", self.out / "y", "-q", *options)
        return [array.tolist() for array, _ in read_outputs(self.out / "y")]

    def test_texts(self):
        write_expressions(self.out / "m.pt", "s: str", [row[:2] for row in TEXTS])
        for word in WORDS:
            found = self.outputs("s", np.array(word))
            for (_, text, function), value in zip(TEXTS, found):
                self.assertEqual(value, function(word), (text, word))

    def test_words_and_letters(self):
        write_script(self.out / "m.pt", LETTERS)
        for text in ("a b a", "b", "", "ab  a"):
            words = text.split(" ")
            moved = "".join(chr(ord(letter) + 1) for letter in text)
            self.assertEqual(self.outputs("s", np.array(text)),
                             [words.count("a"), words.count("b"), moved, *map(ord, text)])
        np.save(self.out / "s.npy", np.array("ü"))
        error = self.fails(2, "run", self.out / "m.pt", "--input", f"s={self.out / 's.npy'}",
                           "--output-dir", self.out / "z")
        self.assertIn("ord of a string that is not one character of ASCII", error)

    def test_lists_that_grow_in_one_way_of_a_branch(self):
        write_script(self.out / "m.pt", GROWN)
        for numbers in ((1, 3, 2, -5, 9), (-5, 9)):
            self.assertEqual(self.outputs("x", np.array(numbers, np.float32)),
                             [3 if numbers[0] > 0 else -1000])

    def test_keys_of_run_time(self):
        write_script(self.out / "m.pt", ADDED)
        for key, wanted in (("a", 1), ("b", 0)):
            self.assertEqual(self.outputs("s", np.array(key)), [wanted])

    def test_an_item_of_a_list(self):
        write_script(self.out / "m.pt", COUNT)
        self.assertEqual(self.outputs("x", np.array([0, 2, -1, 1, 2])), [1, 1, 3])
        np.save(self.out / "x.npy", np.array([3, 0]))
        error = self.fails(2, "run", self.out / "m.pt", "--input", f"x={self.out / 'x.npy'}",
                           "--output-dir", self.out / "z")
        self.assertIn("an index is out of range", error)

    def test_writes_to_what_an_index_chose(self):
        for written, read in (("chosen", "items[0]"), ("items[0]", "chosen")):
            write_script(self.out / "m.pt", WRITES.format(written, read))
            error = self.fails(4, "convert", self.out / "m.pt", "-o", self.out / "m.onnx",
                               "--shape", "x=f32:3")
            self.assertIn("a write to another one may have changed", error)
        write_script(self.out / "m.pt", WRITES.format("items[0]", "torch.neg(items[1])"))
        np.save(self.out / "k.npy", np.array(1))
        self.assertEqual(self.outputs("x", np.array([1.0, 2.0], np.float32), "--input",
                                      f"k={self.out / 'k.npy'}"), [[-2, -4]])

    def test_writes_to_items_of_lists(self):
        for script in (ITEMS, PARTS):
            write_script(self.out / "m.pt", script)
            error = self.fails(4, "convert", self.out / "m.pt", "-o", self.out / "m.onnx",
                               "--shape", "x=f32:m")
            self.assertIn("a write to an item of a list or dict whose length is known", error)

    def test_writes_to_what_a_loop_carries(self):
        write_script(self.out / "m.pt", CARRIED.format("y"))
        error = self.fails(4, "convert", self.out / "m.pt", "-o", self.out / "m.onnx",
                           "--shape", "x=f32:3")
        self.assertIn("a write to another one may have changed", error)
        write_script(self.out / "m.pt", CARRIED.format("z"))
        np.save(self.out / "n.npy", np.array(3))
        self.assertEqual(self.outputs("x", np.array([1.0, 2.0], np.float32), "--input",
                                      f"n={self.out / 'n.npy'}"), [[4, 5]])

    def test_axes_in_place(self):
        write_script(self.out / "m.pt", AXES.format("pass", 0))
        self.assertEqual(self.outputs("x", np.array([1.0, 2.0], np.float32)), [[[1], [2]]])
        write_script(self.out / "m.pt", AXES.format("z = torch.view(y, [-1])", "z"))
        error = self.fails(4, "convert", self.out / "m.pt", "-o", self.out / "m.onnx",
                           "--shape", "x=f32:2")
        self.assertIn("shares its elements with another one", error)

    def test_branches_without_a_common_form(self):
        write_script(self.out / "m.pt", FORMS)
        for n, wanted in ((0, [-1, -2]), (2, [4, 8])):
            np.save(self.out / "n.npy", np.array(n))
            self.assertEqual(self.outputs("x", np.array([1.0, 2.0], np.float32), "--input",
                                          f"n={self.out / 'n.npy'}"), [wanted], n)


class RestoredObjects(CommandCase):
    """What __setstate__ must not do when a model is read."""

    def test_what_is_not_known_is_refused(self):
        for value, problem in (
                ("torch.randn([3])", "random numbers"),
                ("torch.ones([20000, 20000])", "more memory than is used for what is known"),
                ("torch.nonzero(torch.ones([3]))", "a result whose sizes depend on data"),
                ("torch.add_(torch.ones([2]), 1)", "aten::add_.Scalar, which writes to an argument"),
                ("torch.add(torch.ones([2]), 1)", None)):
            model = self.out / "model.pt"
            write_script(model, f"""  w : Tensor
  def __getstate__(self: __torch__.M) -> Tuple[()]:
    return ()
  def __setstate__(self: __torch__.M, state: Tuple[()]) -> NoneType:
    self.w = {value}
    return None
  def forward(self: __torch__.M) -> Tensor:
    return self.w
""")
            run = "run", model, "--output-dir", self.out / "y", "-q"
            if problem is None:
                self.done(*run)
                self.assertEqual(np.load(next((self.out / "y").glob("*.npy"))).tolist(), [2, 2])
            else:
                self.assertIn(problem, self.fails(4, *run))


if __name__ == "__main__":
    unittest.main()
