# SPDX-License-Identifier: Apache-2.0
"""A test case for files that attack: commands whose time, memory and traces are bounded."""

import os
import resource
import subprocess

from command_case import CommandCase
from commands import DRAGOMAN

MEMORY = 2 << 30  # bytes
SECONDS = 20  # of processor time, of which each call takes a fraction
TIMEOUT_S = 600
ENDS = (0, 1, 2, 4)  # all other exit codes are of bugs


def field(number, value):
    """A field of protobuf: a number as varint, bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def varint(number):
    number &= (1 << 64) - 1
    done = bytearray()
    while number > 127:
        done.append(number & 127 | 128)
        number >>= 7
    return bytes(done + bytes([number]))


class AttackCase(CommandCase):
    def setUp(self):
        super().setUp()
        self.results = self.out / "results"
        self.results.mkdir()
        self.traces = self.out / "traces"  # nothing may be there
        self.traces.mkdir()

    def call(self, *words):
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            if "asan" not in DRAGOMAN:
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        return subprocess.run([DRAGOMAN, *map(str, words)], capture_output=True, text=True,
                              errors="replace", check=False, timeout=TIMEOUT_S, preexec_fn=limit,
                              stdin=subprocess.DEVNULL, cwd=self.results,
                              env={**os.environ, "TMPDIR": str(self.traces)})

    def put(self, name, content):
        path = self.out / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def attack(self, path, *more):
        """What the commands say of a file: [(exit code, text)]. None crashes or leaves anything."""
        said = []
        for words in (["inspect", path, "--to", "cpp"],
                      ["convert", path, "-o", "out.dgt", "--level", "common", "--passes", "default"],
                      ["convert", path, "-o", "out.onnx", "--passes", "default"],
                      ["run", path, "--random", "-o", "y"]):
            done = self.call(*words, *more)
            text = done.stdout + done.stderr
            self.assertIn(done.returncode, ENDS, text[-2000:])
            self.assertNotIn("a bug in dragoman", text)
            if done.returncode != 0 and words[0] != "inspect":
                self.assertEqual(list(self.results.iterdir()), [], text)
            self.assertEqual(list(self.traces.iterdir()), [], text)
            for left in self.results.iterdir():
                self.succeed("rm", "-r", left)
            said.append((done.returncode, text))
        return said

    def survives(self, path, *more):
        """Computed or refused, in bounded time and memory."""
        for code, said in self.attack(path, *more):
            self.assertIn(code, (0, 2, 4), said)

    def refused(self, path, pattern, *more):
        """Each command refuses the file, and one line says why."""
        for code, text in self.attack(path, *more):
            self.assertNotEqual(code, 1, text)
            if code == 0:
                self.assertIn("targets", text)  # what inspect lists beside what it refuses
            self.assertRegex(text, pattern)
