#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What operators of torch give at the edges of their arguments: results of PyTorch 2.14, beside the
calls in TorchScript. The interpreter gives them, and so does the ONNX file."""

import unittest

import numpy as np

from command_case import CommandCase
from run_outputs import read_outputs
from script_archive import write_expressions, write_script

INF, NAN = np.inf, np.nan
F16, F32, F64, I64, I32, I8, U8 = (np.dtype(name) for name in (
    "float16", "float32", "float64", "int64", "int32", "int8", "uint8"))

# Element types are torch's numbers: 0 uint8, 1 int8, 3 int32, 4 int64, 5 float16, 7 float64.
RANGES = (
    ("torch.linspace(0, 9.9, 5, dtype=4)", I64, [0, 2, 4, 6, 9]),
    ("torch.linspace(-9.9, 9.9, 4, dtype=1)", I8, [-9, -3, 3, 9]),
    ("torch.linspace(9.9, -3.3, 6, dtype=3)", I32, [9, 6, 4, 1, 0, -3]),
    ("torch.linspace(0.9, 0.9, 1, dtype=4)", I64, [0]),
    ("torch.linspace(0, 9.9, 4)", F32, [0, 3.3, 6.6, 9.9]),
    ("torch.logspace(0, 2.475, 5, dtype=4)", I64, [1, 3, 10, 31, 100]),
    ("torch.logspace(0, 4, 5, 2.5, dtype=3)", I32, [1, 2, 6, 15, 39]),
    ("torch.arange(0.5, 5.2, dtype=4)", I64, [0, 1, 2, 3, 4]),
    ("torch.arange(0.7, 9.9, 2.5, dtype=4)", I64, [0, 2, 4, 6]),
    ("torch.arange(9.9, 0.2, -1.5, dtype=3)", I32, [9, 8, 7, 6, 5, 4, 3]),
    ("torch.arange(1.5, 10.5, 1.9, dtype=0)", U8, [1, 2, 3, 4, 5]),
    ("torch.arange(1.5, 5.5, 1.9)", F32, [1.5, 3.4, 5.3]),
    ("torch.range(0.7, 9.9, 2.5, dtype=4)", I64, [0, 2, 4, 6, 8]),
    ("torch.range(0.5, 3)", F32, [0.5, 1.5, 2.5]),
)
# Of x, in float32.
LARGE = [3.9e36, 1e38, 1e-20, -1, 0, -0.0, INF, NAN]
LOG1P = [84.25399, 87.49823, 1e-20, -INF, 0, -0.0, INF, NAN]
SHRUNK = [-1, -0.5, -0.2, -0.0, 0.0, 0.2, 0.5, 1]
UNIT = [0, 0.25, 0.5, 0.75, 1, NAN, -0.5, 1.5]
LOG_3 = 1.0986123
# Views of y, a clone of x, which holds 0 … 11 as [3, 4]; what is written to them; what y holds then.
WRITES = (
    ("torch.linalg_diagonal(y)", "torch.fill_({}, 50)", {0: 50, 5: 50, 10: 50}),
    ("torch.linalg_diagonal(y, offset=1)", "torch.mul_({}, 2)", {1: 2, 6: 12, 11: 22}),
    ("torch.ravel(torch.select(y, 1, 1))", "torch.fill_({}, 50)", {}),
    ("torch.ravel(torch.select(y, 0, 1))", "torch.fill_({}, 50)", {4: 50, 5: 50, 6: 50, 7: 50}),
    ("torch.reshape(torch.select(y, 1, 1), [-1])", "torch.fill_({}, 50)", {1: 50, 5: 50, 9: 50}),
    ("torch.expand(torch.slice(y, 1, 0, 1), [3, 5])", "torch.fill_({}, 50)", {0: 50, 4: 50, 8: 50}),
    ("torch.select(torch.expand(torch.slice(y, 0, 0, 1), [3, 4]), 0, 1)", "torch.add_({}, 50)",
     {0: 50, 1: 51, 2: 52, 3: 53}),
    ("torch.expand(torch.slice(y, 0, 0, 1), [2, 4])",
     "torch.index_fill_({}, 0, torch.tensor([1]), 50)", {0: 50, 1: 50, 2: 50, 3: 50}),
    ("torch.expand(torch.slice(y, 1, 0, 1), [3, 2])",
     "torch.masked_fill_({}, torch.tensor([True, False]), 50)", {0: 50, 4: 50, 8: 50}),
    ("torch.unfold(torch.view(y, [12]), 0, 4, 3)", "torch.fill_({}, 50)",
     {k: 50 for k in range(10)}),
    ("torch.unfold(torch.view(y, [12]), 0, 2, 1)",
     "torch.index_fill_({}, 0, torch.tensor([1]), 50)", {1: 50, 2: 50}),
    ("torch.select(torch.unfold(torch.view(y, [12]), 0, 2, 1), 1, 1)", "torch.add_({}, 50)",
     {k: k + 50 for k in range(1, 12)}),
    ("torch.as_strided(y, [3, 2], [1, 1])", "torch.zero_({})", {1: 0, 2: 0, 3: 0}),
)
# Of which torch refuses the first; of the others the order of the visits counts.
ORDERED = ("torch.add_(torch.expand(torch.slice(y, 0, 0, 1), [3, 4]), 1)",
           "torch.add_(torch.unfold(torch.view(y, [12]), 0, 2, 1), 1)",
           "torch.copy_(torch.unfold(torch.view(y, [12]), 0, 2, 1), torch.ones([11, 2]))",
           "torch.neg_(torch.as_strided(y, [3, 2], [1, 1]))")
WRITE = """  def forward(self: __torch__.M,
    x: Tensor) -> Tensor:
    y = torch.clone(x)
    _0 = {}
    return y
