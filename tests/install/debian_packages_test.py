#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Debian packages: what they hold, what lintian says of them, and, where debootstrap makes a bare
system (DRAGOMAN_ALL=1, as root), that they can be installed there, used and removed."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DRAGOMAN = pathlib.Path(os.environ["DRAGOMAN_BINARY"])
MODEL = ROOT / "tests/models/mlp/model.onnx"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


class DebianPackages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="dragoman_packages_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        run("cpack", "-G", "DEB", "-B", cls.folder, cwd=DRAGOMAN.parent, umask=0o022)
        cls.packages = sorted(cls.folder.glob("*.deb"))

    def files(self, name):
        package = next(path for path in self.packages if path.name.startswith(f"{name}_"))
        return {line.split()[5].removeprefix(".") for line in
                run("dpkg-deb", "-c", package).splitlines()}

    def test_the_program(self):
        files = self.files("dragoman")
        for file in ("/usr/bin/dragoman", "/usr/share/man/man1/dragoman.1.gz",
                     "/usr/share/man/man1/dragoman-convert.1.gz",
                     "/usr/share/bash-completion/completions/dragoman",
                     "/usr/share/dragoman/runtime/LICENSE", "/usr/share/doc/dragoman/copyright"):
            self.assertIn(file, files)

    def test_the_library(self):
        files = self.files("libdragoman-dev")
        for file in ("/usr/lib/libdragoman.so", "/usr/lib/cmake/dragoman/dragomanConfig.cmake",
                     "/usr/include/dragoman/session.h", "/usr/share/doc/libdragoman-dev/copyright"):
            self.assertIn(file, files)
        self.assertNotIn("/usr/bin/dragoman", files)

    def test_lintian_finds_no_errors(self):
        if shutil.which("lintian") is None:
            self.skipTest("lintian is not installed")
        run("lintian", "--allow-root", "--fail-on", "error", *self.packages)

    def test_a_bare_system(self):
        if os.environ.get("DRAGOMAN_ALL") != "1" or os.geteuid() != 0:
            self.skipTest("makes a bare Debian, as root with DRAGOMAN_ALL=1")
        if shutil.which("debootstrap") is None:
            self.skipTest("debootstrap is not installed")
        bare = self.folder / "bare"
        run("debootstrap", "--variant=minbase", "bookworm", bare)
        for file in (*self.packages, MODEL):
            shutil.copy(file, bare / "root")
        bash = ("chroot", bare, "bash", "-ec")
        run(*bash, "apt-get install -y --no-install-recommends /root/*.deb")
        run(*bash, "cd /root && dragoman convert model.onnx -o model.py && "
                   "dragoman verify model.py --against model.onnx")
        run(*bash, "apt-get remove -y dragoman libdragoman-dev && ! test -e /usr/bin/dragoman")


if __name__ == "__main__":
    if shutil.which("dpkg-shlibdeps") is None or shutil.which("cpack") is None:
        print("skipped: dpkg-dev is not installed")
        sys.exit(77)
    unittest.main()
