#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the command line prints and writes, text by text: tests/golden/texts/*.txt.

A file has a line on what it shows, then parts that each begin with a line "--- NAME":

    --- input NAME        a file that the command finds in its folder
    --- command           what is typed, with settings of the environment (NAME=VALUE) before it;
                          ROOT is the root of the repository
    --- prints            the exit code, then what the command prints
    --- writes NAME       a file that the command has written

Files called bad-* show a refusal, and must not exit with 0. DRAGOMAN_ACCEPT=1 writes what is found
in place of what is expected.
"""

import os
import pathlib
import shlex
import sys
import tempfile

import commands

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS = ROOT / "tests/golden/texts"
ACCEPT = os.environ.get("DRAGOMAN_ACCEPT") == "1"


def split(text):
    """The line above the parts, and (name, text) of each part."""
    head, *parts = text.split("\n--- ")
    return head, [part.partition("\n")[::2] for part in parts]


def run(command, folder):
    """The exit code and the output of a command, without the names of folders."""
    words = [word.replace("ROOT", str(ROOT)) for word in shlex.split(command)]
    at = words.index("dragoman")
    here, environment = os.getcwd(), os.environ.copy()
    os.chdir(folder)
    os.environ.update(word.split("=", 1) for word in words[:at])
    try:
        done = commands.dragoman(*words[at + 1:])
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(environment)
    output = (done.stdout + done.stderr).replace(str(ROOT), "ROOT").replace(str(folder), "FOLDER")
    return done.returncode, output


def render(head, parts, folder):
    """The text of a file with what is found in it."""
    lines = [head]
    code, output = None, ""
    for name, text in parts:
        kind, _, file = name.partition(" ")
        if kind == "input":
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n", encoding="utf-8")
        elif kind == "command":
            code, output = run(text.strip(), folder)
        elif kind == "prints":
            text = f"exit {code}\n{output}".rstrip("\n")
        elif kind == "writes":
            path = folder / file
            text = path.read_text(encoding="utf-8").rstrip("\n") if path.exists() else "(no file)"
        else:
            raise ValueError(f"a part '{name}'")
        lines.append(f"--- {name}\n{text}")
    return code, "\n".join(lines).rstrip("\n") + "\n"


def check(path):
    """A complaint about one file, or an empty string."""
    expected = path.read_text(encoding="utf-8")
    head, parts = split(expected.rstrip("\n"))
    with tempfile.TemporaryDirectory() as folder:
        code, found = render(head, parts, pathlib.Path(folder))
    if path.name.startswith("bad-") and code == 0:
        return f"{path.name}: exits with 0"
    if found == expected:
        return ""
    if ACCEPT:
        path.write_text(found, encoding="utf-8")
        return ""
    for number, (a, b) in enumerate(zip(expected.split("\n"), found.split("\n")), 1):
        if a != b:
            return f"{path.name}:{number}: expected\n  {a}\nfound\n  {b}"
    return f"{path.name}: found {found.count(chr(10))} lines, expected {expected.count(chr(10))}"


def main():
    paths = sorted(TEXTS.glob("*.txt"))
    complaints = [said for said in map(check, paths) if said]
    print("\n".join(complaints))
    print(f"{len(paths) - len(complaints)} of {len(paths)} texts are as expected")
    return 1 if complaints or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
