#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Operators that ATen has no word for come back from the calls of a .pt2 that compute them.

The metadata of a call remarks which operator the calls are, with a digest of them. Reading takes the
operator if the digest is that of the calls; calls that were changed since are read as they stand.
"""
import json
import pathlib
import re
import tempfile
import unittest

import numpy as np

from commands import dragoman
from pt2_archive import drop_remarks, edit_program, edit_records, nodes_of, program_of, remarks_of
from run_outputs import read_outputs

# Operators of one to many calls, with constants that stand in them, open sizes, omitted results, a
# body, and operators that become others before they are written.
GRAPH = """\
entry main(%x: f32[2, 5], %open: f32[n, 4, 6], %c: bool[], %u: u8[n, 4]) -> (%hard, %mean, %norm, %cut, %hot, %chosen, %q, %lu, %whole, %ends) {
  const %depth: i64[] = 4
  const %values: f32[2] = [0.5, 2.0]
  const %begin: i64[1] = [-3]
  const %end: i64[1] = [9223372036854775807]
  const %axis: i64[1] = [1]
  const %scale: f32[] = 0.25
  const %zero: u8[] = 3
  const %weights: f32[6, 3] = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 1, 1], [2, 2, 2], [3, 1, 2]]
  %hard = onnx.Hardmax(%x) {axis = 0}
  %mean = onnx.Mean(%x, %x, %hard)
  %norm = onnx.MeanVarianceNormalization(%open) {axes = [0, 2]}
  %cut = onnx.Slice(%open, %begin, %end, %axis)
  %places = onnx.ArgMax(%x) {keepdims = 0}
  %hot = onnx.OneHot(%places, %depth, %values)
  %chosen = onnx.If(%c) {
    then_branch = graph () -> (%a) {
      %a = onnx.Hardmax(%x)
    },
    else_branch = graph () -> (%b) {
      %b = onnx.Celu(%x) {alpha = 2.0}
    }
  }
  %q = onnx.DequantizeLinear(%u, %scale, %zero)
  %lu, %pivots, %order = dragoman.LuFactor(%x)
  %whole = onnx.MatMul(%open, %weights)
  %shrunk = onnx.Shrink(%x) {lambd = 0.25}
  %ends = onnx.Selu(%shrunk) {alpha = 1.5}
}
"""

# Several operators that are one call, sizes that the calls do not compute, a loop by a condition that
# collects, a scan along other axes that reads around itself.
GRAPHS = """\
entry main(%q: f32[b, 2, 4, 8], %k: f32[b, 2, 4, 8], %v: f32[b, 2, 4, 8], %x: f32[b, 3], %n: i64[], %s: f32[3]) -> (%attended, %flat, %last, %sums, %total, %scanned) {
  const %scale: f32[] = 2.828427
  const %minus: i64[1] = [-1]
  const %index: i64[1] = [0]
  const %go: bool[] = true
  const %limit: f32[] = 40.0
  %kt = onnx.Transpose(%k) {perm = [0, 1, 3, 2]}
  %products = onnx.MatMul(%q, %kt)
  %scores = onnx.Div(%products, %scale)
  %weights = onnx.Softmax(%scores)
  %attended = onnx.MatMul(%weights, %v)
  %shape = onnx.Shape(%q)
  %batch = onnx.Gather(%shape, %index)
  %sizes = onnx.Concat(%batch, %minus) {axis = 0}
  %flat = onnx.Reshape(%q, %sizes)
  %last, %sums = onnx.Loop(%n, %go, %s) {
    body = graph (%i: i64[], %c: bool[], %state) -> (%more, %next, %sum) {
      %next = onnx.Add(%state, %s)
      %sum = onnx.ReduceSum(%next) {keepdims = 0}
      %more = onnx.Less(%sum, %limit)
    }
  }
  %total, %scanned = onnx.Scan(%s, %x) {
    num_scan_inputs = 1,
    scan_input_directions = [1],
    scan_output_axes = [1],
    body = graph (%before, %row) -> (%after, %out) {
      %after = onnx.Add(%before, %row)
      %out = onnx.Mul(%after, %s)
    }
  }
}
"""

HARDMAX = """\
entry main(%x: f32[2, 5]) -> (%y: f32[2, 5]) {
  %a: f32[2, 5] = onnx.Exp(%x)
  %h: f32[2, 5] = onnx.Hardmax(%a)
  %y: f32[2, 5] = onnx.Mul(%h, %x)
}
"""
X = np.array([[1, 4, 2, 0, 3], [5, 2, 8, 1, 0]], np.float32)


def hardmax(x, axis):
    return (np.arange(x.shape[axis]).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
            == x.argmax(axis, keepdims=True)).astype(np.float32)


def set_number(old, new):
    """An edit of a node: another integer among its arguments."""
    def edit(node):
        argument, = [each["arg"] for each in node["inputs"] if each["arg"].get("as_int") == old]
        argument["as_int"] = new
    return edit


class RemarksTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        self.source = self.work / "model.dgt"
        self.archive = self.work / "model.pt2"

    def convert(self, text=HARDMAX, *options):
        self.source.write_text(f'dragoman 1 common onnx\nopset "" 22\n\n{text}')
        self.check(dragoman("convert", self.source, "-o", self.archive, "--passes", "none", *options))

    def check(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def operators(self):
        done = self.check(dragoman("convert", self.archive, "-o", "-", "--to", "text", "--level",
                                   "common", "--passes", "none"))
        return re.findall(r"= ([a-z]+\.\w+)\(", done.stdout.split("origins {")[0])

    def run_archive(self, x):
        np.save(self.work / "x.npy", x)
        out = self.work / "out"
        self.check(dragoman("run", self.archive, "--input", f"x={self.work / 'x.npy'}", "-o", out))
        results = [array for array, _ in read_outputs(out)]
        return results[0] if len(results) == 1 else results

    def change(self, target, edit):
        """Edits the one node of that target."""
        def change(program):
            node, = [node for node in nodes_of(program["graph_module"]["graph"])
                     if node["target"] == "torch.ops." + target]
            edit(node)
        edit_program(self.archive, change)

    def test_operators_come_back(self):
        for version in "latest", "2.8":
            with self.subTest(version):
                self.convert(GRAPH, "--torch-version", version)
                done = dragoman("diff", self.source, self.archive, "--passes", "none")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                drop_remarks(self.archive)
                done = dragoman("diff", self.source, self.archive, "--passes", "none")
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def test_several_operators_and_loops_come_back(self):
        self.convert(GRAPHS)
        done = dragoman("diff", self.source, self.archive, "--passes", "none", "--run", "2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        drop_remarks(self.archive)
        done = dragoman("diff", self.source, self.archive, "--passes", "none")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)

    def test_calls_that_say_all_have_no_remark(self):
        self.convert()
        program, _ = program_of(self.archive)
        remarks = remarks_of(program)
        self.assertNotIn("exp", remarks)
        remark = remarks["scatter"]
        self.assertEqual({key: remark[key] for key in ("type", "operands", "attributes")},
                         {"type": "Hardmax", "operands": ["exp"], "attributes": "{}"})

    def test_changed_calls_are_read_as_they_stand(self):
        def along_0(node):
            axis, = [each for each in node["inputs"] if each["name"] == "dim"]
            axis["arg"]["as_int"] = 0
        self.convert()
        for target in "aten.argmax.default", "aten.scatter.value":
            self.change(target, along_0)
        self.assertNotIn("onnx.Hardmax", self.operators())
        np.testing.assert_array_equal(self.run_archive(X), hardmax(np.exp(X), 0) * X)

    def test_an_operator_that_is_another_than_was_written_is_not_taken(self):
        self.convert()

        def claim(node):
            custom = json.loads(node["metadata"]["custom"])
            custom["operator"]["attributes"] = "{axis = 0}"
            node["metadata"]["custom"] = json.dumps(custom)
        self.change("aten.scatter.value", claim)
        np.testing.assert_array_equal(self.run_archive(X), hardmax(np.exp(X), 1) * X)

    def test_a_part_that_others_read_stays(self):
        self.convert()

        def read_places(program):
            graph = program["graph_module"]["graph"]
            graph["outputs"] = [{"as_tensor": {"name": "argmax"}}]
            program["graph_module"]["signature"]["output_specs"] = [
                {"user_output": {"arg": {"as_tensor": {"name": "argmax"}}}}]
        edit_program(self.archive, read_places)
        np.testing.assert_array_equal(self.run_archive(X), np.exp(X).argmax(1, keepdims=True))

    def test_remarks_do_not_hold_where_something_is_written_in_place(self):
        self.convert()

        def write(program):
            graph = program["graph_module"]["graph"]
            last = graph["nodes"][-1]
            tensor = last["outputs"][0]["as_tensor"]["name"]
            graph["nodes"].append({**last, "target": "torch.ops.aten.add_.Scalar", "name": "more",
                                   "inputs": [
                {"name": "self", "arg": {"as_tensor": {"name": "scatter"}}, "kind": 1},
                {"name": "other", "arg": {"as_float": 1.0}, "kind": 1}],
                "outputs": [{"as_tensor": {"name": "more"}}]})
            graph["tensor_values"]["more"] = graph["tensor_values"][tensor]
            graph["outputs"] = [{"as_tensor": {"name": "more"}}]
            program["graph_module"]["signature"]["output_specs"] = [
                {"user_output": {"arg": {"as_tensor": {"name": "more"}}}}]
        edit_program(self.archive, write)
        self.assertNotIn("onnx.Hardmax", self.operators())
        np.testing.assert_array_equal(self.run_archive(X), hardmax(np.exp(X), 1) + 1)

    def test_sizes_that_another_program_has_are_its_own(self):
        self.convert("""\
