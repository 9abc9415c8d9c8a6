#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The time to find recurrences grows with the number of steps, whether one is found or not.

Usage: recurrent_scaling_test.py

Measures the processor time of `dragoman convert` ($DRAGOMAN_BINARY) on the unrolled models of
tests/bench/recurrences.py for 500 and for 2,000 steps. Twice the steps take about 2.4 times as
long, for they outgrow the caches; time that grew with their square would take 16 times as long for
four times the steps. What took longer than the limit is measured again: other programs share the
caches.
"""

import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bench"))
import recurrences  # noqa: E402

STEPS, DOUBLINGS, TRIES = 500, 2, 3
LIMIT = 3 ** DOUBLINGS


class Scaling(unittest.TestCase):
    def test_time_grows_with_the_steps(self):
        for name in recurrences.SCALED:
            with self.subTest(name):
                self.assertLess(self.growth(name), LIMIT)

    def growth(self, name):
        least = [math.inf, math.inf]
        for _ in range(TRIES):
            times = recurrences.convert_seconds(name, (STEPS, STEPS * 2 ** DOUBLINGS), rounds=1)
            least = [min(pair) for pair in zip(least, times)]
            few, many = least
            if many / few < LIMIT:
                break
        print(f"{name}: {few:.2f} s, {many:.2f} s", flush=True)
        return many / few


if __name__ == "__main__":
    unittest.main()
