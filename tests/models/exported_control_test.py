#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Higher-order operators of torch.export in archives made by exported_programs.py: branches, loops,
regions, and operators that write to their arguments; compared with what NumPy computes."""

import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from exported_case import ExportedPrograms, bfloat16
from exported_programs import Bool, Graph, Int, Program, Raw, Tensor

RANDOM = np.random.default_rng(8)


def draw(*sizes):
    return RANDOM.standard_normal(sizes).astype(np.float32)


def narrowed(array):
    """Rounded to bfloat16, as float32."""
    return (bfloat16(array).astype(np.uint32) << 16).view(np.float32)


def mixed(*values):
    """Tensors and numbers in one list, as torch writes them."""
    return Raw(as_tensors=[{"name": value} for value in values])


class ControlCase(ExportedPrograms):
    @staticmethod
    def body(name, inputs, make):
        """A graph of inputs of these sizes, numbers where they are Int."""
        graph = Graph(name)
        values = [graph.number(f"{name}_{i}") if sizes is Int else graph.input(f"{name}_{i}", sizes)
                  for i, sizes in enumerate(inputs)]
        kinds = {Tensor: "as_tensor", Bool: "as_sym_bool", Int: "as_sym_int"}
        graph.outputs = [
            {kinds[type(value)]: {"name" if isinstance(value, Tensor) else "as_name": value}}
            if type(value) in kinds else {"as_int": value} for value in make(graph, *values)]
        return graph


class Branches(ControlCase):
    def test_cond(self):
        p = Program()
        weight = p.weight("w", np.full(3, 2, np.float32))
        x = p.input("x", [3])
        yes = self.body("yes", [[3], [3]], lambda g, x, w: [g.aten("mul.Tensor", x, w)])
        no = self.body("no", [[3], [3]], lambda g, x, w: [g.aten("neg.default", x)])
        holds = p.aten("gt.Scalar", p.aten("sum.default", x), 0)
        self.save(p.output(p.hop("cond", holds, yes, no, [x, weight])))
        for a in (np.float32([1, 2, 3]), np.float32([-1, -2, -3])):
            self.expect([a], [a * 2 if a.sum() > 0 else -a])

    def test_cond_on_a_size(self):
        p = Program()
        x = p.input("x", ["s0"])
        n = p.aten("sym_size.int", x, 0, kind=Int)
        yes = self.body("yes", [["s0"]], lambda g, x: [g.aten("mul.Tensor", x, 2)])
        no = self.body("no", [["s0"]], lambda g, x: [g.aten("neg.default", x)])
        long = p.call("_operator.gt", n, 3, kind=Bool)
        self.save(p.output(p.hop("cond", long, yes, no, [x])))
        for a in (draw(2), draw(5)):
            self.expect([a], [a * 2 if len(a) > 3 else -a])

    def test_cond_within_cond_gives_numbers_and_tensors(self):
        p = Program()
        x = p.input("x", ["s0"])
        n = p.aten("sym_size.int", x, 0, kind=Int)
        inner_yes = self.body("inner_yes", [["s0"], Int], lambda g, x, n:
                              [g.aten("mul.Tensor", x, 3), g.call("_operator.add", n, 1, kind=Int)])
        inner_no = self.body("inner_no", [["s0"], Int], lambda g, x, n:
                             [g.aten("neg.default", x), 7])

        def nested(g, x, n):
            holds = g.aten("gt.Scalar", g.aten("sum.default", x), 0)
            y, k = g.hop("cond", holds, inner_yes, inner_no, mixed(x, n), results=2, kinds=[Tensor, Int])
            return [y, k]

        yes = self.body("yes", [["s0"], Int], nested)
        no = self.body("no", [["s0"], Int], lambda g, x, n: [g.aten("relu.default", x), 0])
        long = p.call("_operator.gt", n, 2, kind=Bool)
        y, k = p.hop("cond", long, yes, no, mixed(x, n), results=2, kinds=[Tensor, Int])
        self.save(p.output(y, p.aten("full.default", [2], k, dtype=Raw(as_scalar_type=5))))
        for a in (np.float32([1, -2]), np.float32([1, 2, 3]), np.float32([-1, -2, -3, 1])):
            k = 0 if len(a) <= 2 else len(a) + 1 if a.sum() > 0 else 7
            y = np.maximum(a, 0) if len(a) <= 2 else a * 3 if a.sum() > 0 else -a
            self.expect([a], [y, np.full(2, k)])

    def test_cond_that_writes_to_a_buffer(self):
        p = Program("TRAINING")
        h = p.weight("h", np.zeros(2, np.float32), "buffer")
        x = p.input("x", [2])

        def write(g, x, h):
            g.aten("add_.Tensor", h, x)
            return [g.aten("mul.Tensor", h, 2)]

        yes = self.body("yes", [[2], [2]], write)
        no = self.body("no", [[2], [2]], lambda g, x, h: [g.aten("neg.default", x)])
        holds = p.aten("gt.Scalar", p.aten("sum.default", x), 0)
        self.save(p.output(p.hop("cond", holds, yes, no, [x, h])))
        a = np.float32([1, 2])
        self.expect([a], [np.stack([2 * a, 4 * a, 6 * a])], "--steps", "3", onnx=False)
        self.expect([-a], [np.stack([a, a])], "--steps", "2", onnx=False)


class Loops(ControlCase):
    def test_while_loop(self):
        p = Program()
        x, step = p.input("x", []), p.input("step", [])
        goes_on = self.body("goes_on", [[], [], []], lambda g, x, n, s: [g.aten("lt.Scalar", x, 20)])
        turn = self.body("turn", [[], [], []], lambda g, x, n, s:
                         [g.aten("add.Tensor", g.aten("mul.Tensor", x, 2), s),
                          g.aten("add.Tensor", n, 1)])
        zero = p.aten("full.default", [], 0.0)
        self.save(p.output(*p.hop("while_loop", goes_on, turn, [x, zero], [step], results=[2])))
        for start in (1.0, 7.0, 30.0):
            value, turns = start, 0
            while value < 20:
                value, turns = value * 2 + 1, turns + 1
            self.expect([np.float32(start), np.float32(1)], [np.float32(value), np.float32(turns)])

    def test_while_loop_that_gives_what_all_turns_leave(self):
        p = Program()
        x, step = p.input("x", [2]), p.input("step", [])
        goes_on = self.body("goes_on", [[2], [], []], lambda g, x, n, s:
                            [g.aten("lt.Scalar", g.aten("sum.default", x), 20)])
        turn = self.body("turn", [[2], [], []], lambda g, x, n, s:
                         [g.aten("add.Tensor", g.aten("mul.Tensor", x, 2), s),
                          g.aten("add.Tensor", n, 1)])
        zero = p.aten("full.default", [], 0.0)
        self.save(p.output(*p.hop("while_loop_stack_output", goes_on, turn, [x, zero], [step],
                                  results=[2])))
        for start in (1, 7, 30):  # the last has no iteration
            value, rows = np.float32([start, 1]), []
            while value.sum() < 20:
                value = value * 2 + 1
                rows.append(value)
            turns = np.arange(1, len(rows) + 1, dtype=np.float32) if rows else np.float32([0])
            self.expect([np.float32([start, 1]), np.float32(1)], [np.stack(rows or [value]), turns])

    def test_while_loop_that_stacks_numbers(self):
        p = Program()
        x = p.input("x", ["s0"])
        n = p.aten("sym_size.int", x, 0, kind=Int)
        goes_on = self.body("goes_on", [Int], lambda g, i: [g.call("_operator.gt", i, 0, kind=Bool)])
        turn = self.body("turn", [Int], lambda g, i: [g.call("_operator.sub", i, 1, kind=Int)])
        i = p.hop("while_loop_stack_output", goes_on, turn, mixed(n), mixed(), kind=Int)
        self.save(p.output(p.aten("full.default", [1], i, dtype=Raw(as_scalar_type=5))))
        self.expect_refused(4, "while_loop_stack_output that carries a number", [draw(3)])

    def test_scan(self):
        p = Program()
        h, x, w = p.input("h", [2]), p.input("x", ["s0", 2]), p.input("w", [2])
        combine = self.body("combine", [[2], [2], [2]], lambda g, h, x, w:
                            [g.aten("add.Tensor", g.aten("mul.Tensor", h, w), x),
                             g.aten("neg.default", h)])
        last, ys = p.hop("scan", combine, [h], [x], [w], results=[2])
        self.save(p.output(last, ys))
        for length in (3, 50):
            carry, inputs, weight = draw(2), draw(length, 2), draw(2) / 4
            start, stacked = carry, []
            for row in inputs:
                stacked.append(-carry)
                carry = carry * weight + row
            self.expect([start, inputs, weight], [carry, np.stack(stacked)])

    def test_map(self):
        p = Program()
        x, y = p.input("x", ["s0", 2]), p.input("y", [2])
        body = self.body("body", [[2], [2]], lambda g, x, y:
                         [g.aten("add.Tensor", g.aten("mul.Tensor", x, y), 1)])
        self.save(p.output(*p.hop("map_impl", body, [x], [y], results=[1])))
        a, b = draw(4, 2), draw(2)
        self.expect([a, b], [a * b + 1])

    def test_while_loop_carries_numbers(self):
        p = Program()
        x = p.input("x", ["s0"])
        n = p.aten("sym_size.int", x, 0, kind=Int)
        goes_on = self.body("goes_on", [Int, ["s0"]], lambda g, i, x:
                            [g.call("_operator.gt", i, 0, kind=Bool)])
        turn = self.body("turn", [Int, ["s0"]], lambda g, i, x:
                         [g.call("_operator.sub", i, 1, kind=Int), g.aten("add.Tensor", x, i)])
        i, y = p.hop("while_loop", goes_on, turn, mixed(n, x), mixed(), results=2, kinds=[Int, Tensor])
        self.save(p.output(y, p.aten("full.default", [1], i, dtype=Raw(as_scalar_type=5))))
        for count in (1, 3, 4):
            a = draw(count)
            self.expect([a], [a + count * (count + 1) // 2, np.int64([0])])

    def test_scan_within_scan(self):
        p = Program()
        h, x = p.input("h", [2]), p.input("x", [3, "s0", 2])
        inner = self.body("inner", [[2], [2]], lambda g, h, x:
                          [g.aten("add.Tensor", h, x), g.aten("mul.Tensor", h, x)])

        def outer_turn(g, h, x):
            last, ys = g.hop("scan", inner, [h], [x], mixed(), results=[2])
            return [last, g.aten("sum.dim_IntList", ys, [0])]

        outer = self.body("outer", [[2], ["s0", 2]], outer_turn)
        self.save(p.output(*p.hop("scan", outer, [h], [x], mixed(), results=[2])))
        for length in (1, 2, 5):
            start, inputs = draw(2), draw(3, length, 2)
            carry, sums = start, []
            for rows in inputs:
                total = np.zeros(2, np.float32)
                for row in rows:
                    total, carry = total + carry * row, carry + row
                sums.append(total)
            self.expect([start, inputs], [carry, np.stack(sums)])

    def test_associative_scan(self):
        p = Program()
        x, w = p.input("x", ["s0", 2]), p.input("w", [2])
        join = self.body("join", [[2], [2], [2]], lambda g, a, b, w:
                         [g.aten("add.Tensor", g.aten("mul.Tensor", a, b), w)])
        self.save(p.output(*p.hop("associative_scan", join, [x], [w], results=[1])))
        for length in (1, 4):
            a, w = draw(length, 2), draw(2)
            rows = [a[0]]
            for row in a[1:]:
                rows.append(rows[-1] * row + w)
            self.expect([a, w], [np.stack(rows)])

    def test_associative_scan_along_an_axis_as_torch_2_6_wrote_it(self):
        join = self.body("join", [[], []], lambda g, a, b: [g.aten("add.Tensor", a, b)])
        for axis, sizes in ((1, (3, 4)), (-1, (2, 1))):
            p = Program()
            x = p.input("x", ["s0", "s1"])
            self.save(p.output(*p.hop("associative_scan", join, [x], axis, results=[1])))
            a = draw(*sizes)
            self.expect([a], [np.cumsum(a, axis)])


class Regions(ControlCase):
    def test_regions(self):
        p = Program("TRAINING")
        x = p.input("x", [2])
        no_grad = self.body("no_grad", [[2]], lambda g, x: [g.aten("relu.default", x)])
        plain = self.body("plain", [[2]], lambda g, x: [g.aten("neg.default", x)])
        shared = self.body("shared", [[2]], lambda g, x: [g.aten("mul.Tensor", x, 3)])
        y = p.hop("wrap_with_set_grad_enabled", False, no_grad, x)
        y = p.hop("wrap_with_autocast", "cpu", Raw(as_scalar_type=13), False, False, plain, y)
        y = p.hop("invoke_subgraph", shared, "shared_0", y)
        self.save(p.output(p.hop("invoke_subgraph", shared, "shared_0", y)))
        a = draw(2)
        self.expect([a], [-np.maximum(a, 0) * 9])

    def test_graphs_that_torch_runs_in_another_way(self):
        p = Program("TRAINING")
        x = p.input("x", [2])
        body = self.body("body", [[2]], lambda g, x: [g.aten("mul.Tensor", x, 3)])
        y = p.hop("strict_mode", body, [x])
        y = p.hop("hints_wrapper", body, [y], Raw(as_string_to_argument={}), hints=
                  Raw(as_string_to_argument={"fast": {"as_bool": True}}))
        y = p.hop("foreach_map", body, y)
        y = p.hop("invoke_quant", body, y, scheme="nf4")
        p.output(p.hop("tag_activation_checkpoint", body, y, use_reentrant=False))
        a = draw(2)
        for save in (p.save, p.save_as_2_7):  # where keywords are not marked as such
            save(self.model)
            self.expect([a], [a * 243])

    def test_regions_without_a_program_are_refused(self):
        for name in ("flex_attention", "triton_kernel_wrapper_functional", "run_with_rng_state",
                     "executorch_call_delegate", "call_torchbind"):
            p = Program()
            x = p.input("x", [2])
            body = self.body("body", [[2]], lambda g, x: [g.aten("neg.default", x)])
            self.save(p.output(p.hop(name, x, body, Raw(as_string_to_argument={}), [])))
            self.expect_refused(4, f"operator higher_order.{name} is not supported", [draw(2)])

    def autocast(self, p, make, *values, enabled=True, dtype=13, sizes=()):
        body = self.body("region", sizes, make)
        return p.hop("wrap_with_autocast", "cpu", Raw(as_scalar_type=dtype), enabled, None, body,
                     *values)

    def test_autocast_converts_products_and_keeps_sums(self):
        p = Program("TRAINING")
        w = p.weight("w", draw(4, 3))
        x = p.input("x", [2, 3])

        def make(g, x, w):
            y = g.aten("linear.default", x, w, typed="bfloat16")
            positive = g.aten("relu.default", y, typed="bfloat16")
            return [g.aten("add.Tensor", positive, 1.5, typed="bfloat16")]

        y = self.autocast(p, make, x, w, sizes=[[2, 3], [4, 3]])
        p.declare(y, "bfloat16", [2, 4])
        self.save(p.output(y, p.aten("_to_copy.default", y, dtype=Raw(as_scalar_type=7))))
        a = draw(2, 3)
        weight = np.frombuffer(p.records["data/weights/weight_0"], np.float32).reshape(4, 3)
        product = narrowed(narrowed(a) @ narrowed(weight).T)
        y = narrowed(np.maximum(product, 0) + np.float32(1.5))
        self.expect([a], [(bfloat16(y), "bfloat16"), y])

    def test_autocast_that_is_off_or_of_floats(self):
        p = Program("TRAINING")
        x, w = p.input("x", [2, 3]), p.input("w", [3, 3])

        def inner(g, x, w):
            return [g.aten("mm.default", x, w)]

        def outer(g, x, w):
            off = self.body("off", [[2, 3], [3, 3]], inner)
            y = g.hop("wrap_with_autocast", "cpu", Raw(as_scalar_type=13), False, False, off, x, w)
            low = g.aten("mm.default", x, w, typed="bfloat16")
            return [y, g.aten("mse_loss.default", low, y)]

        body = self.body("region", [[2, 3], [3, 3]], outer)
        y, loss = p.hop("wrap_with_autocast", "cpu", Raw(as_none=True), True, False, body, x, w,
                        results=2)
        self.save(p.output(y, loss))
        a, b = draw(2, 3), draw(3, 3)
        low = narrowed(narrowed(a) @ narrowed(b))
        self.expect([a, b], [a @ b, np.mean((low - a @ b) ** 2, dtype=np.float32)])

    def test_autocast_whose_types_do_not_follow(self):
        for device, target, dtype, message in (
                ("cpu", "lstm_cell.default", "bfloat16", "lstm_cell.default under autocast"),
                ("cpu", "mm.default", "float32", "mm.default under autocast"),
                ("cuda", "mm.default", "bfloat16", "a region under autocast on cuda")):
            p = Program("TRAINING")
            x = p.input("x", [2, 2])
            body = self.body("region", [[2, 2]], lambda g, x: [g.aten(target, x, x, typed=dtype)])
            self.save(p.output(p.hop("wrap_with_autocast", device, Raw(as_scalar_type=13), True,
                                     True, body, x)))
            self.expect_refused(4, message, [draw(2, 2)])

    def test_operators_that_write_to_copies(self):
        p = Program()
        x, y = p.input("x", [3]), p.input("y", [3])
        target = Raw(as_operator="torch.ops.aten.add_.Tensor")
        result, new = p.hop("auto_functionalized", target, self=x, other=y, alpha=2, results=2)
        self.save(p.output(result, new, p.aten("neg.default", x)))
        a, b = draw(3), draw(3)
        self.expect([a, b], [a + 2 * b, a + 2 * b, -a])

    def test_operators_that_write_to_parts_of_copies(self):
        p = Program()
        x, y = p.input("x", [4]), p.input("y", [2])
        target = Raw(as_operator="torch.ops.aten.copy_.default")
        _, new = p.hop("auto_functionalized_v2", target, src=y, _self_base_index=0,
                       _self_slice_dim=0, _self_slice_start=1, _self_slice_end=3, _all_bases=[x],
                       results=2)
        _, strided = p.hop("auto_functionalized_v2", target, src=y, _self_base_index=0,
                           _self_size=[2], _self_stride=[3], _self_storage_offset=0,
                           _all_bases=[x], results=2)
        self.save(p.output(new, strided, p.aten("neg.default", x)))
        a, b = draw(4), draw(2)
        first, second = a.copy(), a.copy()
        first[1:3] = b
        second[::3] = b
        self.expect([a, b], [first, second, -a])

    def test_operators_that_write_to_lists_of_copies(self):
        p = Program()
        x, y, z = p.input("x", [2, 3]), p.input("y", [6]), p.input("z", [3])
        target = Raw(as_operator="torch.ops.aten.unbind_copy.int_out")
        first, second = p.hop("auto_functionalized", target, self=x, dim=0, out=[z, z], results=2)
        p.nodes[-1]["outputs"] = [{"as_none": True},
                                  {"as_tensors": [{"name": first}, {"name": second}]}]
        _, part, whole = p.hop("auto_functionalized_v2", target, self=x, dim=0, _out_length=2,
                               _out_0_base_index=1, _out_1_base_index=0, _out_1_slice_dim=0,
                               _out_1_slice_start=2, _out_1_slice_end=5, _all_bases=[y, z],
                               results=3)
        self.save(p.output(first, second, part, whole, p.aten("neg.default", z)))
        rows, a, b = draw(2, 3), draw(6), draw(3)
        written = a.copy()
        written[2:5] = rows[1]
        self.expect([rows, a, b], [rows[0], rows[1], written, rows[0], -b])

    def test_products_of_bytes_in_a_wider_type(self):
        p = Program()
        x, y = p.input("x", [2, 3], "int8"), p.input("y", [3, 4], "int8")
        product = Raw(as_operator="torch.ops.aten.mm.default")
        self.save(p.output(p.hop("out_dtype", product, Raw(as_scalar_type=4), x, y)))
        a, b = (RANDOM.integers(-128, 128, sizes).astype(np.int8) for sizes in ((2, 3), (3, 4)))
        self.expect([a, b], [a.astype(np.int32) @ b.astype(np.int32)])

    def test_prints(self):
        p = Program()
        x = p.input("x", [])
        y = p.aten("mul.Tensor", x, 2)
        p.hop("print", "twice {before} is {after}", results=0, before=x, after=y)
        self.save(p.output(y))
        done, _ = self.run_on(self.model, [np.float32(1.5)])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("twice 1.5 is 3", done.stdout + done.stderr)
        self.expect_written_again()

    def test_tokens_that_order_calls(self):
        p = Program()
        x, token = p.input("x", [3]), p.aten("full.default", [], 0.0)
        token = p.aten("_functional_assert_async.msg", p.aten("all.default", x), "a zero", token)
        target = Raw(as_operator="torch.ops.aten.mul.Tensor")
        token, y = p.hop("with_effects", token, target, x, 3, results=2)
        self.save(p.output(y, token))
        a = draw(3)
        self.expect([a], [a * 3, np.float32(0)], onnx=False)
        done, _ = self.run_on(self.model, [a * 0])
        self.assertIn("a zero", done.stderr)

    def test_tokens_of_the_program(self):
        """As torch decomposes linalg.inv; the check has no result beside the token."""
        p = Program()
        token, x = p.token("token"), p.input("x", [2, 2])
        inverse, info = p.aten("linalg_inv_ex.default", x, results=2)
        check = Raw(as_operator="torch.ops.aten._linalg_check_errors.default")
        p.leave(p.hop("with_effects", token, check, info, "linalg.inv", is_matrix=True))
        self.save(p.output(inverse))
        a = np.array([[2, 1], [1, 3]], np.float32)
        self.expect([a], [np.linalg.inv(a)])

    def test_operators_that_write_and_are_not_known(self):
        p = Program()
        x = p.input("x", [3])
        _, new = p.hop("auto_functionalized", Raw(as_operator="torch.ops.mine.sin_.default"), x=x,
                       results=2)
        self.save(p.output(new))
        self.expect_refused(4, "operator mine.sin_.default is not supported", [draw(3)])


if __name__ == "__main__":
    unittest.main()
