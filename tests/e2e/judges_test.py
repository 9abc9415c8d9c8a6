#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whatever judges outputs or constants catches each wrong one that is planted: verify, and diff
with and without --rtol; and lets pass what is right."""

import base64
import json
import pathlib
import tempfile
import unittest

import numpy as np

from commands import dragoman
from planted_outputs import BITS, NUMPY, TOO_FAR, all_planted

RTOL = "1e-4"


def type_text(kind, shape):
    return f"{kind}[{', '.join(map(str, shape))}]"


def literal(array):
    """The elements in graph text."""
    if array.dtype.kind == "U":
        def nested(part):
            return json.dumps(part, ensure_ascii=False) if isinstance(part, str) \
                else "[" + ", ".join(map(nested, part)) + "]"
        return nested(array.tolist())
    return 'base64 "' + base64.b64encode(array.tobytes()).decode() + '"'


def constant_text(kind, array, place):
    """A source model that holds the array as a constant, an attribute, a default, or unused."""
    shape = type_text(kind, array.shape)
    tensor = f"const %c: {shape} = {literal(array)}"
    bodies = {
        "operand": f"() -> (%y) {{ {tensor} %y = onnx.Identity(%c) }}",
        "attribute": f"() -> (%y) {{ %y = onnx.Constant() {{value = {shape} {literal(array)}}} }}",
        "default": f"(%c: {shape} = {literal(array)}) -> (%y) {{ %y = onnx.Identity(%c) }}",
        "unused": f"(%x: f32[1]) -> (%y) {{ {tensor} %y = onnx.Identity(%x) }}",
    }
    return f'dragoman 1 source onnx\nopset "" 17\nentry main{bodies[place]}\n'


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.out / name
        path.write_text(text, encoding="utf-8")
        return path

class VerifyTest(Folder):
    def verify(self, kind, found, expected, *options):
        """The exit code for a model that gives `found`."""
        shape = type_text(kind, ["?"] * found.ndim)
        model = self.file("m.dgt", f"graph g(%x: {shape}) -> (%y) {{ %y = onnx.Identity(%x) }}")
        np.savez(self.out / "inputs.npz", x=found)
        np.savez(self.out / "outputs.npz", y=expected)
        done = dragoman("verify", model, "--data", self.out, *options)
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        self.assertNotEqual(done.stdout + done.stderr, "")
        return done.returncode

    def test_catches_every_wrong_output(self):
        for planted in all_planted():
            with self.subTest(planted.name):
                caught = self.verify(planted.wrong_type, planted.wrong, planted.right)
                turned = self.verify(planted.right_type, planted.right, planted.wrong)
                if planted.same_form():
                    self.assertEqual((caught, turned), (1, 1))
                else:
                    self.assertTrue(caught and turned)

    def test_catches_them_without_tolerance(self):
        for planted in all_planted():
            if not planted.same_form():
                continue
            with self.subTest(planted.name):
                self.assertEqual(1, self.verify(planted.wrong_type, planted.wrong, planted.right,
                                                "--rtol", "0", "--atol", "0"))

    def test_lets_pass_what_is_right(self):
        for planted in all_planted():
            with self.subTest(planted.name):
                self.assertEqual(0, self.verify(planted.right_type, planted.right, planted.right,
                                                "--rtol", "0", "--atol", "0"))

    def test_lets_pass_what_is_close(self):
        for kind, far in TOO_FAR.items():
            with self.subTest(kind):
                right = np.array([1, 0, np.nan, np.inf], NUMPY[kind])
                near = right + np.array([far / 6, far / 6, 0, 0], NUMPY[kind])
                self.assertEqual(0, self.verify(kind, near, right))
                self.assertEqual(1, self.verify(kind, near, right, "--rtol", "0", "--atol", "0"))
        self.assertEqual(0, self.verify("i64", np.array([(1 << 62) + 1]), np.array([1 << 62]),
                                        "--atol", "1"))

    def test_no_tolerance_reaches_infinity(self):
        for limits in (["--rtol", "1e300"], ["--atol", "1e308", "--rtol", "1e308"]):
            found, expected = np.array([3e38], np.float32), np.array([np.inf], np.float32)
            self.assertEqual(1, self.verify("f32", found, expected, *limits))
            self.assertEqual(1, self.verify("f32", expected, found, *limits))
            self.assertEqual(1, self.verify("f32", -expected, expected, *limits))

    def test_messages_tell_neighbours_apart(self):
        np.savez(self.out / "inputs.npz", x=np.array([1 << 62]))
        np.savez(self.out / "outputs.npz", y=np.array([(1 << 62) + 1]))
        model = self.file("m.dgt", "graph g(%x: i64[1]) -> (%y) { %y = onnx.Identity(%x) }")
        done = dragoman("verify", model, "--data", self.out)
        self.assertIn("1 of 1 elements differ, largest difference 1 at [0] (4611686018427387904, "
                      "expected 4611686018427387905)", done.stdout)

    def test_tolerances_are_numbers(self):
        for number in ("-1", "nan", "inf"):
            self.assertEqual(2, self.verify("f32", np.ones(1, np.float32), np.ones(1, np.float32),
                                            f"--rtol={number}"))


class DiffTest(Folder):
    def diff(self, place, a, b, *options):
        (kind_a, array_a), (kind_b, array_b) = a, b
        done = dragoman("diff", self.file("a.dgt", constant_text(kind_a, array_a, place)),
                        self.file("b.dgt", constant_text(kind_b, array_b, place)), *options)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done

    def test_catches_every_wrong_constant_with_one_edit(self):
        for planted in all_planted():
            right, wrong = (planted.right_type, planted.right), (planted.wrong_type, planted.wrong)
            for place in ("operand", "attribute", "default", "unused"):
                with self.subTest(planted.name, place=place):
                    for a, b in ((right, wrong), (wrong, right)):
                        done = self.diff(place, a, b, "--rtol", RTOL if planted.right_type != "f64"
                                         and planted.right_type != "c128" else "1e-7")
                        self.assertEqual(done.returncode, 1)
                        if planted.same_form():
                            self.assertIn("\n1 edit: ", done.stdout)

    def test_catches_them_without_tolerance(self):
        for planted in all_planted():
            with self.subTest(planted.name):
                self.assertEqual(1, self.diff("operand", (planted.right_type, planted.right),
                                              (planted.wrong_type, planted.wrong)).returncode)

    def test_lets_pass_what_is_equal_or_close(self):
        for kind in (*TOO_FAR, "bf16", "i64", "str"):
            right = np.array([1, 2, 3]).astype(NUMPY[kind])
            near = right
            if kind in TOO_FAR:
                right = np.array([1, 1000, np.nan, np.inf], NUMPY[kind])
                near = right.copy()
                near[:2] *= NUMPY[kind](1 + 3 * TOO_FAR[kind])
            elif kind in BITS:
                near = right + NUMPY[kind](1)  # of subnormal numbers
            for place in ("operand", "attribute", "default", "unused"):
                with self.subTest(kind, place=place):
                    for a, b in ((right, near), (near, right)):
                        done = self.diff(place, (kind, a), (kind, b), "--rtol", "0.5")
                        self.assertEqual(done.returncode, 0, done.stdout)

    def test_tolerances_are_numbers(self):
        one = ("f32", np.ones(1, np.float32))
        for number in ("-1", "nan", "inf"):
            done = dragoman("diff", self.file("a.dgt", constant_text(*one, "operand")),
                            self.out / "a.dgt", f"--rtol={number}")
            self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main()
