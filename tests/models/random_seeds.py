"""Seeds for tests that draw their cases; the first is printed, to repeat a failure."""

import argparse

import numpy as np


def first_seed(given):
    """The seed `given`, or, for None, one that is drawn."""
    seed = given if given is not None else int(np.random.default_rng().integers(1 << 31))
    print(f"--seed {seed}", flush=True)
    return seed


def parse_rounds(description, rounds):
    """The seeds of the rounds that the command line asks for; `rounds` if it does not say."""
    parser = argparse.ArgumentParser(description=description.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int)
    parser.add_argument("--rounds", type=int, default=rounds)
    args = parser.parse_args()
    first = first_seed(args.seed)
    return range(first, first + args.rounds)