"""


def resampled(x, sizes, cubic):
    """Antialiased, with aligned corners: the last two axes, one after the other."""
    def kernel(d):
        d = np.abs(d)
        if not cubic:
            return np.maximum(1 - d, 0)
        near, far = (1.5 * d - 2.5) * d * d + 1, ((-0.5 * d + 2.5) * d - 4) * d + 2
        return np.where(d <= 1, near, np.where(d < 2, far, 0))

    for axis, out in zip((-1, -2), reversed(sizes)):
        count = x.shape[axis]
        scale = (count - 1) / (out - 1) if out > 1 else 0
        width = max(scale, 1)
        reach = (2 if cubic else 1) * width
        rows = np.zeros((out, count))
        for i in range(out):
            centre = scale * (i + 0.5)
            first, end = max(int(centre - reach + 0.5), 0), min(int(centre + reach + 0.5), count)
            rows[i, first:end] = kernel((np.arange(first, end) + 0.5 - centre) / width)
        x = np.moveaxis(np.tensordot(rows / rows.sum(1, keepdims=True), x, (1, axis)), 0, axis)
    return x


class TorchResults(CommandCase):
    def compare(self, inputs, expected, rtol=1e-6):
        """The saved model, and the ONNX file of it: outputs of these types, numbers and signs."""
        np.savez(self.out / "in.npz", **inputs)
        shapes = [f"--shape={name}={array.dtype.name}:{','.join(map(str, array.shape))}"
                  for name, array in inputs.items()]
        self.done("convert", self.out / "m.pt", "-o", self.out / "m.onnx", "-q", *shapes,
                  "--allow-domain", "dragoman")
        for model in ("m.pt", "m.onnx"):
            self.done("run", self.out / model, "-q", "--inputs", self.out / "in.npz",
                      "--output-dir", self.out / "results")
            found = [array for array, _ in read_outputs(self.out / "results")]
            self.assertEqual(len(found), len(expected))
            for array, (name, wanted) in zip(found, expected):
                with self.subTest(name, model=model):
                    self.assertEqual((array.dtype, array.shape), (wanted.dtype, wanted.shape))
                    np.testing.assert_allclose(array, wanted, rtol=rtol, atol=0)
                    zeros = wanted == 0
                    np.testing.assert_array_equal(np.signbit(array[zeros]), np.signbit(wanted[zeros]))

    def expect(self, results, arguments="", rtol=1e-6, **inputs):
        """`results`: (expression, element type, numbers)."""
        write_expressions(self.out / "m.pt", arguments, [("Tensor", text) for text, _, _ in results])
        self.compare(inputs, [(text, np.array(numbers, dtype)) for text, dtype, numbers in results],
                     rtol)

    def test_ranges_of_integers_lie_between_whole_numbers(self):
        self.expect(RANGES)

    def test_log1p_of_large_numbers(self):
        self.expect([("torch.log1p(x)", F32, LOG1P),
                     ("torch.special_log1p(torch.to(x, 7))", F64, LOG1P)],
                    "x: Tensor", x=np.float32(LARGE))

    def test_signs_of_shrunk_numbers(self):
        # As torch's kernels of vectors give them: 16 elements are one, the rest keeps its signs.
        x = np.float32(SHRUNK * 4)
        self.expect([("torch.softshrink(x)", F32, [-0.5, 0, 0, 0, 0, 0, 0, 0.5] * 4),
                     ("torch.softshrink(torch.to(x, 5))", F16, [-0.5, 0, 0, 0, 0, 0, 0, 0.5] * 4),
                     ("torch.softshrink(x, 0.)", F32,
                      np.float32([-1, -0.5, -0.2, 0, 0, 0.2, 0.5, 1] * 4))], "x: Tensor", x=x)

    def test_bounds_that_are_nan(self):
        x = [-2, 0.25, NAN]
        nans = [NAN] * 3
        self.expect([("torch.clamp(x, None, torch.tensor(nan))", F32, nans),
                     ("torch.clamp(x, torch.tensor(nan))", F32, nans),
                     ("torch.clamp(x, torch.tensor(-1.), torch.tensor(nan))", F32, nans),
                     ("torch.clamp(x, None, nan)", F32, nans),
                     ("torch.clamp(x, None, torch.tensor(0.))", F32, [-2, 0, NAN]),
                     ("torch.clamp(x, nan_or_one)", F32, nans),
                     ("torch.clamp_max(x, torch.tensor([nan, 1., 1.]))", F32, [NAN, 0.25, NAN])],
                    "x: Tensor,\n    nan_or_one: Tensor", x=np.float32(x), nan_or_one=np.float32(NAN))

    def test_logits_within_bounds_that_cross(self):
        self.expect([("torch.logit(x, 0.25)", F32,
                      [-LOG_3, -LOG_3, 0, LOG_3, LOG_3, NAN, -LOG_3, LOG_3]),
                     ("torch.logit(x, 0.75)", F32,
                      [LOG_3, LOG_3, LOG_3, -LOG_3, -LOG_3, NAN, LOG_3, -LOG_3]),
                     ("torch.logit(x, -1.)", F32,
                      [-INF, -LOG_3, 0, LOG_3, INF, NAN, NAN, NAN])],
                    "x: Tensor", x=np.float32(UNIT))

    def test_incomplete_gamma_functions_in_place(self):
        lower, upper = [0.6321206, 0.26424113], [0.36787945, 0.7357589]
        calls = [("igamma", lower), ("igamma_", lower), ("igammac", upper), ("igammac_", upper)]
        self.expect([(f"torch.{name}(torch.clone(a), b)", F32, numbers) for name, numbers in calls],
                    "a: Tensor,\n    b: Tensor", a=np.float32([1, 2]), b=np.float32([1, 1]))

    def test_covariance_of_one_variable(self):
        self.expect([("torch.cov(x)", F32, 4.0),
                     ("torch.cov(torch.select(x, 0, 0))", F32, 4.0),
                     ("torch.corrcoef(x)", F32, 1.0),
                     ("torch.cov(torch.cat([x, x]))", F32, [[4.0, 4.0], [4.0, 4.0]])],
                    "x: Tensor", x=np.float32([[1, 3, 5]]))

    def test_norms_of_halves_are_rounded_once(self):
        x = np.float16([[300, 400], [1000, 2000]])
        self.expect([("torch.linalg_vector_norm(x, 2)", F16, 2292.0),
                     ("torch.linalg_vector_norm(x, 1, [1])", F16, [700, 3000]),
                     ("torch.linalg_vector_norm(x, 3, [1])", F16, [449.75, 2080]),
                     ("torch.norm(x, 2, [0])", F16, [1044, 2040])], "x: Tensor", x=x)

    def test_norms_of_matrices_without_elements(self):
        calls = [(f"torch.linalg_norm({x}, {order})", F32, 0)
                 for x in ("x", "torch.t(x)") for order in ("2", "1", "inf", '"nuc"', '"fro"')]
        for sizes in ((0, 0), (0, 3)):
            self.expect(calls, "x: Tensor", x=np.zeros(sizes, np.float32))

    def test_antialiased_images_with_aligned_corners(self):
        image = np.random.default_rng(1).uniform(size=(1, 2, 10, 9)).astype(np.float32)
        cases = [(cubic, sizes) for cubic in (False, True)
                 for sizes in ((5, 7), (12, 20), (1, 1), (10, 4))]
        calls = [f"torch._upsample_{'bicubic' if cubic else 'bilinear'}2d_aa({{}}, {list(sizes)}, True)"
                 for cubic, sizes in cases]
        self.expect([(call.format("x"), F32, resampled(image, sizes, cubic))
                     for call, (cubic, sizes) in zip(calls, cases)], "x: Tensor", 1e-4, x=image)

    def test_antialiased_bytes_with_aligned_corners(self):
        image = np.uint8([[[[0, 10, 200, 255, 30, 60, 90, 7]]]])
        self.expect([("torch._upsample_bilinear2d_aa(x, [1, 3], True)", U8, [[[[98, 90, 38]]]]),
                     ("torch._upsample_bicubic2d_aa(x, [1, 5], True)", U8,
                      [[[[0, 192, 104, 62, 18]]]])], "x: Tensor", x=image)

    def test_writes_through_views(self):
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        for view, call, changed in WRITES:
            write_script(self.out / "m.pt", WRITE.format(call.format(view)))
            expected = x.copy()
            expected.flat[list(changed)] = list(changed.values())
            self.compare({"x": x}, [(call.format(view), expected)])

    def test_writes_whose_order_counts_are_refused(self):
        np.save(self.out / "x.npy", np.ones((3, 4), np.float32))
        for call in ORDERED:
            write_script(self.out / "m.pt", WRITE.format(call))
            said = self.fails(4, "run", self.out / "m.pt", "--input", f"x={self.out / 'x.npy'}",
                              "--output-dir", self.out / "results")
            self.assertIn("several elements lie in one place", said)

    def test_values_of_another_type_under_a_mask(self):
        write_script(self.out / "m.pt", """  def forward(self: __torch__.M,
    x: Tensor,
    n: Tensor) -> Tuple[Tensor, Tensor]:
    mask = annotate(List[Optional[Tensor]], [torch.gt(x, 0)])
    y = torch.index_put_(torch.clone(x), mask, torch.select(n, 0, 1))
    z = torch.index_put_(torch.clone(n), mask, torch.select(x, 0, 0))
    return (y, z)
""")
        self.compare({"x": np.float32([2.5, -1, 3]), "n": np.int64([7, 8, 9])},
                     [("floats", np.float32([8, -1, 8])), ("integers", np.int64([2, 8, 2]))])

    def test_whole_numbers_of_a_number_of_the_program(self):
        write_expressions(self.out / "m.pt", "x: Tensor", [
            ("number", "torch.floor(torch.item(x))"), ("number", "torch.ceil(torch.item(x))"),
            ("float", "torch.round(torch.Float(x))")])
        self.compare({"x": np.float32(-2.75)}, [("floor", np.array(-3)), ("ceil", np.array(-2)),
                                                ("round", np.array(-3.0))])


if __name__ == "__main__":
    unittest.main()
