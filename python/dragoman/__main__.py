# SPDX-License-Identifier: Apache-2.0
"""The command line: `python -m dragoman`, and the script `dragoman` of the package."""

import os
import sys

from dragoman._program import executable


def main():
    program = executable()
    os.execv(program, ["dragoman", *sys.argv[1:]])


if __name__ == "__main__":
    main()
