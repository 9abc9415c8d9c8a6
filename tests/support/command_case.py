# SPDX-License-Identifier: Apache-2.0
"""A test case for the command line: a folder of its own, and calls whose exit code is checked."""

import contextlib
import pathlib
import resource
import subprocess
import tempfile
import unittest

from commands import dragoman


@contextlib.contextmanager
def small_stack():
    """The commands within have a stack of one MiB."""
    limits = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_STACK, limits)


class CommandCase(unittest.TestCase):
    checked = True  # as in commands.dragoman

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def done(self, *arguments):
        """What a call that must succeed prints."""
        result = dragoman(*arguments, checked=self.checked)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def succeed(self, *command):
        """What another program, which must succeed, prints."""
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 0, f"{command}: {result.stdout}{result.stderr}")
        return result.stdout

    def fails(self, code, *arguments):
        """What a call that must end with `code` says of it."""
        result = dragoman(*arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertIn("error: ", result.stderr)
        return result.stderr
