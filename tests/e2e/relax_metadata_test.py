#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Constants of Relax modules that lie in the metadata which TVM prints in front of them."""

import unittest

import numpy as np

from commands import dragoman
from relax_case import RelaxCase, draw, function
from tvm_arrays import metadata_json

CONSTANT = "relax.expr.Constant"
UNSUPPORTED = 4


class Metadata(RelaxCase):
    def module(self, constants):
        """x · the first constant + the second one, as TVM prints them with show_meta=True."""
        model = self.write(function(f"""
with R.dataflow():
    lv = R.matmul(x, metadata["{CONSTANT}"][0])
    gv = R.add(lv, metadata["{CONSTANT}"][1])
    R.output(gv)
return gv""", x='R.Tensor((2, 40), dtype="float32")'))
        section = metadata_json(constants, CONSTANT).replace("\\", "\\\\").replace('"', '\\"')
        body = "# from tvm.script import relax as R\n\n" + model.read_text()
        model.write_text(f'metadata = tvm.ir.load_json("""{section}""")\n{body}' if constants else body)
        return model

    def test_constants_are_read(self):
        x, weight, bias = draw(2, 40), draw(40, 7), draw(7)
        self.agrees(self.module([weight, bias]), [x @ weight + bias], x=x)

    def test_text_stays_as_it_is(self):
        model = self.module([draw(40, 7), draw(7)])
        self.assertEqual(self.done("convert", model, "-o", "-", "--to", "relax"), model.read_text())

    def test_constants_that_are_not_in_the_text_are_refused_by_place(self):
        for constants, message in ([], "show_meta=True"), ([draw(40, 7)], f"{CONSTANT}[1] is not in"):
            done = dragoman("convert", self.module(constants), "-o", self.out / "refused.onnx")
            self.assertEqual(done.returncode, UNSUPPORTED, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertRegex(done.stderr, r"model\.py:\d+:\d+: ")


if __name__ == "__main__":
    unittest.main()
