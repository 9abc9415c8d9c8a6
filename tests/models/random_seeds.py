# SPDX-License-Identifier: Apache-2.0
"""Seeds for tests that draw their cases; the first is printed, to repeat a failure."""

import argparse
import subprocess


def parse_seed(text):
    """The seed that an option states: a number, or `tree` for one that the committed files give:
    every commit draws other cases, and the same ones whenever it is tested."""
    if text != "tree":
        return int(text)
    tree = subprocess.run(["git", "rev-parse", "--short=7", "HEAD^{tree}"], capture_output=True,
                          text=True, check=False).stdout.strip()
    return int(tree[:7], 16) if tree else 1  # 1: the files are not a clone


def first_seed(given):
    """The seed `given`, or, for None, that of the committed files."""
    seed = given if given is not None else parse_seed("tree")
    print(f"--seed {seed}", flush=True)
    return seed


def parse_rounds(description, rounds):
    """The seeds of the rounds that the command line asks for; `rounds` if it does not say."""
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=parse_seed)
    parser.add_argument("--rounds", type=int, default=rounds)
    args = parser.parse_args()
    first = first_seed(args.seed)
    return range(first, first + args.rounds)
