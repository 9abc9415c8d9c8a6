#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every source states its licence in its first line, or in the second behind #!.

Usage: check_licences.py [ROOT]

Prints one line a finding, FILE: error: what, and exits 1 if there is any; 77, "skipped", where git
does not show what the sources are.
"""

import pathlib
import subprocess
import sys

LICENCE = "Apache-2.0"
# What generated programs and modules contain: runtime/LICENSE has the exception.
SHIPPED_LICENCE = "Apache-2.0 WITH LLVM-exception"
SHIPPED = ("runtime/", "codegen/relax/packed_functions.py")

COMMENTS = {".h": "//", ".hpp": "//", ".cc": "//", ".proto": "//", ".js": "//",
            ".py": "#", ".sh": "#", ".cmake": "#", "CMakeLists.txt": "#"}


def comment_of(path):
    return COMMENTS.get(pathlib.PurePosixPath(path).name) or COMMENTS.get(
        pathlib.PurePosixPath(path).suffix)


def problem(path, text):
    """What is wrong with the licence of the source, or None."""
    licence = SHIPPED_LICENCE if path.startswith(SHIPPED) else LICENCE
    wanted = f"{comment_of(path)} SPDX-License-Identifier: {licence}"
    lines = text.split("\n", 2)
    line = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
    return None if line == wanted else f"the first line must be \"{wanted}\""


def tracked_files(root):
    """The files of the checkout, by their paths from its root."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=root,
                            capture_output=True, text=True)
    if listed.returncode != 0:
        print("skipped: not a git checkout")
        sys.exit(77)
    for path in listed.stdout.split("\0"):
        if (root / path).is_file():
            yield path


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    findings = 0
    for path in tracked_files(root):
        if not comment_of(path):
            continue
        text = (root / path).read_text(encoding="utf-8", errors="surrogateescape")
        what = problem(path, text) if text else None
        if what:
            print(f"{path}: error: {what}", file=sys.stderr)
            findings += 1
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
