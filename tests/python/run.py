#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the Python module against the built library, and runs the tests of this folder with it.

Exits 77, "skipped", where the environment cannot be made, as without a network or Python's headers.
"""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["DRAGOMAN_BINARY"]).resolve().parent


def environment():
    """The Python of a virtual environment with what the module is built and tested with."""
    made = subprocess.run([ROOT / "scripts/peers.sh", "python"], stdout=subprocess.PIPE, text=True)
    if made.returncode != 0:
        sys.exit(made.returncode)
    return pathlib.Path(made.stdout.strip()) / "bin/python"


def build(python):
    """The folder to import the package from."""
    headers = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_paths()['include'])"],
        stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if not (pathlib.Path(headers) / "Python.h").exists():
        print(f"skipped: no {headers}/Python.h; on Debian, install python3-dev")
        sys.exit(77)
    folder = BUILD / "python_module"
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT / "python", "-B", folder,
                    f"-DDRAGOMAN_LIBRARY={BUILD / 'libdragoman.so'}",
                    f"-DPython_EXECUTABLE={python}"], stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["cmake", "--build", folder], stdout=subprocess.DEVNULL, check=True)
    return folder / "python"


def main():
    python = environment()
    package = build(python)
    paths = [str(package), str(ROOT / "tests/support")]
    done = subprocess.run(
        [python, "-W", "error::RuntimeWarning", "-m", "unittest", "discover", "-s", "tests/python",
         "-p", "*_test.py", *sys.argv[1:]],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
