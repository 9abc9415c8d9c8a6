#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Archives as older versions of torch saved them, whose weights are pickles: read, written again
unchanged, and damaged. pickled_tensors.py makes the pickles."""

import pathlib
import sys
import unittest

import numpy as np

from commands import complaint, dragoman

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from exported_case import ExportedPrograms
from exported_programs import Program, save_records
from pickled_tensors import Elements, saved

RANDOM = np.random.default_rng(9)


def draw(*sizes):
    return RANDOM.standard_normal(sizes).astype(np.float32)


class OlderLayouts(ExportedPrograms):
    def program(self):
        """Weights that are whole, tied, turned, a part; a buffer that is not saved; a constant."""
        p = Program()
        self.w, self.h = draw(2, 3), draw(2, 3)
        whole = p.weight("fc.weight", self.w, record="weight_0")
        tied = p.weight("fc2.weight", self.w, record="weight_0")
        turned = p.weight("t", self.w, record="weight_0", sizes=[3, 2], strides=[1, 3])
        part = p.weight("part", self.w, record="weight_0", sizes=[2], strides=[3], offset=1)
        held = p.weight("h", self.h, "buffer", persistent=False)
        constant = p.weight("lifted", np.int64([4, 5]), "tensor_constant")
        x = p.input("x", [2, 3])
        y = p.aten("add.Tensor", p.aten("mul.Tensor", x, whole, names=["self", "other"]), tied)
        z = p.aten("mm.default", p.aten("sub.Tensor", x, held, alpha=2), turned)
        return p.output(y, z, p.aten("mul.Tensor", part, 2), p.aten("add.Tensor", constant, 1))

    def expected(self, a):
        w = self.w
        return [a * w + w, (a - 2 * self.h) @ w.T, w[:, 1] * 2, np.int64([5, 6])]

    def test_layouts(self):
        a = draw(2, 3)
        for name, save in (("2.5", lambda p: p.save_as_2_7(self.model, (7, 3))),
                           ("2.6 and 2.7", lambda p: p.save_as_2_7(self.model)),
                           ("2.8", lambda p: p.save_as_2_8(self.model)),
                           ("today", lambda p: p.save(self.model))):
            with self.subTest(name):
                save(self.program())
                self.expect([a], self.expected(a))
                self.assertIn("pt2 model",
                              dragoman("inspect", self.model).stdout)

    def test_weights_are_written_as_they_were_only(self):
        self.program().save_as_2_7(self.model)
        text = self.work / "net.dgt"
        self.assertEqual(complaint(dragoman("convert", self.model, "-o", text)), "")
        line = "const %c_lifted: i64[2] = [4, 5]"
        self.assertIn(line, text.read_text())
        text.write_text(text.read_text().replace(line, "const %c_lifted: i64[2] = [4, 6]"))
        done = dragoman("convert", text, "-o", self.work / "again.pt2")
        self.assertEqual(done.returncode, 4)
        self.assertIn("save the archive again with a newer torch", done.stderr)
        text.write_text(text.read_text().replace("[4, 6]", "[4, 5]")
                        .replace("aten.sub.Tensor", "aten.add.Tensor"))
        self.assertEqual(complaint(dragoman("convert", text, "-o", self.model)), "")
        a = draw(2, 3)
        expected = self.expected(a)
        expected[1] = (a + 2 * self.h) @ self.w.T
        self.expect([a], expected)

    def test_other_versions(self):
        self.program().save_as_2_7(self.model, (5, 1))
        self.expect_refused(4, "schema version 5; those that are known are 7 and 8", [draw(2, 3)])

    def refused_with(self, code, message, **records):
        p = self.program()
        contents = {"serialized_exported_program.json": p.older_json((8, 2)),
                    "serialized_state_dict.pt": saved(p.stored_tensors("weights")),
                    "serialized_constants.pt": saved(p.stored_tensors("constants")),
                    "version": "8.2"}
        for name, data in records.items():
            contents[name + ".pt"] = data
        save_records(self.model, {k: v for k, v in contents.items() if v is not None}, "")
        self.expect_refused(code, message, [draw(2, 3)])

    def test_records_that_do_not_fit(self):
        good = saved(self.program().stored_tensors("weights"))
        self.refused_with(2, "the archive has no data of tensor \"fc.weight\"",
                          serialized_state_dict=None)
        self.refused_with(2, "record serialized_state_dict.pt", serialized_state_dict=good[:-30])
        self.refused_with(2, "record serialized_state_dict.pt", serialized_state_dict=b"\x80\x02.")
        hostile = good.replace(b"_rebuild_tensor_v2", b"_load_from_bytes_x")
        self.refused_with(2, "record serialized_state_dict.pt", serialized_state_dict=hostile)
        short = saved({"fc.weight": self.stored(sizes=[2, 3], held=4)})
        self.refused_with(2, "record serialized_state_dict.pt", serialized_state_dict=short)

    @staticmethod
    def stored(sizes, held):
        p = Program()
        p.weight("w", draw(held))
        tensor = p.stored_tensors("weights")["w"]
        tensor.sizes, tensor.strides = tuple(sizes), (3, 1)
        assert isinstance(tensor.elements, Elements)
        return tensor

    def test_damage(self):
        self.program().save_as_2_7(self.model)
        whole = self.model.read_bytes()
        for i in range(60):
            at = int(RANDOM.integers(len(whole)))
            damaged = bytearray(whole[:at]) if i % 2 else bytearray(whole)
            if not i % 2:
                damaged[at] ^= 1 << int(RANDOM.integers(8))
            self.model.write_bytes(bytes(damaged))
            done = dragoman("inspect", self.model)
            self.assertIn(done.returncode, (0, 2, 4), f"byte {at}: {done.stderr}")


if __name__ == "__main__":
    unittest.main()
