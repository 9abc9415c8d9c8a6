#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges Dragoman by the frameworks of today: what they write it must read, what it writes they
must run, and the numbers must be the same.

usage: run.py [--producers NAME,...] [--consumers NAME,...] [--cases PATTERN] [--share K/N]
              [--programs N] [--minutes M] [--seed commit] [--rotate] [--results FILE]
              [--keep FOLDER] [--report] [--document FILE]

Each producer writes its cases in an environment of its own (scripts/peers.sh), each consumer runs
what Dragoman makes of them. A cell of the table is

    right / refused / rejected / wrong

refused by Dragoman with a reason, rejected by the consumer that was to load or run the result. In
brackets, what does not count: cases that the consumer cannot run, or computes otherwise, from the
producer's own file, and the deviations that deviations.tsv states. README.md has the details.

--share K/N takes the cases whose name hashes to K modulo N, --programs N compiles one program in N
(10). --minutes M ends after that time, of which each producer gets the same part, on cases in drawn
order; --seed commit draws another for each commit. --rotate draws a producer and a consumer by the
commit, too. Older releases are consumers only by name: "ONNX Runtime 1.19.2".
--results FILE collects verdicts of several runs, --report only prints them, --document writes
docs/compatibility.md from them. Exit codes: 0 nothing is wrong; 1 something is; 3 a peer that is
installed does not import; 77 none of the environments is there.
"""

import argparse
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
from driver import document
from driver.matrix import PRODUCERS, Matrix
from driver.results import listing, table
from driver.verdicts import WRONG
from driver.workers import SKIPPED


def command_line():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--producers", default=",".join(PRODUCERS))
    parser.add_argument("--consumers")
    parser.add_argument("--cases", default="*")
    parser.add_argument("--share", default="0/1")
    parser.add_argument("--programs", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--seed", choices=["commit"])
    parser.add_argument("--rotate", action="store_true")
    parser.add_argument("--results", type=pathlib.Path)
    # Processes of peers, which write there, have folders of their own.
    parser.add_argument("--keep", type=lambda folder: pathlib.Path(folder).resolve())
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--document", type=pathlib.Path)
    return parser.parse_args()


def commit():
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=HERE, capture_output=True, text=True)
    return done.stdout.strip() or "none"


def chosen(options, matrix):
    """Producers and consumers, as asked for or as drawn by the commit."""
    producers = options.producers.split(",")
    consumers = options.consumers.split(",") if options.consumers else list(matrix.newest)
    if options.rotate:
        # One environment of a producer, and one of a consumer after ONNX Runtime, are all that can
        # be made in time.
        random.seed(matrix.seed)
        drawn = random.choice(producers)
        producers = [name for name in producers if PRODUCERS[name][1] == PRODUCERS[drawn][1]]
        random.shuffle(producers)
        other = random.choice(["OpenVINO", "Relax", "Relay", "PyTorch"])
        consumers = [name for name in consumers if name not in ("OpenVINO", "Relax", "Relay")
                     or name == other]
        print(f"drawn by the commit: {', '.join(producers)}; {', '.join(consumers)}", flush=True)
    return producers, consumers


def main():
    options = command_line()
    # Processes of peers end with this one, also where it is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="dragoman_peers_",
                                     ignore_cleanup_errors=True) as scratch:
        seed = commit() if options.rotate or options.seed else ""
        matrix = Matrix(options, pathlib.Path(scratch), seed)
        if not options.report:
            matrix.run(*chosen(options, matrix))
        results = matrix.results
        print(table(results, [name for name in matrix.consumers
                              if name in matrix.newest or results.has(name)]))
        print(listing(results))
        if options.document:
            options.document.write_text(document.compatibility(
                results, matrix.deviations, list(matrix.newest), list(matrix.older)))
        if matrix.broken:
            return 3
        if matrix.counts[WRONG]:
            return 1
        return SKIPPED if matrix.absent and not matrix.counts else 0


if __name__ == "__main__":
    sys.exit(main())
