#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Manual pages, which tests/golden/texts shows: groff finds nothing wrong in them, and nothing that
--help tells is missing."""

import re
import shutil
import subprocess
import unittest

from command_case import CommandCase


class Manual(CommandCase):
    def commands(self):
        """Those that the page of the program refers to."""
        commands = re.findall(r"dragoman-(\w+)\\fR\(1\)", self.done("manual").replace("\\-", "-"))
        self.assertIn("inspect", commands)
        return commands

    def test_every_command_has_a_page(self):
        listed = re.findall(r"^  ([a-z]+)  +[A-Z]", self.done("--help"), re.M)
        self.assertEqual(self.commands(), listed)

    def test_every_option_of_the_help_is_in_the_page(self):
        for command in self.commands():
            page = self.done("manual", command).replace("\\-", "-")
            for option in re.findall(r"^ +(?:-\w, )?(--[\w-]+)", self.done(command, "--help"), re.M):
                self.assertIn(option, page, command)

    def test_groff_takes_them(self):
        if shutil.which("groff") is None:
            self.skipTest("groff is not installed")
        for command in ((), *((name,) for name in self.commands())):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-z"],
                                  input=self.done("manual", *command), capture_output=True,
                                  text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), command)


if __name__ == "__main__":
    unittest.main()
