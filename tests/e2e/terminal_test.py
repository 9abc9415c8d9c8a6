#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is printed where people read it: colours on a terminal, and none elsewhere."""

import contextlib
import os
import pathlib
import pty
import subprocess
import unittest

from command_case import CommandCase
from commands import DRAGOMAN, dragoman

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
MLP = MODELS / "mlp" / "model.onnx"
DYNAMIC = MODELS / "mlp_dynamic" / "model.onnx"
RED, GREEN, YELLOW = "\x1b[31m{}\x1b[0m", "\x1b[32m{}\x1b[0m", "\x1b[33m{}\x1b[0m"
POLICY = MODELS / "torchscript" / "lstm_policy" / "model.pt"


class Terminal(CommandCase):
    def shown(self, *arguments, **settings):
        """What both streams show on a terminal."""
        try:
            reader, terminal = pty.openpty()
        except OSError as error:  # such as in a root without /dev/pts
            self.skipTest(f"no terminal to be had: {error}")
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        said = b""
        with subprocess.Popen([DRAGOMAN, *map(str, arguments)], stdout=terminal, stderr=terminal,
                              env={**environment, "TERM": "xterm", **settings}):
            os.close(terminal)
            with contextlib.suppress(OSError):  # the end, on a terminal
                while chunk := os.read(reader, 1 << 16):
                    said += chunk
        os.close(reader)
        return said.decode()

    def test_words_that_matter_have_colours(self):
        for arguments, word in (
                (("inspect", "missing.onnx"), RED.format("error:")),
                (("inspect", MLP), "cpp    " + GREEN.format("yes")),
                (("diff", MLP, MLP), GREEN.format("equal")),
                (("diff", MLP, DYNAMIC), RED.format("different")),
                (("verify", MLP, "--data", MODELS / "mlp"), GREEN.format("ok")),
                (("verify", MLP, "--data", MODELS / "mlp", "--rtol", "0", "--atol", "0"),
                 RED.format("different")),
                (("convert", POLICY, "-o", self.out / "x.onnx", "--shape", "x=f32:1,6"),
                 YELLOW.format("warning:"))):
            with self.subTest(arguments):
                self.assertIn(word, self.shown(*arguments))

    def test_files_do_not_steer_it(self):
        """Texts of a file that messages quote: control characters, and bytes that are not text."""
        graph = self.out / "model.dgt"
        graph.write_text("""dragoman 1 source tf
opset "tf" 27

entry main(%x: f32[1, 4, 4, 2]) -> (%y: f32[*]) {
  %y = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["y:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %w = tf.Const() {dtype = type f32[*], value = f32[1, 1, 2, 1] [[[[1.0], [2.0]]]]} @w
  %y = tf.Conv2D(%x, %w) {T = type f32[*], padding = "\\x1b[2J\\xff\u00fc\\\\", strides = [1, 1, 1, 1]} @y
}
""", encoding="utf-8")
        said = dragoman("convert", graph, "-o", self.out / "x.onnx").stderr
        self.assertIn("padding is '\\x1b[2J\\xff\u00fc\\'", said)

    def test_no_colour_is_wanted(self):
        for settings in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b", self.shown("inspect", "missing.onnx", **settings))
            self.assertNotIn("\x1b", self.shown("inspect", MLP, **settings))

    def test_pipes_and_files_get_none(self):
        for arguments in (("inspect", MLP), ("inspect", "missing.onnx"), ("diff", MLP, DYNAMIC)):
            done = dragoman(*arguments)
            self.assertNotIn("\x1b", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
