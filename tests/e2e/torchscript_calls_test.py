#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every operator that is read from torch, called with arguments that need not fit it.

A program of one line is written for each; `inspect` may understand or refuse it, no more.
"""

import json
import pathlib
import random
import tempfile
import unittest

from commands import complaint, dragoman
from script_archive import write_script

ARGUMENTS = ["", "x", "1", "[]", "None", "[x, x]", "int(x)", "x, x", "x, 1", "x, []", "x, int(x)",
             "x, float(x)", "x, [int(x)]", "x, None", "x, x, x", "x, [], []", "x, 1, 1",
             "x, int(x), int(x)", "annotate(List[Tensor], [])"]
FORWARD = """  def forward(self: __torch__.M,
    x: Tensor) -> Tensor:
    return {}({})
"""
UNDERSTOOD_OR_REFUSED = (0, 2, 4)
CALLS = 700
FACTS = [(), ("--shape", "x=f32:2,3")]
# A size that is not known, a number known only at run time, fewer tensors than axes.
FIRST_CALLS = [("repeat_interleave", "x, 2, 0"), ("linalg_cond", "x, x"),
               ("gradient", "x, spacing=[x]")]


def operators():
    listed = json.loads(dragoman("ops", "--from", "aten", "--json").stdout)
    return sorted({row["op"].split(".")[1] for row in listed})


def write_archive(path, function, arguments):
    write_script(path, FORWARD.format(function, arguments))


class TorchScriptCalls(unittest.TestCase):
    def test_a_call_that_fits_is_understood(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "call.pt"
            write_archive(path, "torch.relu", "x")
            self.assertEqual(complaint(dragoman("inspect", path)), "")

    def test_others_are_understood_or_refused(self):
        draw = random.Random(1)
        names = operators()
        self.assertGreater(len(names), CALLS // 2)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "call.pt"
            calls = [(*call, facts) for call in FIRST_CALLS for facts in FACTS]
            calls += [(draw.choice(names), draw.choice(ARGUMENTS), draw.choice(FACTS))
                      for _ in range(CALLS)]
            for name, arguments, facts in calls:
                function = f"torch.{name}"
                write_archive(path, function, arguments)
                done = dragoman("inspect", path, *facts)
                with self.subTest(f"{function}({arguments})"):
                    self.assertIn(done.returncode, UNDERSTOOD_OR_REFUSED, done.stderr)


if __name__ == "__main__":
    unittest.main()
