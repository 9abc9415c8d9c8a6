#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""If, Loop and Scan as operators of archives of torch.export, and what these compute."""

import io
import json
import unittest
import zipfile

import numpy as np

from pt2_archive import program_of
from pt2_written_case import WrittenCase


class LoopsTest(WrittenCase):
    def test_branches_and_loops_are_higher_order_operators(self):
        archive = self.convert_text("""entry main(%x: f32[3], %more: bool[], %n: i64[]) -> (%y, %z) {
  const %go: bool[] = true
  %y: f32[3] = onnx.If(%more) {
    else_branch = graph e() -> (%a) {
      %a: f32[3] = onnx.Neg(%x)
    },
    then_branch = graph t() -> (%b) {
      %b: f32[3] = onnx.Relu(%x)
    }
  }
  %z: f32[3] = onnx.Loop(%n, %go, %x) {
    body = graph b(%i: i64[], %c: bool[], %s: f32[3]) -> (%c, %t) {
      %t: f32[3] = onnx.Add(%s, %x)
    }
  }
}
""")
        self.assertEqual([t for t in self.targets(archive) if t.startswith("higher_order")],
                         ["higher_order.cond", "higher_order.while_loop"])
        y, z = self.run_outputs(archive, x=np.array([1, -2, 3], "f4"), more=np.array(False),
                                n=np.array(3))
        np.testing.assert_array_equal(y, [-1, 2, -3])
        np.testing.assert_array_equal(z, [4, -8, 12])

    def test_older_releases_have_their_form(self):
        # Before 2.9: no top folder, weights as torch.save writes them, and a schema without names
        # of nodes. Before 2.7 a scan states its axis and its direction.
        text = """entry main(%x: f32[4, 3], %s: f32[3]) -> (%last, %all) {
  const %factor: f32[3] = [1.0, 2.0, 3.0]
  %last: f32[3], %all: f32[4, 3] = onnx.Scan(%s, %x) {
    body = graph b(%state: f32[3], %row: f32[3]) -> (%next, %next) {
      %scaled: f32[3] = onnx.Mul(%row, %factor)
      %next: f32[3] = onnx.Add(%state, %scaled)
    },
    num_scan_inputs = 1
  }
}
"""
        for release, operands in (("2.6", 6), ("2.8", 4)):
            archive = self.convert_text(text, "--torch-version", release)
            with zipfile.ZipFile(archive) as records:
                self.assertEqual(set(records.namelist()), {
                    "serialized_constants.pt", "serialized_example_inputs.pt",
                    "serialized_exported_program.json", "serialized_state_dict.pt", "version"})
                self.assertEqual(records.read("version"), b"8.2")
                program = json.loads(records.read("serialized_exported_program.json"))
                state = records.read("serialized_state_dict.pt")
            nodes = program["graph_module"]["graph"]["nodes"]
            self.assertEqual(set(nodes[0]), {"target", "inputs", "outputs", "metadata"})
            scan = next(node for node in nodes if node["target"].endswith("scan"))
            self.assertEqual(len(scan["inputs"]), operands)
            with zipfile.ZipFile(io.BytesIO(state)) as saved:
                self.assertIn(b"_rebuild_parameter", saved.read("archive/data.pkl"))
                self.assertEqual(np.frombuffer(saved.read("archive/data/0"), "f4").tolist(), [1, 2, 3])
        _, rows = self.run_outputs(archive, x=np.ones((4, 3), "f4"), s=np.zeros(3, "f4"))
        np.testing.assert_array_equal(rows[-1], [4, 8, 12])

    def test_a_loop_that_collects_is_a_scan(self):
        archive = self.convert_text("""entry main(%x: f32[3], %n: i64[]) -> (%last, %all) {
  const %go: bool[] = true
  %last: f32[3], %all: f32[t, 3] = onnx.Loop(%n, %go, %x) {
    body = graph b(%i: i64[], %more: bool[], %s: f32[3]) -> (%more, %t, %t) {
      %t: f32[3] = onnx.Add(%s, %x)
    }
  }
}
""")
        self.assertEqual([t for t in self.targets(archive) if t.startswith("higher_order")],
                         ["higher_order.scan"])
        last, every = self.run_outputs(archive, x=np.array([1, -2, 3], "f4"), n=np.array(2))
        np.testing.assert_array_equal(last, [3, -6, 9])
        np.testing.assert_array_equal(every, [[2, -4, 6], [3, -6, 9]])

    def test_bodies_of_one_call_take_the_same(self):
        archive = self.convert_text("""entry main(%c: bool[], %x: f32[2], %y: f32[2]) -> (%z) {
  %z: f32[2] = onnx.If(%c) {
    else_branch = graph e() -> (%a) {
      %a: f32[2] = onnx.Neg(%x)
    },
    then_branch = graph t() -> (%b) {
      %b: f32[2] = onnx.Relu(%y)
    }
  }
}
""")
        program, _ = program_of(archive)
        call = program["graph_module"]["graph"]["nodes"][-1]
        for branch in call["inputs"][1:3]:
            graph = branch["arg"]["as_graph"]["graph"]
            self.assertEqual(len(graph["inputs"]), 2)
            for given in graph["inputs"]:
                self.assertIn(given["as_tensor"]["name"], graph["tensor_values"])

    def test_a_loop_that_collects_until_data_say_so(self):
        archive = self.convert_text("""entry main(%x: f32[2]) -> (%all) {
  const %go: bool[] = true
  const %most: f32[] = 10.0
  %last: f32[2], %all: f32[t, 2] = onnx.Loop(_, %go, %x) {
    body = graph b(%i: i64[], %more: bool[], %s: f32[2]) -> (%goes, %n, %n) {
      const %axis: i64[1] = [0]
      %n: f32[2] = onnx.Add(%s, %s)
      %sum: f32[] = onnx.ReduceSum(%n, %axis) {keepdims = 0}
      %goes: bool[] = onnx.Less(%sum, %most)
    }
  }
}
""")
        # It grows, so that torch can keep no gradients of it.
        self.assertIn("higher_order.wrap_with_set_grad_enabled", self.targets(archive))
        every, = self.run_outputs(archive, x=np.array([1, 2], "f4"))
        np.testing.assert_array_equal(every, [[2, 4], [4, 8]])

    def test_what_is_around_a_loop_that_collects_learns_nothing_either(self):
        """PyTorch traces a body for its gradients, and then wants to know all sizes in it."""
        archive = self.convert_text("""entry main(%x: f32[3, 2]) -> (%sums) {
  const %go: bool[] = true
  const %trips: i64[] = 3
  %sums: f32[3, 2] = onnx.Loop(%trips, %go) {
    body = graph outer(%i: i64[], %more: bool[]) -> (%more, %sum) {
      const %axis: i64[1] = [0]
      %row: f32[2] = onnx.Gather(%x, %i)
      %last: f32[2], %all: f32[t, 2] = onnx.Loop(_, %go, %row) {
        body = graph inner(%j: i64[], %again: bool[], %s: f32[2]) -> (%goes, %n, %n) {
          const %most: f32[] = 10.0
          %n: f32[2] = onnx.Add(%s, %s)
          %total: f32[] = onnx.ReduceSum(%n, %axis) {keepdims = 0}
          %goes: bool[] = onnx.Less(%total, %most)
        }
      }
      %sum: f32[2] = onnx.ReduceSum(%all, %axis) {keepdims = 0}
    }
  }
}
""")
        self.assertIn("higher_order.wrap_with_set_grad_enabled", self.targets(archive))
        self.assertNotIn("higher_order.scan", self.targets(archive))
        sums, = self.run_outputs(archive, x=np.array([[1, 2], [3, 3], [0.5, 0.5]], "f4"))
        np.testing.assert_array_equal(sums, [[6, 12], [6, 6], [15, 15]])

    def test_what_a_body_takes_has_memory_of_its_own(self):
        # torch's passes take no two operands that lie in one tensor, and no operand that is unread.
        archive = self.convert_text("""entry main(%x: f32[3, 4], %s: f32[2]) -> (%last) {
  const %go: bool[] = true
  const %trips: i64[] = 3
  const %row: i64[] = 1
  %a: f32[3, 2], %b: f32[3, 2] = onnx.Split(%x) {axis = 1, num_outputs = 2}
  %last: f32[2] = onnx.Loop(%trips, %go, %s) {
    body = graph b(%i: i64[], %more: bool[], %t: f32[2]) -> (%more, %next) {
      const %axis: i64[1] = [0]
      %p: f32[2] = onnx.Gather(%a, %i)
      %q: f32[2] = onnx.Gather(%b, %i)
      %r: f32[2] = onnx.Mul(%p, %q)
      %u: f32[1, 2] = onnx.Unsqueeze(%r, %axis)
      %v: f32[2] = onnx.Squeeze(%u, %axis)
      %next: f32[2] = onnx.Add(%t, %v)
    }
  }
}
""", "--passes", "none")
        program, _ = program_of(archive)
        loop = next(node for node in program["graph_module"]["graph"]["nodes"]
                    if "higher_order" in node["target"])
        captured = [tensor["name"] for tensor in loop["inputs"][-1]["arg"]["as_tensors"]]
        self.assertEqual(len([name for name in captured if name.startswith("clone")]), 1)
        self.assertEqual(len(captured), 3)  # both parts, and how many iterations there are
        x = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [1, 1, 1, 1]], "f4")
        last, = self.run_outputs(archive, x=x, s=np.zeros(2, "f4"))
        np.testing.assert_array_equal(last, [39, 57])

    def test_boxes_are_chosen_by_a_scan(self):
        archive = self.convert_text("""entry main(%boxes: f32[1, 4, 4], %scores: f32[1, 2, 4],
    %limit: i64[]) -> (%chosen) {
  const %overlap: f32[] = 0.5
  const %least: f32[] = 0.1
  %chosen: i64[n, 3] = onnx.NonMaxSuppression(%boxes, %scores, %limit, %overlap, %least)
}
""")
        self.assertIn("higher_order.scan", self.targets(archive))
        boxes = np.array([[[0, 0, 2, 2], [0, 0, 2, 1.9], [5, 5, 6, 6], [2, 2, 0, 0]]], "f4")
        scores = np.array([[[0.5, 0.9, 0.05, 0.8], [0.2, 0.3, 0.4, 0.3]]], "f4")
        chosen, = self.run_outputs(archive, boxes=boxes, scores=scores, limit=np.array(2))
        np.testing.assert_array_equal(chosen, [[0, 0, 1], [0, 1, 2], [0, 1, 1]])


if __name__ == "__main__":
    unittest.main()
