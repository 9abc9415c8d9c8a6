#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers as torch.export writes them before and after run_decompositions(): the formulas are those of
torch 2.11. Both end as one common graph. Archives are made by exported_programs.py."""

import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from command_case import CommandCase
from exported_programs import Program, Raw

RANDOM = np.random.default_rng(11)
NONE, MEAN, SUM = 0, 1, 2


def log1p_of_power(g, x):
    return g.aten("log1p.default", g.aten("exp.default",
                                          g.aten("neg.default", g.aten("abs.default", x))))


def log_sigmoid(g, x):
    bounded = g.aten("minimum.default", g.aten("full.default", [], 0.0), x)
    return g.aten("sub.Tensor", bounded, log1p_of_power(g, x))


def bce_with_logits(g, x, y):
    right = g.aten("mul.Tensor", g.aten("rsub.Scalar", y, 1), x)
    return g.aten("sub.Tensor", right, log_sigmoid(g, x))


def bce(g, x, y):
    wrong = g.aten("mul.Tensor", g.aten("sub.Tensor", y, 1), g.aten(
        "maximum.default", g.aten("log1p.default", g.aten("neg.default", x)),
        g.aten("full.default", [], -100)))
    right = g.aten("mul.Tensor", y, g.aten("maximum.default", g.aten("log.default", x),
                                           g.aten("full.default", [], -100)))
    return g.aten("mean.default", g.aten("sub.Tensor", wrong, right))


def kl_div(g, x, y):
    product = g.aten("mul.Tensor", y, g.aten("log.default", y))
    zero = g.aten("where.ScalarSelf", g.aten("eq.Scalar", y, 0), 0, product)
    entropy = g.aten("where.ScalarSelf", g.aten("isnan.default", y), float("nan"), zero)
    return g.aten("sub.Tensor", entropy, g.aten("mul.Tensor", y, x))


def mse(g, x, y):
    return g.aten("mean.default", g.aten("pow.Tensor_Scalar", g.aten("sub.Tensor", x, y), 2))


def smooth_l1(g, x, y):
    distance = g.aten("abs.default", g.aten("sub.Tensor", x, y))
    square = g.aten("mul.Tensor", g.aten("pow.Tensor_Scalar", distance, 2), 0.5)
    return g.aten("where.self", g.aten("lt.Scalar", distance, 0.7),
                  g.aten("div.Tensor", square, 0.7), g.aten("sub.Tensor", distance, 0.35))


def multi_margin(g, x, y):
    column = g.aten("unsqueeze.default", y, 1)
    own = g.aten("gather.default", x, 1, column)
    margin = g.aten("add.Tensor", g.aten("rsub.Scalar", own, 1.5), x)
    margin = g.aten("clamp_min.default", margin, 0)
    margin = g.aten("mul.Tensor", margin, margin)
    places = g.aten("arange.start_step", 0, 3, dtype=Raw(as_scalar_type=5))
    others = g.aten("ne.Tensor", places, column)
    return g.aten("mean.dim", g.aten("where.ScalarOther", others, margin, 0), [1])


def attention(g, query, key, value, mask):
    root = 2 ** -0.5  # of 1 / sqrt(4)
    scaled = g.aten("mul.Scalar", query, root)
    keys = g.aten("mul.Scalar", g.aten("permute.default", key, [0, 2, 1]), root)
    zero, hidden = g.aten("full.default", [], 0.0), g.aten("full.default", [], float("-inf"))
    added = g.aten("where.self", mask, zero, hidden)
    scores = g.aten("add.Tensor", g.aten("bmm.default", scaled, keys), added)
    softmax = g.aten("_softmax.default", scores, -1, False)
    visible = g.aten("logical_not.default", g.aten("eq.Scalar", scores, float("-inf")))
    none = g.aten("logical_not.default", g.aten("any.dim", visible, -1, True))
    zeros = g.aten("full_like.default", softmax, 0)
    return g.aten("bmm.default", g.aten("where.self", none, zeros, softmax), value)


def with_row(g, x, row):
    places = g.aten("view.default", g.aten("arange.start_step", 0, 4,
                                           dtype=Raw(as_scalar_type=5)), [4, 1])
    wide = g.aten("expand.default", g.aten("unsqueeze.default", row, 0), [4, 3])
    return g.aten("where.self", g.aten("eq.Scalar", places, 2), wide, x)


def unfold(g, x):
    """Of windows of 2 by 2, by the places of their rows and columns."""
    def places(size):
        begins = g.aten("unsqueeze.default", g.aten("arange.start_step", 0, size - 1,
                                                    dtype=Raw(as_scalar_type=5)), 0)
        inside = g.aten("unsqueeze.default", g.aten("arange.start_step", 0, 2,
                                                    dtype=Raw(as_scalar_type=5)), 1)
        return g.aten("add.Tensor", begins, inside)

    rows = places(4)
    for _ in range(2):
        rows = g.aten("unsqueeze.default", rows, -1)
    windows = g.aten("index.Tensor", x, Raw(as_optional_tensors=[
        {"as_none": True}, {"as_none": True}, {"as_tensor": {"name": rows}},
        {"as_tensor": {"name": places(5)}}]))
    ordered = g.aten("permute.default", windows, [0, 1, 2, 4, 3, 5])
    return g.aten("view.default", ordered, [2, 12, 12])


def heads(g, x):
    parts = [g.aten("squeeze.dims", g.aten("slice.Tensor", x, 1, i, i + 1), [1]) for i in range(3)]
    return g.aten("add.Tensor", g.aten("mul.Tensor", parts[0], parts[1]), parts[2])


def unbound(g, x):
    parts = g.aten("unbind.int", x, 1, results=[3])
    return g.aten("add.Tensor", g.aten("mul.Tensor", parts[0], parts[1]), parts[2])


def lerp(g, x, y):
    difference = g.aten("sub.Tensor", y, x)
    near = g.aten("ge.Scalar", g.aten("full.default", [], 0.25), 0.5)
    base = g.aten("where.self", near, y, x)
    return g.aten("add.Tensor", g.aten("mul.Tensor", difference, 0.25), base)


FORMS = (
    # name, sizes of inputs, as exported, as decomposed
    ("BCEWithLogitsLoss", [[2, 3], [2, 3]],
     lambda g, x, y: g.aten("binary_cross_entropy_with_logits.default", x, y, None, None, NONE),
     bce_with_logits),
    ("BCELoss", [[2, 3], [2, 3]],
     lambda g, x, y: g.aten("binary_cross_entropy.default", x, y), bce),
    ("KLDivLoss", [[2, 3], [2, 3]], lambda g, x, y: g.aten("kl_div.default", x, y, NONE), kl_div),
    ("MSELoss", [[2, 3], [2, 3]], lambda g, x, y: g.aten("mse_loss.default", x, y), mse),
    ("SmoothL1Loss", [[2, 3], [2, 3]],
     lambda g, x, y: g.aten("smooth_l1_loss.default", x, y, NONE, 0.7), smooth_l1),
    ("MultiMarginLoss", [[2, 3], ("int64", [2])],
     lambda g, x, y: g.aten("multi_margin_loss.default", x, y, 2, 1.5, None, NONE), multi_margin),
    ("attention", [[2, 3, 4], [2, 5, 4], [2, 5, 6], ("bool", [3, 5])],
     lambda g, q, k, v, m: g.aten("scaled_dot_product_attention.default", q, k, v, m), attention),
    ("Unfold", [[2, 3, 4, 5]], lambda g, x: g.aten("im2col.default", x, [2, 2], [1, 1], [0, 0],
                                                   [1, 1]), unfold),
    ("unbind", [[2, 3, 4]], unbound, heads),
    ("unbind of one", [[1, 3, 4]], unbound, heads),
    ("lerp", [[2, 3], [2, 3]], lambda g, x, y: g.aten("lerp.Scalar", x, y, 0.25), lerp),
    ("square", [[2, 3]], lambda g, x: g.aten("square.default", x),
     lambda g, x: g.aten("pow.Tensor_Scalar", x, 2)),
    ("written row", [[4, 3], [3]], lambda g, x, y: g.aten("select_scatter.default", x, y, 0, 2),
     with_row),
    ("only step", [[1, 3]], lambda g, x: g.aten("select.int", x, 0, 0),
     lambda g, x: g.aten("squeeze.dims", x, [0])))


class Forms(CommandCase):
    def common(self, name, dialect, sizes, make):
        """The common graph of a program of one layer."""
        p = Program(dialect)
        kinds = [given if isinstance(given, tuple) else ("float32", given) for given in sizes]
        values = [p.input(f"x{i}", shape, kind) for i, (kind, shape) in enumerate(kinds)]
        p.output(make(p, *values)).save(self.out / f"{name}.pt2")
        graph = self.out / f"{name}.dgm"
        self.done("convert", self.out / f"{name}.pt2", "-o", graph, "--level", "common", "--passes",
                  "default")
        return graph

    def test_both_forms_are_one_graph(self):
        for name, sizes, plain, decomposed in FORMS:
            with self.subTest(name):
                first = self.common("plain", "TRAINING", sizes, plain)
                second = self.common("decomposed", "ATEN", sizes, decomposed)
                self.done("diff", first, second)
                self.done("verify", self.out / "plain.pt2", "--against",
                          self.out / "decomposed.pt2", "--random", "2")

    def test_attention_of_both_forms_is_one_step_of_a_program(self):
        _, sizes, plain, decomposed = next(form for form in FORMS if form[0] == "attention")
        for name, dialect, make in (("plain", "TRAINING", plain), ("split", "ATEN", decomposed)):
            self.common(name, dialect, sizes, make)
            self.done("codegen", self.out / f"{name}.pt2", "-o", self.out / name, "--name", "net")
            source = (self.out / name / "net.cc").read_text()
            self.assertIn("// attention: ", source)
            self.assertNotIn("// Softmax", source)

    def test_constants_that_are_detached_in_place_are_no_states(self):
        p = Program("TRAINING")
        number = p.weight("lifted", np.float32([3]), "tensor_constant")
        x = p.input("x", [2])
        fresh = p.aten("detach_.default", p.aten("lift_fresh_copy.default", number))
        other = p.weight("b", np.float32([2]), "buffer")
        p.aten("detach_.default", other)
        p.output(p.aten("mul.Tensor", p.aten("add.Tensor", x, fresh), other))
        p.save(self.out / "net.pt2")
        listing = self.done("convert", self.out / "net.pt2", "-o", "-", "--to", "text", "--level",
                            "common")
        self.assertNotIn("\nstate ", listing)
        self.assertIn("(%x: f32[2])", listing)


if __name__ == "__main__":
    unittest.main()
