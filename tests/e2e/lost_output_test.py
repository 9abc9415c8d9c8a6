#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Output that cannot be written: exit code 2 and one line that says why, from every command and
every writer; files are whole or absent."""

import pathlib
import resource
import signal
import subprocess
import unittest

from command_case import CommandCase
from commands import DRAGOMAN

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
MLP = MODELS / "mlp" / "model.onnx"
DYNAMIC = MODELS / "mlp_dynamic" / "model.onnx"
DATA = MODELS / "mlp" / "test_data_set_0"
LIMIT = 200  # bytes of a file; every format of MLP is longer
FORMATS = {"onnx": "onnx", "relax": "py", "dragoman": "dgm", "text": "dgt", "json": "json",
           "dot": "dot"}
# What went wrong first is no longer known where the C library has tried again since.
FULL = (r"\Astandard output: error: cannot write: "
        r"(No space left on device|some output was lost)\n\Z")

PRINTS = [
    ["--help"], ["--version"], ["convert", "--help"], ["inspect", MLP], ["inspect", MLP, "-v"],
    ["inspect", MLP, "--json"], ["inspect", MLP, "--to", "cpp"],
    ["diff", MLP, MLP], ["diff", MLP, DYNAMIC], ["diff", MLP, DYNAMIC, "--json"],
    ["verify", MLP, "--data", DATA], ["verify", MLP, "--data", DATA, "--json"],
    ["verify", MLP, "--against", MLP], ["ops"], ["ops", "--json"], ["ops", "Linear"],
    ["completion", "bash"], ["completion", "zsh"], ["completion", "fish"], ["manual"],
    ["manual", "convert"],
    *(["convert", MLP, "-o", "-", "--to", form] for form in ("text", "json", "dot", "relax")),
]


def limit_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT))


class LostOutput(CommandCase):
    def to_full_disk(self, *arguments):
        with open("/dev/full", "wb") as full:
            return subprocess.run([str(word) for word in (DRAGOMAN, *arguments)], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)

    def limited(self, *arguments):
        """A call in which no file can grow beyond a few bytes."""
        return subprocess.run([str(word) for word in (DRAGOMAN, *arguments)],
                              preexec_fn=limit_files, capture_output=True, text=True, check=False)

    def check_refused(self, done):
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr.splitlines()[-1], "error: cannot write: File too large$")
        self.assertEqual(list(self.out.rglob("*")), [])

    def test_a_full_standard_output(self):
        for arguments in PRINTS:
            with self.subTest(arguments):
                done = self.to_full_disk(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, FULL)

    def test_a_full_standard_output_of_what_writes_files(self):
        done = self.to_full_disk("codegen", MLP, "-o", self.out / "program", "--json")
        self.assertRegex(done.stderr, FULL)
        done = self.to_full_disk("convert", MLP, "-o", self.out / "model.py", "--json")
        self.assertRegex(done.stderr, FULL)

    def test_a_closed_standard_output(self):
        done = subprocess.run(f"exec '{DRAGOMAN}' ops >&-", shell=True, capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "standard output: error: cannot write: Bad file descriptor\n"))

    def test_nothing_printed_is_nothing_lost(self):
        done = self.to_full_disk("diff", MLP, MLP, "-q")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_device_is_no_file_to_replace(self):
        for form in FORMATS:
            with self.subTest(form):
                self.assertEqual(self.fails(2, "convert", MLP, "-o", "/dev/full", "--to", form),
                                 "/dev/full: error: exists and is not a regular file\n")
        self.assertEqual(self.fails(2, "codegen", MLP, "-o", "/dev/full"),
                         "/dev/full: error: exists and is not a folder\n")

    def test_files_that_cannot_grow(self):
        for form, suffix in FORMATS.items():
            with self.subTest(form):
                self.check_refused(self.limited("convert", MLP, "-o",
                                                self.out / f"model.{suffix}"))
                self.check_refused(self.limited("convert", MLP, "-o", self.out / f"model.{suffix}",
                                                "--passes", "default"))

    def test_folders_that_cannot_grow(self):
        self.check_refused(self.limited("codegen", MLP, "-o", self.out / "program"))

    def test_a_file_that_is_there_stays(self):
        for suffix in FORMATS.values():
            target = self.out / f"model.{suffix}"
            target.write_text("mine")
            with self.subTest(suffix):
                self.assertEqual(self.limited("convert", MLP, "-o", target).returncode, 2)
                self.assertEqual(target.read_text(), "mine")
                self.assertEqual(list(self.out.iterdir()), [target])
                target.unlink()

    def test_outputs_that_cannot_grow(self):
        text = "graph g() -> (%y: f32[1000]) { const %c: f32[1000] = base64 \"" + "AAAA" * 1333 + \
            "AA==\" %y = onnx.Identity(%c) }"
        (self.out / "m.dgt").write_text(text)
        done = self.limited("run", self.out / "m.dgt", "--output-dir", self.out / "y")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr.splitlines()[-1], "error: cannot write: File too large$")
        self.assertEqual(list(self.out.iterdir()), [self.out / "m.dgt"])

    def test_a_copy_that_cannot_be_written_replaces_nothing(self):
        """In place of what has more nodes, the source is copied, which is not an ONNX file here."""
        model, target = self.out / "m.dgt", self.out / "out.onnx"
        model.write_text('dragoman 1 source onnx\nopset "" 10\nextra {onnx.none = 5}\n'
                         "entry main(%x: str[4]) -> (%y: str[3]) {\n  %y = onnx.StringNormalizer(%x) "
                         '{is_case_sensitive = 1, stopwords = ["monday"]}\n}\n')
        target.write_text("mine")
        self.assertIn("copied as it is", self.fails(2, "simplify", model, "-o", target))
        self.assertEqual(target.read_text(), "mine")
        self.assertEqual(sorted(self.out.iterdir()), [model, target])


if __name__ == "__main__":
    unittest.main()
