#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the Python module against the built library, and runs the tests of this folder with it.

Usage: run.py [--sanitize address|thread] [OPTION OF unittest...]

--sanitize instruments the module, not the library: for faults in what it does with Python's objects
and threads. The tests that start programs are left out then. Objects of the module that live on at the
end are a failure, as are reports of the sanitizer.

Exits 77, "skipped", where the environment cannot be made, as without a network or Python's headers.
"""

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["DRAGOMAN_BINARY"]).resolve().parent

# Per sanitizer: the compiler's name of it, its library, and the environment that it needs. Python
# itself keeps memory until it ends.
SANITIZERS = {
    "address": ("address,undefined", "libasan.so", {"ASAN_OPTIONS": "detect_leaks=0"}),
    "thread": ("thread", "libtsan.so", {"TSAN_OPTIONS": "halt_on_error=1"}),
}


def environment():
    """The Python of a virtual environment with what the module is built and tested with."""
    made = subprocess.run([ROOT / "scripts/peers.sh", "python"], stdout=subprocess.PIPE, text=True)
    if made.returncode != 0:
        sys.exit(made.returncode)
    return pathlib.Path(made.stdout.strip()) / "bin/python"


def build(python, sanitizer):
    """The folder to import the package from."""
    headers = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_paths()['include'])"],
        stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if not (pathlib.Path(headers) / "Python.h").exists():
        print(f"skipped: no {headers}/Python.h; on Debian, install python3-dev")
        sys.exit(77)
    folder = BUILD / "python_module"
    options, targets = [], []
    if sanitizer:
        folder = folder.with_name(f"python_module_{sanitizer}")
        checks = SANITIZERS[sanitizer][0]
        options = [f"-DCMAKE_CXX_FLAGS=-g1 -fsanitize={checks} -fno-sanitize-recover=all"]
        targets = ["--target", "_dragoman"]  # stubs are written by Python, which knows no sanitizer
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT / "python", "-B", folder,
                    f"-DDRAGOMAN_LIBRARY={BUILD / 'libdragoman.so'}",
                    f"-DPython_EXECUTABLE={python}", *options],
                   stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["cmake", "--build", folder, *targets], stdout=subprocess.DEVNULL, check=True)
    return folder / "python"


def run(python, package, sanitizer, tests):
    """The exit code of the tests."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package), str(ROOT / "tests/support")])}
    start = ["-m", "unittest"]
    chosen = ["discover", "-s", "tests/python", "-p", "*_test.py"]
    if sanitizer:
        _, library, options = SANITIZERS[sanitizer]
        # With the library that exceptions are thrown by, which Python loads later than it is sought.
        libraries = [subprocess.run(["g++", f"-print-file-name={name}"], stdout=subprocess.PIPE,
                                    text=True, check=True).stdout.strip()
                     for name in (library, "libstdc++.so")]
        env |= {"LD_PRELOAD": " ".join(libraries), **options}
        # Sanitizers cannot replace functions in a library that prefers its own.
        start = ["-c", "import os, unittest; os.RTLD_DEEPBIND = 0; unittest.main(module=None)"]
        chosen = [f"tests/python/{name}_test.py" for name in ("comparisons", "graphs", "sessions")]
    done = subprocess.run([python, "-W", "error::RuntimeWarning", *start, *chosen, *tests], cwd=ROOT,
                          env=env, stderr=subprocess.PIPE if sanitizer else None, text=True)
    if sanitizer:
        sys.stderr.write(done.stderr)
        if "nanobind: leaked" in done.stderr:
            return 1
    return done.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sanitize", choices=SANITIZERS)
    arguments, tests = parser.parse_known_args()
    python = environment()
    package = build(python, arguments.sanitize)
    return run(python, package, arguments.sanitize, tests)


if __name__ == "__main__":
    sys.exit(main())
