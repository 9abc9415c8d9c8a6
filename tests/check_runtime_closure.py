#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generated programs get the runtime files that their includes lead to; those must link.

A source is taken along with the header of its name (codegen/onednn/runtime_closure.h), so that
header must declare all that the source defines. The built objects beside $DRAGOMAN_BINARY show what
that is.
"""

import os
import pathlib
import re
import subprocess
import sys

NAME = re.compile(r"\bdragoman::rt::(\w+)")  # the class or function


def defined(built):
    """The classes and functions of which an object has external symbols of its own."""
    listing = subprocess.run(["nm", "--demangle", "--defined-only", "--extern-only", built],
                             check=True, capture_output=True, text=True).stdout
    strong = [line for line in listing.splitlines() if " T " in line]
    return {name for line in strong for name in NAME.findall(line.split("(")[0])}


def main():
    build = pathlib.Path(os.environ["DRAGOMAN_BINARY"]).resolve().parent
    missing = []
    sources = sorted(pathlib.Path("runtime").rglob("*.cc"))
    for source in sources:
        built = list(build.glob(f"CMakeFiles/*/{source}.o"))
        if not built:
            sys.exit(f"{source} is not built")
        header = source.with_suffix(".h")
        declared = header.read_text() if header.exists() else ""
        missing += [f"{header} does not declare {name}, which {source} defines"
                    for name in sorted(defined(built[0]))
                    if not re.search(rf"\b{name}\b", declared)]
    print("\n".join(missing) or f"{len(sources)} runtime sources have all in their headers")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