entry main(%x: f32[2, 6]) -> (%y) {
  const %sizes: i64[3] = [0, -1, 2]
  %y = onnx.Reshape(%x, %sizes)
}
""")

        def turn(program):
            program["graph_module"]["graph"]["tensor_values"]["x"]["sizes"] = [
                {"as_int": 3}, {"as_int": 4}]
        edit_program(self.archive, turn)
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        np.testing.assert_array_equal(self.run_archive(x), x.reshape(2, 3, 2))

    def test_a_constant_that_the_calls_hold_as_a_number_is_theirs(self):
        self.convert("""\
entry main(%x: f32[6]) -> (%y, %f) {
  const %starts: i64[1] = [1]
  const %ends: i64[1] = [4]
  %y = onnx.Slice(%x, %starts, %ends)
  %f = onnx.Cast(%starts) {to = 1}
}
""")
        self.assertIn("onnx.Slice", self.operators())
        edit_records(self.archive, lambda name, data: np.array([2]).tobytes()
                     if name.endswith("/weight_0") else data)
        y, f = self.run_archive(np.arange(6, dtype=np.float32))
        np.testing.assert_array_equal(y, [1, 2, 3])
        np.testing.assert_array_equal(f, [2])

    def test_sizes_that_the_calls_compute_on_their_own_are_theirs(self):
        self.convert("""\
