#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that somebody planted where `--engine native` looks for compiled ones is not run.

The compiler is a script whose programs leave a mark, so that each test shows what was run.
"""

import os
import pathlib
import pwd
import stat
import subprocess
import unittest

from command_case import CommandCase
from commands import DRAGOMAN

MLP = pathlib.Path(__file__).resolve().parent.parent / "models" / "mlp" / "model.onnx"
NOBODY = 65534
HOME = pwd.getpwuid(os.geteuid()).pw_dir

COMPILER = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\n: > "$MARK"\\n' > "$2"
chmod 755 "$2"
"""
ARCHIVER = "#!/bin/sh\n: > \"$2\"\n"


class PlantedProgram(CommandCase):
    def setUp(self):
        super().setUp()
        self.mark = self.out / "mark"
        tools = self.out / "bin"
        tools.mkdir()
        for name, text in (("c++", COMPILER), ("ar", ARCHIVER)):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        self.path = f"{tools}:{os.environ['PATH']}"

    def call(self, *arguments, **settings):
        kept = {name: value for name, value in os.environ.items()
                if name not in ("DRAGOMAN_CACHE", "XDG_CACHE_HOME", "HOME")}
        return subprocess.run([DRAGOMAN, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.out, check=False,
                              env={**kept, "PATH": self.path, "MARK": str(self.mark), **settings})

    def run_native(self, **settings):
        """Whether a compiled program ran, and what was said."""
        self.mark.unlink(missing_ok=True)
        done = self.call("run", MLP, "--random", "--engine", "native", "-o", "y", **settings)
        self.assertEqual(done.returncode, 2, done.stderr)  # the program gives no outputs
        return self.mark.exists(), done.stderr

    def folder(self, mode, *parts):
        folder = self.out.joinpath(*parts)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(mode)
        return folder

    def folder_told(self, **settings):
        done = self.call("cache", **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split(":")[0]

    def test_where_it_lies(self):
        usual = f"{HOME}/.cache/dragoman"
        for settings, folder in (({}, usual), ({"HOME": ""}, usual), ({"HOME": "here"}, usual),
                                 ({"XDG_CACHE_HOME": ""}, usual),
                                 ({"XDG_CACHE_HOME": "here"}, usual),
                                 ({"XDG_CACHE_HOME": "here", "HOME": "/h"}, "/h/.cache/dragoman"),
                                 ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/dragoman"),
                                 ({"DRAGOMAN_CACHE": "", "HOME": "/h"}, "/h/.cache/dragoman"),
                                 ({"DRAGOMAN_CACHE": "here"}, "here")):
            with self.subTest(settings):
                self.assertEqual(self.folder_told(**settings), folder)

    def test_it_is_for_its_owner(self):
        cache = self.out / "cache"
        self.assertTrue(self.run_native(DRAGOMAN_CACHE=str(cache))[0])
        self.assertEqual(stat.S_IMODE(cache.stat().st_mode), 0o700)
        cache.chmod(0o755)  # as earlier versions made it
        self.assertTrue(self.run_native(DRAGOMAN_CACHE=str(cache))[0])
        self.assertEqual(stat.S_IMODE(cache.stat().st_mode), 0o700)

    def test_a_folder_that_others_can_write_to(self):
        for mode in (0o777, 0o1777, 0o770):
            cache = self.folder(mode, "cache")
            ran, said = self.run_native(DRAGOMAN_CACHE=str(cache))
            self.assertFalse(ran)
            self.assertIn("others can write to the folder", said)

    def test_below_a_folder_that_everybody_can_write_to(self):
        for parts in (("open",), ("open", "mine")):
            self.folder(0o755, *parts)
            self.folder(0o777, "open")
            ran, said = self.run_native(XDG_CACHE_HOME=str(self.out.joinpath(*parts)))
            self.assertFalse(ran)
            self.assertIn("everybody can write to the folder", said)

    def test_a_known_name_in_a_folder_like_tmp(self):
        ran, said = self.run_native(XDG_CACHE_HOME=str(self.folder(0o1777, "tmp")))
        self.assertFalse(ran)
        self.assertIn("everybody can write to the folder", said)
        mine = self.folder(0o700, "tmp", "mine")
        self.assertTrue(self.run_native(XDG_CACHE_HOME=str(mine))[0])

    def test_a_link(self):
        target = self.folder(0o777, "open", "cache")
        (self.out / "cache").symlink_to(target)
        self.assertFalse(self.run_native(DRAGOMAN_CACHE=str(self.out / "cache"))[0])

    @unittest.skipIf(os.geteuid() != 0, "only root gives files away")
    def test_another_users_folder(self):
        os.chown(self.folder(0o700, "cache"), NOBODY, NOBODY)
        ran, said = self.run_native(DRAGOMAN_CACHE=str(self.out / "cache"))
        self.assertFalse(ran)
        self.assertIn("belongs to another user", said)

    def test_programs_that_others_could_have_written(self):
        cache = self.out / "cache"
        self.assertTrue(self.run_native(DRAGOMAN_CACHE=str(cache))[0])
        program, = cache.glob("model-*/infer")
        changes = [lambda: program.chmod(0o777), lambda: program.parent.chmod(0o777),
                   lambda: (program.rename(self.out / "infer"),
                            program.symlink_to(self.out / "infer"))]
        if os.geteuid() == 0:
            changes.append(lambda: os.chown(program, NOBODY, NOBODY))
        for change in changes:
            with self.subTest():
                change()
                ran, said = self.run_native(DRAGOMAN_CACHE=str(cache))
                self.assertFalse(ran)
                self.assertIn("is not run", said)
                self.assertEqual(self.call("cache", "--clear", DRAGOMAN_CACHE=str(cache)).returncode, 0)
                self.assertTrue(self.run_native(DRAGOMAN_CACHE=str(cache))[0])

    def test_any_umask_makes_programs_that_are_run_again(self):
        mask = os.umask(0)
        try:
            for _ in range(2):
                self.assertTrue(self.run_native(DRAGOMAN_CACHE=str(self.out / "cache"))[0])
        finally:
            os.umask(mask)


if __name__ == "__main__":
    unittest.main()
