#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripted programs whose branches and loops cannot take all sizes, with defaults that are tensors, with
functions of numbers, and with calls that need an element type promoted: what torch gives for them, or
that both fail. Skipped where torch is not installed."""

import unittest

import numpy as np

from commands import dragoman
from run_outputs import read_outputs
from scripted_case import ScriptedCase, torch

RATES = """        if rate == 16000:
            y = torch.conv1d(x.view(1, 1, 512), torch.ones(1, 1, 512)).sum()
        else:
            y = F.linear(x, torch.ones(4, 256)).sum()
        return y
"""
TURNS = """        y = x.sum()
        for i in range(n):
            y = y + torch.matmul(x, torch.ones(7, 2)).sum()
        return y
"""
FUNCTIONS = ("math.erf({0})", "math.erfc({0})", "math.lgamma({0})", "math.gamma({0})",
             "math.gamma(-{0} - 0.3)", "math.asinh({0})", "math.acosh({0} + 1.0)",
             "math.atanh({0} / 100.0)")
SHIFTS = ("n << k", "n >> k", "(-n) >> k", "(-n) << k")
CALLS = ("F.avg_pool2d(x, [3, 2], [2, 2], [1, 0], True, True, divisor_override=5)",
         "F.avg_pool2d(x, 2, 2, 0, True, True, divisor_override=3)",
         "F.avg_pool2d(x, [2, 3], 2, 1, True, False, divisor_override=-2)",
         "F.avg_pool3d(x, [2, 3, 3], 2, 1, True, True, divisor_override=3)",
         "torch.outer(b, b[1:])", "torch.einsum('i,j->ij', u, u)",
         "torch.einsum('ij,jk->ik', u.view(2, 2), u.view(2, 2))",
         "torch.linalg.vander(x[0])", "torch.linalg.vander(x[0], N=4)",
         "torch.trapezoid(u)", "torch.trapezoid(u, u)", "torch.cumulative_trapezoid(u, dx=0.5)",
         "torch.trapz(u, x.view(-1)[:4])", "torch.cumulative_trapezoid(u.view(2, 2), u[:2])",
         "torch.trapezoid(u.to(torch.int8), dx=3)", "torch.trapezoid(x, dim=2)",
         "torch.ldexp(u[:3], b)", "torch.kron(x, u[:2])",
         "torch.kron(u, x)", "F.pairwise_distance(x[0, 0, 0, 0], x[0, 0, 1, 1])")
# Functions that give their operand, or what shares its elements; others give a copy.
SAME = ("F.dropout(y, 0.5, False)", "F.alpha_dropout(y, 0.5, False)", "y.type_as(y)", "y.data",
        "y.sum_to_size([4, 6])", "torch.as_tensor(y)", "torch.cartesian_prod([y[0]])",
        "torch.broadcast_tensors([y, y[0]])[0]", "torch.atleast_3d([y, y])[1]",
        "torch.meshgrid([y[0], y[1, :1]])[0]", "y.conj_physical()", "torch.unsafe_chunk(y, 2)[1]",
        "y.contiguous(memory_format=torch.contiguous_format)", "y.as_strided([2, 3], [6, 2], 1)",
        "y[1:2].t().contiguous()", "torch.positive(y)", "y.to(torch.float64)", "y.tril(9)",
        "y.view(1, 1, 4, 6).contiguous(memory_format=torch.channels_last)",
        "y.view(1, 4, 6, 1).contiguous(memory_format=torch.channels_last)",
        "torch.detach_copy(y)", "torch.alias_copy(y)", "torch.t_copy(y[0])",
        "torch.view_copy(y, [4, 6])", "torch.transpose_copy(y, 1, 1)", "torch.select_copy(y, 0, 1)",
        "y.t().as_strided([5, 3], [4, 1])", "y.view(2, 2, 6).permute(2, 0, 1).as_strided([3], [7])")
STRIDES = ("y.t().stride()", "y[:, ::2].stride(1)", "y.t().is_contiguous()",
           "y[:1].t().is_contiguous()", "y.unfold(1, 2, 2).stride()", "y.diagonal().stride(0)")


AUTOCAST_REGIONS = """        with torch.autocast('cpu', torch.bfloat16):
            product = torch.mm(x, x.t())
            power = product.exp()  # of floats of 32 bits
            both = torch.cat([product, x])  # what is in a list is not cast
            total = product.sum(dtype=torch.bfloat16)
            written = product.clone()
            written.mul_(x)  # nor what is written
            if x[0, 0] > 0:
                either = F.linear(x, x)
            else:
                either = torch.mm(x * 1.5, x)
            with torch.autocast('cpu', torch.bfloat16, enabled=False):
                off = torch.mm(x, x.t())
        after = torch.mm(x, x.t())
        types = [product.dtype, power.dtype, both.dtype, total.dtype, written.dtype, either.dtype]
        return (product.float(), power, both, total.float(), written.float(), either.float(), off,
                after, torch.tensor(types))
