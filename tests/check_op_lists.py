#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that lists of operators of the common dialect stand where the operators are defined.

Usage: check_op_lists.py [ROOT]

What is true of an operator belongs in its OpDef (core/ops/op_def.h), so that a new operator has it. Three
names or more in an array or a chain of `||` need a comment at the place, up to twelve lines before or two
behind the first name, in which "By name:" is followed by the reason.

Prints one line a finding, FILE:LINE: error: what, and exits 1 if there is any.
"""

import pathlib
import re
import sys

FOLDERS = ["core", "importers", "exporters", "codegen", "driver", "cli"]
DEFINITIONS = "core/ops"
LEAST = 3
LINES_BEFORE, LINES_BEHIND = 12, 2

_DEFINED = re.compile(r'\b[A-Z]\w*\(\s*"(\w+)"')
_ARRAY = re.compile(r'\{\s*"[\w.]+"(?:\s*,\s*"[\w.]+")+\s*,?\s*\}')
_TEST = r'(?:[\w.>()*-]*\b(?:Is|IsDragoman)\(\s*"[\w.]+"\s*\)|\b\w+ == "[\w.]+")'
_CHAIN = re.compile(rf"{_TEST}(?:\s*\|\|\s*\(*{_TEST})+")
_NAME = re.compile(r'"(?:dragoman\.)?(\w+)"')
_REASON = re.compile(r"//.*\b[Bb]y(?:\s*\n\s*//)? name:")


def defined_operators(root):
    """The names in calls of the functions that define operators: Op("Conv", …), Unary("Abs", …)."""
    texts = [path.read_text() for path in sorted((root / DEFINITIONS).glob("*.cc"))]
    return {name for text in texts for name in _DEFINED.findall(text)}


def is_row(text, start):
    """Whether the braces at `start` are one row of a table, such as {"ReduceL1", "Abs"}."""
    return text[:start].rstrip()[-1:] in ("{", ",") and not text[:start].rstrip().endswith("({")


def check_text(text, operators):
    """Yields (line, what) for each list of operators without a reason."""
    lines = text.split("\n")
    lists = [m for m in _ARRAY.finditer(text) if not is_row(text, m.start())]
    for match in lists + list(_CHAIN.finditer(text)):
        names = [name for name in _NAME.findall(match.group()) if name in operators]
        if len(names) < LEAST:
            continue
        number = text.count("\n", 0, match.start()) + 1
        near = lines[max(number - 1 - LINES_BEFORE, 0):number + LINES_BEHIND]
        if not _REASON.search("\n".join(near)):
            yield number, (f"a list of operators ({', '.join(names)}): extend OpDef, or state the "
                           "reason in a comment, \"By name: …\"")


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    operators = defined_operators(root)
    findings = 0
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix not in (".h", ".cc") or name.startswith(DEFINITIONS + "/"):
            continue
        for line, what in check_text(path.read_text(), operators):
            findings += 1
            print(f"{name}:{line}: error: {what}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
