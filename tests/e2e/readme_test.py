#!/usr/bin/env python3
"""The README's tour and that of docs/architecture.md: each command prints what stands below it."""

import pathlib
import re
import subprocess
import tempfile
import textwrap
import unittest

from commands import DRAGOMAN

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# A command, and the indented lines below it up to the next one.
STEP = re.compile(r"^    \$ (.+)\n((?:    (?!\$ ).*\n|\n(?=    (?!\$ )))*)", re.MULTILINE)
MEASURED = re.compile(r"[0-9.]+ us|median [0-9.]+|largest (error|difference) .*")
CUT = " …"  # where the README leaves out the rest of a line


class Tour(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ("docs", "tests"):
            (self.folder / name).symlink_to(ROOT / name)

    def printed(self, command):
        program = pathlib.Path(DRAGOMAN).resolve()
        script = f'dragoman() {{ "{program}" "$@"; }}; {command}'
        return subprocess.run(["bash", "-c", script], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False).stdout

    def test_commands_of_the_readme_print_what_stands_below_them(self):
        self.check("README.md", at_least=6)

    def test_commands_of_the_architecture_print_what_stands_below_them(self):
        self.check("docs/architecture.md", at_least=5)

    def check(self, page, at_least):
        steps = STEP.findall((ROOT / page).read_text())
        self.assertGreaterEqual(len(steps), at_least)
        for command, text in steps:
            with self.subTest(command):
                expected = textwrap.dedent(text).splitlines()
                found = self.printed(command).rstrip().splitlines()
                for i, line in enumerate(expected[:len(found)]):
                    if line.endswith(CUT):
                        found[i] = found[i][:len(line) - len(CUT)] + CUT
                self.assertEqual([MEASURED.sub("", line) for line in expected],
                                 [MEASURED.sub("", line) for line in found])


if __name__ == "__main__":
    unittest.main()