"""


PRODUCTS = """
def products(x):
    with torch.autocast('cpu', torch.bfloat16):
        y = torch.mm(x, x).float()
    return y, torch.mm(x, x)


"""


OPEN_INDICES = """        n = x.size(0)
        return (F.pdist(x), torch.tril_indices(n, n + 1, 1), torch.triu_indices(n, n, -1),
                torch.fft.fftfreq(n), torch.fft.rfftfreq(n, d=0.5))
"""

FILLED_SPECTRUM = """        f = torch.fft.rfft2(x)
        filled = torch.zeros(x.size(0), 4, 4, dtype=torch.complex64)
        filled[:, :2, :2] = f[:, :2, :2] * 2
        filled[:, -1:, :2] = f[:, -1:, :2].conj()
        return torch.fft.irfft2(filled, s=(4, 6))
"""

SUMS_AT_PLACES = """        return (x.scatter_add(0, places, part),
                x.scatter(0, places, part, reduce='add'),
                x.scatter_reduce(0, places, part, 'sum', include_self=False),
                x.scatter_reduce(0, places, part, 'mean'),
                x.scatter_reduce(0, places, part * 1.0009766, 'prod'),
                x.index_add(0, places, part))
"""


class TorchPrograms(ScriptedCase):
    def test_a_branch_that_cannot_take_the_sizes(self):
        module = self.script("x, rate: int", RATES)
        x = torch.ones(512)
        self.compare(module, (x, 16000))
        self.fails_alike(module, (x, 8000), "512 features, the weight 256")

    def test_a_loop_that_cannot_take_the_sizes(self):
        module = self.script("x, n: int", TURNS)
        x = torch.ones(4, 3)
        self.compare(module, (x, 0))
        self.fails_alike(module, (x, 2), "size of the first operand")

    def test_functions_of_numbers(self):
        texts = [text.format(number) for text in FUNCTIONS for number in ("f", "2.75")]
        module = self.script("f: float", f"        return torch.tensor([{', '.join(texts)}])\n")
        for number in (0.25, 1.0, 2.5, 30.0):
            self.compare(module, (number,))

    def test_open_sizes_broadcast_together(self):
        body = "        return F.binary_cross_entropy(x, x.round(), weight=x[:1])\n"
        module, x = self.script("x", body), torch.rand(3, 4, 5)
        np.save(self.out / "x.npy", x.numpy())
        self.done("run", self.out / "m.pt", "-q", "--shape", "x=f32:n,t,5", "--input",
                  f"x={self.out}/x.npy", "--output-dir", self.out / "results")
        (found, _), = read_outputs(self.out / "results")
        np.testing.assert_allclose(found, module(x).numpy(), rtol=1e-6)

    def test_regions_under_autocast(self):
        # 1.003 is 1 in bfloat16, which shows what is cast.
        x = torch.tensor([[1.003, 2.0], [0.5, -1.0]])
        module = self.script("x", AUTOCAST_REGIONS)
        for sign in (1, -1):
            self.compare(module, (x * sign,))

    def test_what_a_region_under_autocast_forks(self):
        # PyTorch compiles it by itself: only regions within it count.
        module = self.script("x", "        with torch.autocast('cpu', torch.bfloat16):\n"
                             "            y, z = torch.jit.wait(torch.jit.fork(products, x))\n"
                             "            after = torch.mm(x, x).float()\n"
                             "        return y, z, after\n", PRODUCTS)
        self.compare(module, (torch.tensor([[1.003, 2.0], [0.5, -1.0]]),))

    def test_regions_under_autocast_that_cast_nothing(self):
        body = ("        with torch.autocast('{}', torch.bfloat16, enabled={}):\n"
                "            y = torch.mm(x, x.t())\n        return y\n")
        for device, enabled in (("cpu", False), ("cuda", True)):
            with self.subTest(device=device):
                self.compare(self.script("x", body.format(device, enabled)), (torch.randn(3, 4),))

    def test_a_region_under_autocast_to_another_type(self):
        self.script("x", "        with torch.autocast('cpu', torch.float64):\n"
                         "            y = torch.mm(x, x)\n        return y\n")
        done = dragoman("convert", self.out / "m.pt", "-o", self.out / "m.onnx")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("under autocast to another type than bfloat16 and float16", done.stderr)

    def test_indices_and_frequencies_of_open_sizes(self):
        module = self.script("x", OPEN_INDICES)
        self.done("convert", self.out / "m.pt", "-o", self.out / "m.onnx", "--shape", "x=f32:n,3")
        for rows in (1, 4, 5):
            self.compare(module, (torch.randn(rows, 3),))
            self.compare(module, (torch.randn(rows, 3),), model="m.onnx")

    def test_integers_of_a_grid_made_floats(self):
        # The result is not a quantised tensor, which sigmoid would round to a grid of its own.
        try:
            import torch.ao.quantization.fx._decomposed  # declares the operators
        except ImportError:
            self.skipTest("this torch has no quantized_decomposed")
        module = self.script("q", "        y = torch.ops.quantized_decomposed.dequantize_per_tensor("
                             "q, 0.1, 3, -128, 127, torch.int8)\n        return y, y.sigmoid()\n")
        self.compare(module, (torch.tensor([-128, -3, 0, 3, 90], dtype=torch.int8),))

    def test_a_spectrum_that_is_filled_in_parts(self):
        # As in Fourier neural operators; complex numbers are lowered to pairs.
        module = self.script("x", FILLED_SPECTRUM)
        x = torch.randn(2, 4, 6)
        self.compare(module, (x,))
        text = self.done("convert", self.out / "m.pt", "-o", "-", "--to", "text", "--level", "common",
                         "--passes", "default", "--shape", "x=f32:2,4,6")
        self.assertIn("onnx.DFT", text)
        self.assertNotIn("c64", text)

    def test_sums_of_halves_at_places(self):
        # scatter rounds once: added one by one in float16, ones would stay at 2048.
        x = torch.tensor([1.5, -2.0, 0.5]).half()
        places = torch.zeros(5000, dtype=torch.int64)
        places[:3] = 2
        module = self.script("x, places, part", SUMS_AT_PLACES)
        self.compare(module, (x, places, torch.ones(5000).half()))

    def test_sums_of_rows_of_halves(self):
        # index_add rounds once along the first and the last axis, but at each step along others and
        # where it multiplies.
        module = self.script("x, places, part",
                             "        return (x.index_add(0, places, part),\n"
                             "                x.index_add(1, places, part.transpose(0, 1)),\n"
                             "                x.index_add(-1, places, part.permute(1, 2, 0)),\n"
                             "                x.index_add(0, places, part, alpha=2))\n")
        places = torch.zeros(5000, dtype=torch.int64)
        places[:3] = 1
        self.compare(module, (torch.ones(2, 2, 2).half(), places, torch.ones(5000, 2, 2).half()))

    def test_reductions_at_places_of_many_small_integers(self):
        # 256 updates of one place: counted in uint8, they would be none.
        module = self.script("x, places, part", "        return x.scatter_reduce(0, places, part, "
                             "'amax', include_self=False)\n")
        x = torch.tensor([9, 9], dtype=torch.uint8)
        self.compare(module, (x, torch.zeros(256, dtype=torch.int64),
                              torch.full((256,), 3, dtype=torch.uint8)))

    def test_powers_of_two_beyond_the_type(self):
        self.script("x, n", "        return torch.ldexp(x, n)\n")
        floats = torch.tensor([1.5, 0.0, 1e-38, float("inf"), 3e38, 1e-45])
        halves = torch.tensor([1.5, 0.0, 6e-8, float("inf"), 6e4, 1.001]).half()
        for x, n in ((floats, [3, 1000, 150, -5, -250, 200]), (halves, [3, 90, 39, -5, -40, -17])):
            # Older releases of torch multiply by a power that may be infinite.
            with self.subTest(dtype=x.dtype):
                self.compare(lambda x, n: np.ldexp(x.numpy(), n.numpy()), (x, torch.tensor(n)))

    def test_shifts_of_ints(self):
        module = self.script("n: int, k: int", f"        return {', '.join(SHIFTS)}\n")
        for n in (0, 1, 1234567, -991234567891, (1 << 62) + 5):
            for k in (0, 1, 5, 40, 63):
                self.compare(module, (n, k))

    def test_calls(self):
        body = f"        return {', '.join(CALLS)}\n"
        module = self.script("x, b, u", body)
        draw = torch.Generator().manual_seed(1)
        bools = torch.tensor([True, False, True])
        bytes_ = torch.tensor([200, 3, 100, 7], dtype=torch.uint8)
        for sizes in ((1, 2, 6, 7), (2, 2, 5, 8)):
            self.compare(module, (torch.randn(sizes, generator=draw), bools, bytes_))

    def test_a_write_to_no_elements(self):
        module = self.script("x", "        y = x.clone()\n        y.rot90()[::2] = 1.5\n"
                             "        y[1:] *= 2\n        return y\n")
        for sizes in ((4, 2, 0), (0, 3), (3, 2)):
            self.compare(module, (torch.ones(sizes),))

    def test_a_mask_that_chooses_nothing(self):
        module = self.script("x, mask, source", "        return x.masked_scatter(mask, source)\n")
        x = torch.arange(6.0).view(2, 3)
        for mask, source in ((x > 9, x[:0]), (x > 3, x[0]), (x[:, :1] > 1, x)):
            self.compare(module, (x, mask, source))

    def test_what_shares_elements(self):
        x = torch.arange(24.0).view(4, 6)
        for text in SAME:
            for name in ("y", "z"):
                module = self.script("x", f"        y = x.clone()\n        z = {text}\n"
                                     f"        {name}.mul_(2)\n        return y + 1, z + 1\n")
                with self.subTest(text, written=name), torch.no_grad():
                    self.compare(module, (x,))

    def test_strides(self):
        module = self.script("x", "        y = x.clone()\n"
                             f"        return {', '.join(f'torch.tensor({text})' for text in STRIDES)}\n")
        self.compare(module, (torch.ones(4, 6),))

    def test_statistics_without_a_momentum(self):
        module = self.script("x", "        y = self.norm(self.norm(x) + x)\n"
                             "        return y, self.norm.running_mean, self.norm.running_var\n",
                             norm=torch.nn.BatchNorm1d(3, momentum=None))
        with torch.no_grad():
            self.compare(module, (torch.arange(12.0).view(4, 3) ** 2,))

    def test_padded_sequences_of_an_encoder(self):
        layer = torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
        module = self.script(
            "x, padding", "        return self.encoder(x, src_key_padding_mask=padding)\n",
            encoder=torch.nn.TransformerEncoder(layer, 2).eval())
        x = torch.randn(3, 5, 4, generator=torch.Generator().manual_seed(1))
        for lengths in ((4, 2, 5), (3, 2, 1)):
            padding = torch.arange(5) >= torch.tensor(lengths)[:, None]
            with torch.no_grad():
                self.compare(module, (x, padding))

    def test_a_default_that_is_a_tensor(self):
        module = self.script("x, state: torch.Tensor = torch.arange(3.0)",
                             "        return x * state\n")
        x = torch.tensor([3.0, 4.0, 5.0])
        self.compare(module, (x,))
        module = self.script("x", "        return self.scaled(x) + self.scaled(x, x)\n"
                             "    def scaled(self, x, by: torch.Tensor = torch.full([2], 7.0)):\n"
                             "        return x * by\n")
        self.compare(module, (torch.tensor([3.0, 4.0]),))


if __name__ == "__main__":
    unittest.main()
