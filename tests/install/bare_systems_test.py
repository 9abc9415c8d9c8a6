#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The archive and the wheel on bare systems of Debian 12 and 13: unpacked or installed by one command,
then used. Makes these systems by debootstrap, as root with DRAGOMAN_ALL=1."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "tests/models/mlp/model.onnx"

# Per suite, the Python that its wheel is built with: a wheel of 3.12 serves all newer ones.
PYTHONS = {"bookworm": ["/usr/bin/python3"], "trixie": ["python3.12", "python3.13"]}

ON_THE_COMMAND_LINE = """
dragoman inspect model.onnx
dragoman convert model.onnx -o model.py
dragoman verify model.py --against model.onnx
dragoman simplify model.onnx -o small.onnx --check 3
dragoman run model.onnx --random
dragoman diff model.onnx model.py
dragoman codegen model.onnx -o program
"""

IN_PYTHON = """
import dragoman, numpy
model = dragoman.load("model.onnx")
print(model.inputs)
model.save("model.py")
assert not dragoman.diff("model.onnx", "model.py")
x = numpy.ones((1, 41), numpy.float32)
y = model.run({"x": x})["y"]
numpy.testing.assert_allclose(model.session("native").run({"x": x})["y"], y, atol=1e-5)
numpy.testing.assert_allclose(model.codegen("written").build()({"x": x})["y"], y, atol=1e-5)
"""


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, cwd=ROOT)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


@contextlib.contextmanager
def bare_system(suite):
    """A function that runs a script in the folder /root/a folder of a new system, and that folder."""
    with tempfile.TemporaryDirectory(prefix=f"dragoman_{suite}_") as scratch:
        system = pathlib.Path(scratch)
        run("debootstrap", "--variant=minbase", suite, system)
        folder = system / "root/a folder"  # with a space, as people have them
        folder.mkdir()
        shutil.copy(MODEL, folder)
        # Programs find their libraries by it.
        run("mount", "-t", "proc", "proc", system / "proc")
        try:
            yield lambda script: run("chroot", system, "bash", "-ec",
                                     f"cd '/root/a folder'\n{script}"), folder
        finally:
            run("umount", system / "proc")


class BareSystems(unittest.TestCase):

    def test_the_archive_runs_where_it_is_unpacked(self):
        archive = ROOT / run("scripts/archive.sh").splitlines()[-1]
        for suite in PYTHONS:
            with self.subTest(suite=suite), bare_system(suite) as (do, folder):
                run("tar", "-xzf", archive, "-C", folder)
                do(f'PATH="$PWD/{archive.name.removesuffix(".tar.gz")}/bin:$PATH"\n'
                   f"{ON_THE_COMMAND_LINE}")

    def download_numpy(self, version, folder):
        """The wheel that pip would take: not every bare system trusts the index of this one."""
        tools = run("scripts/peers.sh", "wheel").splitlines()[-1]
        run(f"{tools}/bin/python", "-m", "pip", "download", "--quiet", "--only-binary=:all:",
            "--python-version", version, "-d", folder / "numpy", "numpy")

    def test_the_wheel_is_installed_by_pip(self):
        for suite, pythons in PYTHONS.items():
            python = next((python for python in pythons if shutil.which(python)), None)
            if python is None:
                print(f"no wheel for {suite}: none of {pythons} is installed")
                continue
            with self.subTest(suite=suite), bare_system(suite) as (do, folder):
                run("scripts/wheel.sh", python)
                wheels = (ROOT / "dist").glob("*.whl")
                shutil.copy(max(wheels, key=lambda path: path.stat().st_mtime), folder)
                do("apt-get update && apt-get install -y --no-install-recommends python3-venv")
                self.download_numpy(do("python3 --version").split()[1], folder)
                do(f"python3 -m venv venv\nvenv/bin/pip install --no-index --find-links numpy *.whl\n"
                   f'PATH="$PWD/venv/bin:$PATH"\n{ON_THE_COMMAND_LINE}')
                do("apt-get install -y --no-install-recommends g++ cmake make")
                (folder / "use.py").write_text(IN_PYTHON)
                do("venv/bin/python use.py\nvenv/bin/python -m dragoman --version")


if __name__ == "__main__":
    if os.environ.get("DRAGOMAN_ALL") != "1" or os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("skipped: makes bare systems by debootstrap, as root with DRAGOMAN_ALL=1")
        sys.exit(77)
    unittest.main()
