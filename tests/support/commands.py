"""Calls of programs: `dragoman` itself, and what a call that failed says.

Tests that CMake registers find this folder by PYTHONPATH and the program by DRAGOMAN_BINARY.
"""

import os
import subprocess

DRAGOMAN = os.environ.get("DRAGOMAN_BINARY", "build/release/dragoman")
TIMEOUT_S = 1500
TIMED_OUT = 124


def call(command, timeout=TIMEOUT_S):
    """Runs a command to its end; one that takes longer than `timeout` seconds exits with 124."""
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              errors="replace", timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, TIMED_OUT, "", "takes too long")


def dragoman(*arguments, timeout=TIMEOUT_S):
    return call([DRAGOMAN, *arguments], timeout)


BUG = "a bug in dragoman"  # of the warning about a pass that was undone


def complaint(done):
    """What a call that failed, or that warns of a bug, says; an empty string if it did neither."""
    if done.returncode == 0 and BUG not in done.stderr:
        return ""
    return f"exit {done.returncode}: {(done.stdout + done.stderr).strip()}"