entry main(%x: f32[n, 6]) -> (%y, %f) {
  const %minus: i64[1] = [-1]
  const %two: i64[1] = [2]
  const %index: i64[1] = [0]
  %shape = onnx.Shape(%x)
  %n = onnx.Gather(%shape, %index)
  %twice = onnx.Mul(%n, %two)
  %sizes = onnx.Concat(%twice, %minus) {axis = 0}
  %y = onnx.Reshape(%x, %sizes)
  %f = onnx.Cast(%sizes) {to = 1}
}
""")
        self.change("aten.mul.Scalar", set_number(2, 3))
        x = np.arange(12, dtype=np.float32).reshape(2, 6)
        y, f = self.run_archive(x)
        np.testing.assert_array_equal(y, x.reshape(4, 3))
        np.testing.assert_array_equal(f, [6, -1])

    def test_sizes_are_what_the_nodes_compute(self):
        """Whatever the archive states of them, which an edit of the nodes leaves as it was."""
        self.convert("""\
entry main(%x: f32[n, 6]) -> (%y) {
  const %two: i64[1] = [2]
  const %value: f32[1, 2] = [[3, 4]]
  const %index: i64[1] = [0]
  %shape = onnx.Shape(%x)
  %n = onnx.Gather(%shape, %index)
  %twice = onnx.Mul(%n, %two)
  %sizes = onnx.Concat(%twice, %two) {axis = 0}
  %y = onnx.Expand(%value, %sizes)
}
""")
        self.assertIn("onnx.Expand", self.operators())

        def change(program):
            node, = [node for node in nodes_of(program["graph_module"]["graph"])
                     if node["target"] == "_operator.mul"]
            set_number(2, 3)(node)
        edit_program(self.archive, change)
        y = self.run_archive(np.zeros((2, 6), np.float32))
        np.testing.assert_array_equal(y, np.tile([[3, 4]], (6, 1)))


if __name__ == "__main__":
    unittest.main()
