#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is interrupted leaves nothing behind: signals, and pipes whose reader goes away."""

import os
import pathlib
import signal
import subprocess
import time
import unittest

from command_case import CommandCase
from commands import DRAGOMAN

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
MLP = MODELS / "mlp" / "model.onnx"


class Interrupted(CommandCase):
    def setUp(self):
        super().setUp()
        self.temporary = self.out / "tmp"
        self.temporary.mkdir()
        self.environment = {**os.environ, "TMPDIR": str(self.temporary),
                            "DRAGOMAN_CACHE": str(self.out / "cache")}

    def start(self, *arguments, **streams):
        return subprocess.Popen([DRAGOMAN, *map(str, arguments)], env=self.environment,
                                start_new_session=True, stderr=subprocess.PIPE, **streams)

    def wait_for(self, process, appears):
        for _ in range(600):
            if appears():
                return
            self.assertIsNone(process.poll(), "it ended before its time")
            time.sleep(0.02)
        self.fail("what should be interrupted did not begin")

    def interrupt(self, process, number):
        """Sends the signal to the process and those that it started, as a terminal does.

        Its pipes stay as they are until it ends, so that it cannot end by itself before.
        """
        os.killpg(process.pid, number)
        process.wait(timeout=60)
        process.communicate()
        self.assertEqual(process.returncode, -number)

    def test_reading_a_pipe(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("convert", "-", "-o", self.out / "x.onnx", stdin=subprocess.PIPE)
            self.wait_for(process, lambda: any(self.temporary.iterdir()))
            self.interrupt(process, number)
            self.assertEqual(list(self.temporary.iterdir()), [])
            self.assertFalse((self.out / "x.onnx").exists())

    def test_writing_a_pipe(self):
        weight = " ".join(["const %w: f32[200000] = base64", '"' + "AAAA" * 266666 + 'AAA="'])
        model = self.out / "large.dgt"
        model.write_text(f"graph g() -> (%y) {{ {weight} %y = onnx.Identity(%w) }}")
        process = self.start("convert", model, "-o", "-", "--to", "onnx", stdout=subprocess.PIPE)
        self.wait_for(process, lambda: any(self.temporary.glob("*/model")))
        self.interrupt(process, signal.SIGTERM)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_compiling(self):
        process = self.start("verify", MLP, "--data", MODELS / "mlp", "--engine", "native",
                             stdout=subprocess.DEVNULL)
        cache = self.out / "cache"
        self.wait_for(process, lambda: any(cache.glob("dragoman-*/runtime")))
        self.interrupt(process, signal.SIGINT)
        self.assertEqual([*cache.glob("dragoman-*"), *self.temporary.iterdir()], [])

    def test_a_reader_that_goes_away(self):
        for arguments in (["ops"], ["--help"], ["manual", "convert"], ["inspect", MLP, "-v"],
                          ["convert", MLP, "-o", "-"], ["convert", MLP, "-o", "-", "--to", "onnx"]):
            with self.subTest(arguments):
                reader, writer = os.pipe()
                os.close(reader)
                process = self.start(*arguments, stdout=writer)
                os.close(writer)
                said = process.communicate(timeout=60)[1]
                self.assertEqual((process.returncode, said), (-signal.SIGPIPE, b""))
                self.assertEqual(list(self.temporary.iterdir()), [])

    def test_a_closed_standard_error(self):
        for arguments, code in ((["inspect", "missing.onnx"], 2), (["frobnicate"], 2)):
            done = subprocess.run(f"exec '{DRAGOMAN}' {' '.join(arguments)} 2>&-", shell=True,
                                  check=False)
            self.assertEqual(done.returncode, code)


if __name__ == "__main__":
    unittest.main()
