#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators that Relax and Relay have no word for come back from the calls that compute them.

A module remarks which operator the calls are, with a digest of them. Reading takes the operator if
the digest is that of the calls; calls that were changed since are read as they stand.
"""
import re
import unittest

import numpy as np

from commands import dragoman
from relax_case import RelaxCase

# A Hardmax in the middle of a graph; nothing else in it takes more than one call.
HARDMAX = """\
entry main(%x: f32[2, 5]) -> (%y: f32[2, 5]) {
  %a: f32[2, 5] = onnx.Exp(%x)
  %h: f32[2, 5] = onnx.Hardmax(%a)
  %y: f32[2, 5] = onnx.Mul(%h, %x)
}
"""
X = np.array([[1, 4, 2, 0, 3], [5, 2, 8, 1, 0]], np.float32)


def hardmax(x, axis):
    return (np.arange(x.shape[axis]).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
            == x.argmax(axis, keepdims=True)).astype(np.float32)


class ComposedTest(RelaxCase):
    def convert(self, suffix, text=HARDMAX):
        source = self.out / "model.dgt"
        source.write_text(text)
        path = self.out / f"model{suffix}"
        done = dragoman("convert", source, "-o", path, "--passes", "none")
        self.assertEqual(done.returncode, 0, done.stderr)
        return source, path

    def operators(self, path):
        done = dragoman("convert", path, "-o", "-", "--to", "text", "--level", "common",
                        "--passes", "none")
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.findall(r"= ([a-z]+\.\w+)\(", done.stdout.split("origins {")[0])

    def test_the_operator_comes_back(self):
        for suffix in ".py", ".relay":
            source, path = self.convert(suffix)
            self.assertEqual(self.operators(path), ["onnx.Exp", "onnx.Hardmax", "onnx.Mul"])
            done = dragoman("diff", source, path, "--passes", "none")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.agrees(path, [hardmax(np.exp(X), 1) * X], x=X)

    def test_it_lists_the_calls(self):
        for suffix, call in (".py", "relax.argmax"), (".relay", "relay.argmax"):
            _, path = self.convert(suffix)
            done = dragoman("inspect", path, "--node", "onnx.Hardmax")
            text = done.stdout if done.returncode == 0 else dragoman(
                "convert", path, "-o", "-", "--to", "text", "--level", "common", "--passes",
                "none").stdout
            self.assertIn(call, text.replace('"', ""))

    def test_inputs_may_be_named_as_what_the_writers_name(self):
        text = """\
entry main(%x: f32[2, 5], %w: f32[2]) -> (%y: f32[2, 5], %z: f32[2]) {
  %a: f32[2, 5] = onnx.Hardmax(%x)
  %y: f32[2, 5] = onnx.Hardmax(%a) {axis = 0}
  %z: f32[2] = onnx.Relu(%w)
}
"""
        for name in "v", "v3", "composed_0", "lv", "gv":
            for suffix in ".py", ".relay":
                with self.subTest(name=name, suffix=suffix):
                    source, path = self.convert(suffix, text.replace("%x", "%" + name))
                    done = dragoman("diff", source, path, "--passes", "none")
                    self.assertEqual(done.returncode, 0, done.stdout)

    def test_changed_calls_are_read_as_they_stand(self):
        for suffix in ".py", ".relay":
            _, path = self.convert(suffix)
            text = path.read_text()
            changed = re.sub(r"argmax\((%?\w+), axis=(\[?)1", r"argmin(\1, axis=\g<2>1", text)
            self.assertNotEqual(changed, text)
            path.write_text(changed)
            self.assertNotIn("onnx.Hardmax", self.operators(path))
            self.agrees(path, [hardmax(-np.exp(X), 1) * X], x=X)

    def test_a_changed_remark_is_none(self):
        for suffix in ".py", ".relay":
            _, path = self.convert(suffix)
            text = path.read_text()
            changed = text.replace("{}", "{axis = 0}", 1)
            self.assertNotEqual(changed, text)
            path.write_text(changed)
            self.assertNotIn("onnx.Hardmax", self.operators(path))
            self.agrees(path, [hardmax(np.exp(X), 1) * X], x=X)

    def test_layout_and_comments_change_nothing(self):
        _, path = self.convert(".py")
        text = re.sub(r", (axis|keepdims)=", r",\n                \1 = ", path.read_text())
        path.write_text(text.replace("        with R.dataflow():",
                                     "        # hard\n        with R.dataflow():"))
        self.assertIn("onnx.Hardmax", self.operators(path))

    def test_what_others_read_of_the_calls_stays(self):
        """A result of one of the calls is returned too."""
        _, path = self.convert(".py")
        text = path.read_text()
        inner = re.search(r"(lv\d*) = R.argmax", text).group(1)
        path.write_text(re.sub(r"R\.output\(gv\)", f"R.output(gv, {inner})", re.sub(
            r"return gv", f"return (gv, {inner})", re.sub(r" -> R.Tensor\(.*?\)(?=:)", "", text))))
        self.assertIn("onnx.Hardmax", self.operators(path))
        y, place = self.outputs(path, x=X)
        np.testing.assert_allclose(y, hardmax(np.exp(X), 1) * X, rtol=1e-5)
        np.testing.assert_array_equal(place, X.argmax(1, keepdims=True))

    def test_functions_that_are_called_count(self):
        """An LSTM is a loop of functions; a change in one of them is one of the calls."""
        lstm = """\
entry main(%x: f32[3, 1, 2], %w: f32[1, 8, 2], %r: f32[1, 8, 2], %n: i32[1]) -> (%y: f32[3, 1, 1, 2]) {
  %y: f32[3, 1, 1, 2] = onnx.LSTM(%x, %w, %r, _, %n) {hidden_size = 2}
}
"""
        _, path = self.convert(".py", lstm)
        self.assertIn("onnx.LSTM", self.operators(path))
        text = path.read_text()
        head, tail = text.split("def loop_step", 1) if "def loop_step" in text else ("", "")
        self.assertIn("R.tanh(", tail)
        path.write_text(head + "def loop_step" + tail.replace("R.tanh(", "R.sigmoid(", 1))
        self.assertNotIn("onnx.LSTM", self.operators(path))


if __name__ == "__main__":
    unittest.main()
