#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small containers that are nearly models: every reader takes them, or refuses them with a line;
no command ends in a fault, and none is called a model that cannot be entered.

Of each format a sample is drawn; DRAGOMAN_ALL=1 takes all. DRAGOMAN_SEED draws others.
"""

import os
import pathlib
import random
import unittest

import near_misses
from command_case import CommandCase
from commands import dragoman

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
SCRIPT = MODELS / "torchscript" / "counter" / "model.pt"
SAMPLE = 25  # files of a format
SEED = int(os.environ.get("DRAGOMAN_SEED", 1))
ALL = os.environ.get("DRAGOMAN_ALL")
SUFFIXES = ("dgt", "json", "dgm", "onnx", "pt")
FINDINGS = 25  # lines

TEXT = """dragoman 1 source onnx
opset "" 17
opset "local" 1
metadata "author" = "nobody"
entry main @graph(%c: bool[], %x: f32[n, 2], %h: f32[2] = [0.5, 1.0]) -> (%y: f32[n, 2], %z) {
  const %w: f32[2] = [1.0, -inf]
  const %unused: i64[1] = [7]
  %t: f32[n, 2] = onnx.Add(%x, %w) @add !0
  %u = onnx:local.Twice(%t) {alpha = 2.0}
  %y = onnx.If(%c) {
    then_branch = graph a() -> (%p) { %p = onnx.Add(%u, %h) },
    else_branch = graph b() -> (%q) { %q = onnx.Constant() {value = f32[2] [1.0, 2.0]} }
  }
  %z = onnx.Concat(%t, %x) {axis = 0}
}
function onnx:local.Twice(%a) -> (%b) opset "" 17 attributes ["alpha"] {
  %b = onnx.Add(%a, %a)
}
origins {
  !0 = "aten.add" @add {alpha = 1}
}
"""
STATEFUL = """dragoman 1 common onnx
opset "" 22
state h: f32[2] = f32[2] [1.0, 2.0]
entry forward @f(%x: f32[2], %h: f32[2]) -> (%y: f32[2], %next: f32[2])
    arguments (x: tensor 0) results (tensor 0) state 0 input 1 -> output 1 {
  %next = onnx.Add(%h, %x)
  %y = onnx.Tanh(%next)
}
"""
WITHOUT_ENTRY = ["", " ", "\n\n", "\t\r\n", "#", "# a comment", "# one\n# two\n", "\ufeff",
                 "dragoman 1 source onnx", "dragoman 1 common onnx\nopset \"\" 22\n",
                 "dragoman 1 source torchscript\nstate h: f32[1] = f32[1] [0.0]\n",
                 "dragoman 1 source onnx\nfunction onnx:f.f() -> () {}\n", "origins {}",
                 "dragoman 1 source onnx\norigins {}\n# end"]


class NearMisses(CommandCase):
    checked = False

    def made(self, text, suffix):
        """The bytes of a model of this text in another container."""
        source, target = self.out / "source.dgt", self.out / f"made.{suffix}"
        source.write_text(text, encoding="utf-8")
        self.done("convert", source, "-o", target, *(["--to", "onnx"] if suffix == "onnx" else []))
        return target.read_bytes()

    def check(self, *arguments):
        """A call that may succeed or refuse, but says so."""
        done = dragoman(*arguments, timeout=60, checked=False)
        self.assertIn(done.returncode, (0, 1, 2, 4), done.stderr[-2000:])
        if done.returncode in (2, 4):
            lines = done.stderr.strip().splitlines()
            self.assertTrue(lines, "refused without a word")
            self.assertLess(len(lines), FINDINGS, done.stderr)
            self.assertIn("error", done.stderr)
            self.assertNotIn("internal", done.stderr)
        return done.returncode

    def check_all(self, path):
        """All commands on a file; whether inspect took it."""
        other = self.out / "other.dgt"
        if self.check("inspect", path) != 0:
            return False
        self.check("inspect", path, "-v", "--json")
        for suffix in ("dgt", "json", "dgm", "onnx", "dot"):
            self.check("convert", path, "-o", self.out / f"copy.{suffix}")
        self.check("convert", path, "-o", other, "--passes", "default")
        self.check("diff", path, path)
        self.check("verify", path, "--against", path)
        self.check("run", path, "--output-dir", self.out / "y")
        self.check("codegen", path, "-q", "-o", self.out / "program")
        return True

    def sweep(self, suffix, files):
        files = list(files)
        if not ALL:
            files = random.Random(SEED).sample(files, min(SAMPLE, len(files)))
        taken = 0
        for i, content in enumerate(files):
            path = self.out / f"near.{suffix}"
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            with self.subTest(suffix=suffix, number=i, seed=SEED):
                taken += self.check_all(path)
        self.assertLess(taken, len(files))
        self.assertGreater(taken, 0)

    def test_graph_text(self):
        self.sweep("dgt", [*near_misses.of_text(TEXT), *near_misses.of_text(STATEFUL)])

    def test_json(self):
        for text in (TEXT, STATEFUL):
            self.sweep("json", near_misses.of_json_text(self.made(text, "json")))

    def test_native(self):
        for text in (TEXT, STATEFUL):
            self.sweep("dgm", near_misses.of_native(self.made(text, "dgm")))

    def test_onnx(self):
        self.sweep("onnx", near_misses.of_message(self.made(TEXT, "onnx")))

    def test_torchscript(self):
        self.sweep("pt", near_misses.of_archive(SCRIPT.read_bytes()))

    def test_a_model_has_an_entry(self):
        for text in WITHOUT_ENTRY:
            path = self.out / "empty.dgt"
            path.write_text(text, encoding="utf-8")
            for command in (["inspect", path], ["run", path, "--output-dir", self.out / "y"],
                            ["verify", path, "--against", path],
                            ["codegen", path, "-o", self.out / "program"], ["diff", path, path],
                            ["convert", path, "-o", self.out / "copy.onnx"]):
                with self.subTest(text=text, command=command[0]):
                    said = self.fails(2, *command)
                    self.assertIn(f"{path}:", said)
                    self.assertIn("expected", said)
            self.assertEqual(list(self.out.iterdir()), [path])

    def test_an_empty_file_is_no_model_of_any_format(self):
        for suffix in SUFFIXES:
            for content in (b"", b"\0", b" ", b"\n", b"{}", b"[]", b"PK\5\6" + bytes(18)):
                path = self.out / f"empty.{suffix}"
                path.write_bytes(content)
                with self.subTest(suffix=suffix, content=content):
                    self.assertIn(f"{path}", self.fails(2, "inspect", path))

    def test_no_entries_in_other_containers(self):
        for text in ('{"version": 1}', '{"version": "1", "entries": []}'):
            path = self.out / "empty.json"
            path.write_text(text)
            self.fails(2, "inspect", path)


if __name__ == "__main__":
    unittest.main()
