# SPDX-License-Identifier: Apache-2.0
"""Calls of programs: `dragoman` itself, and what a call that failed says.

Tests that CMake registers find this folder by PYTHONPATH and the program by DRAGOMAN_BINARY.
"""

import os
import subprocess

DRAGOMAN = os.environ.get("DRAGOMAN_BINARY", "build/release/dragoman")
TIMEOUT_S = 1500
TIMED_OUT = 124
REFUSED_BY_OTHERS = 70  # in place of 0, where a file was written that onnx_checks.py complains of


def call(command, timeout=TIMEOUT_S):
    """Runs a command to its end; one that takes longer than `timeout` seconds exits with 124."""
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              errors="replace", timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, TIMED_OUT, "", "takes too long")


def dragoman(*arguments, timeout=TIMEOUT_S, checked=True):
    """Runs the program. An ONNX file that it writes is also checked by others; only tests of files
    that are copied with what is wrong in them set `checked` to False."""
    done = call([DRAGOMAN, *arguments], timeout)
    if not checked or done.returncode != 0 or not arguments or arguments[0] not in ("convert", "simplify"):
        return done
    import onnx_checks  # takes a while, which other calls need not spend
    said = onnx_checks.problem_of_call(arguments)
    if not said:
        return done
    return subprocess.CompletedProcess(done.args, REFUSED_BY_OTHERS, done.stdout,
                                       f"{done.stderr}{said}\n")


BUG = "a bug in dragoman"  # of the warning about a pass that was undone


def complaint(done):
    """What a call that failed, or that warns of a bug, says; an empty string if it did neither."""
    if done.returncode == 0 and BUG not in done.stderr:
        return ""
    return f"exit {done.returncode}: {(done.stdout + done.stderr).strip()}"
