#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Elementwise operators of torch at the edges of every element type.

Usage: torch_edge_values_test.py [--seed N] [--rounds N] [--native N]

A round scripts one module an element type, with every operator below on all pairs of extremes, zeros
of both signs, infinities, NaN and drawn numbers, and saves it. Dragoman ($DRAGOMAN_BINARY) runs it,
runs the ONNX file that it becomes, and folds it with the operands as constants; the program that is
generated of it runs in the first rounds, for some types. ONNX Runtime runs the file if
$DRAGOMAN_ONNXRUNTIME is set, where it has the operators. All results are compared with torch, exactly
except for functions that every library rounds differently. What torch itself leaves undefined, an
integer by 0 or the least one by -1, is left out. Skipped where torch is not installed.
"""

import argparse
import os
import pathlib
import sys
import tempfile
import warnings

import numpy as np

from commands import complaint, dragoman
from onnxruntime_peer import OnnxRuntime
from random_seeds import first_seed
from run_outputs import read_outputs

try:
    import torch
except ImportError:
    torch = None

FLOATS = ("float32", "float64", "float16", "bfloat16")
VECTOR = 64  # a multiple of the elements in any vector of torch
INTS = ("int8", "uint8", "int16", "int32", "int64")
NATIVE = ("float32", "int8")  # each takes a compiler a while
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, 5.0, -5.0, 7.0, -7.3, 0.1, 300.0, -129.0,
           40000.0, 3e9, -3e9, 1e19, 1e30, -1e30, float("inf"), float("-inf"), float("nan")]
DRAWN = 6
NUMBERS = {"float": "0.3", "int": "7"}  # of Python, as the other operand

# Of two tensors x and y of one type, without zeros and -1 in an integer y where it says so.
DIVISIONS = {
    "floor_divide": "torch.floor_divide(x, y)",
    "floordiv": "x // y",
    "div_floor": "torch.div(x, y, rounding_mode='floor')",
    "div_trunc": "torch.div(x, y, rounding_mode='trunc')",
    "remainder": "torch.remainder(x, y)",
    "percent": "x % y",
    "fmod": "torch.fmod(x, y)",
    "rfloordiv": "torch.floor_divide(torch.tensor({number}), y)",
    "rremainder": "torch.remainder({number}, y)",
}
BY_NUMBER = {
    "floordiv_number": "x // {number}",
    "floordiv_minus": "x // -{number}",
    "div_floor_number": "torch.div(x, {number}, rounding_mode='floor')",
    "remainder_number": "x % {number}",
    "remainder_minus": "torch.remainder(x, -{number})",
    "fmod_number": "torch.fmod(x, {number})",
    "fmod_minus": "torch.fmod(x, -{number})",
}
BOTH = {
    "maximum": "torch.maximum(x, y)", "minimum": "torch.minimum(x, y)",
    "eq": "x == y", "ne": "x != y", "lt": "x < y", "le": "x <= y", "gt": "x > y", "ge": "x >= y",
    "add": "x + y", "sub": "x - y", "mul": "x * y",
    "where": "torch.where(x > y, x, y)",
    "sign": "torch.sign(x)", "sgn": "torch.sgn(x)", "abs": "torch.abs(x)", "neg": "-x",
    "signbit": "torch.signbit(x)", "square": "x * x", "clamp": "torch.clamp(x, -3, 5)",
    "relu": "torch.relu(x)", "isnan": "torch.isnan(x)", "isinf": "torch.isinf(x)",
    "isfinite": "torch.isfinite(x)", "logical_not": "torch.logical_not(x)",
    "heaviside": "torch.heaviside(x, y)",
    "fmax": "torch.fmax(x, y)", "fmin": "torch.fmin(x, y)",
}
OF_FLOATS = {
    "copysign": "torch.copysign(x, y)", "true_divide": "x / y",
    "ceil": "torch.ceil(x)", "floor": "torch.floor(x)", "trunc": "torch.trunc(x)",
    "round": "torch.round(x)", "frac": "torch.frac(x)", "reciprocal": "1 / x",
    "nan_to_num": "torch.nan_to_num(x)", "relu6": "torch.nn.functional.relu6(x)",
    "hardtanh": "torch.nn.functional.hardtanh(x)",
    "leaky_relu": "torch.nn.functional.leaky_relu(x)",
    "threshold": "torch.nn.functional.threshold(x, 0.1, 20.0)",
    "hardshrink": "torch.nn.functional.hardshrink(x)",
    "isposinf": "torch.isposinf(x)", "isneginf": "torch.isneginf(x)",
}
OF_INTS = {
    "bitwise_and": "x & y", "bitwise_or": "x | y", "bitwise_xor": "x ^ y", "bitwise_not": "~x",
    "truth": "x / y",
}
CASTS = {f"to_{name}": f"x.to(torch.{name})" for name in (*FLOATS, *INTS, "bool")}
# Rounded otherwise by each library; what is infinite, NaN or zero is the same.
CLOSE = {"true_divide", "reciprocal", "truth"}
# Give a NaN or a finite number where the quotient of floats overflows, as the kernel of torch has it.
OVERFLOWING = {*DIVISIONS, *BY_NUMBER} - {"div_trunc"}


def edge_values(dtype, rng):
    """Numbers at the edges of `dtype`, and a few drawn ones, as a tensor."""
    if dtype in FLOATS:
        kind = getattr(torch, dtype)
        info = torch.finfo(kind)
        drawn = rng.standard_normal(DRAWN) * 10.0 ** rng.integers(-4, 9, DRAWN)
        return torch.tensor([*SPECIAL, info.max, info.min, info.tiny, *drawn],
                            dtype=torch.float64).to(kind)
    info = np.iinfo(dtype)
    drawn = rng.integers(info.min, info.max, DRAWN, dtype=np.int64, endpoint=True)
    near = [v for v in (-8, -7, -2, -1, 0, 1, 2, 3, 7, 8) if v >= info.min]
    numbers = np.array([info.min, info.min + 1, info.max, info.max - 1, *near, *drawn], dtype)
    return torch.from_numpy(numbers)


def pairs(dtype, rng):
    """All pairs of edge values, those that torch cannot divide left out.

    Elements that fill no vector are computed by other code of torch, which rounds float16 otherwise:
    there are none.
    """
    values = edge_values(dtype, rng)
    x = values[:, None].expand(-1, len(values)).reshape(-1)
    y = values[None].expand(len(values), -1).reshape(-1)
    if dtype in INTS:
        defined = (y != 0) & ~((y == -1) & (x == np.iinfo(dtype).min))
        x, y = x[defined], y[defined]
    ones = torch.ones(-len(x) % VECTOR, dtype=x.dtype)
    return torch.cat([x, ones]), torch.cat([y, ones])


def expressions(dtype):
    found = {**DIVISIONS, **BY_NUMBER, **BOTH, **CASTS}
    found.update(OF_FLOATS if dtype in FLOATS else OF_INTS)
    number = NUMBERS["float" if dtype in FLOATS else "int"]
    return {name: text.format(number=number) for name, text in found.items()}


def runs_in_torch(text, x, y):
    try:
        eval(text, {"torch": torch, "x": x, "y": y})  # of the tables above
    except (RuntimeError, NotImplementedError):
        return False
    return True


SOURCE = """import torch
class Operators(torch.nn.Module):
    def __init__(self, x, y):
        super().__init__()
        self.register_buffer("x", x)
        self.register_buffer("y", y)
    def forward(self{inputs}):
{body}"""


def script(texts, folder, x=None, y=None):
    """A scripted module that gives a tuple of these; of its own buffers if they are given."""
    body = [f"        r{i} = {text}\n" for i, text in enumerate(texts)]
    if x is not None:
        body.insert(0, "        x, y = self.x, self.y\n")
    results = ", ".join(f"r{i}" for i in range(len(texts)))
    source = SOURCE.format(inputs=", x, y" if x is None else "",
                           body="".join(body) + f"        return ({results},)\n")
    path = folder / f"source_{len(list(folder.glob('source_*')))}.py"  # which torch reads
    path.write_text(source, encoding="utf-8")
    scope = {"__name__": path.stem}
    exec(compile(source, str(path), "exec"), scope)
    return torch.jit.script(scope["Operators"](x, y))


def as_numbers(array, dtype):
    if dtype != "bfloat16":
        return array
    return (array.astype(np.uint32) << 16).view(np.float32)


def numpy_of(tensor):
    kind = str(tensor.dtype).removeprefix("torch.")
    if kind == "bfloat16":
        return tensor.float().numpy(), kind
    return tensor.numpy(), kind


def wrong_places(found, wanted, exact, signed_zeros=True):
    """Where `found` is not what torch gives: bit for bit, but for NaN, or up to rounding."""
    if wanted.dtype.kind != "f":
        return found != wanted
    if exact:
        same = found == wanted
        if signed_zeros:
            same &= np.signbit(found) == np.signbit(wanted)
    else:
        with np.errstate(all="ignore"):
            same = np.isclose(found.astype(np.float64), wanted.astype(np.float64),
                              rtol=4 * np.finfo(found.dtype).eps, atol=0)
        same |= found == wanted
    return ~(same | (np.isnan(found) & np.isnan(wanted)))


class Case:
    """The operators on values of one element type."""

    def __init__(self, dtype, seed, folder):
        rng = np.random.default_rng(seed)
        self.dtype, self.folder = dtype, folder
        self.x, self.y = pairs(dtype, rng)
        self.texts = {name: text for name, text in expressions(dtype).items()
                      if runs_in_torch(text, self.x, self.y)}
        module = script(self.texts.values(), folder)
        module.save(str(folder / "model.pt"))
        script(self.texts.values(), folder, self.x, self.y).save(str(folder / "constants.pt"))
        self.wanted = dict(zip(self.texts, map(numpy_of, module(self.x, self.y))))
        for name, tensor in (("x", self.x), ("y", self.y)):
            bits = tensor.view(torch.int16) if dtype == "bfloat16" else tensor
            array = bits.numpy()
            np.save(folder / f"{name}.npy",
                    array.view(np.uint16) if dtype == "bfloat16" else array)
        self.facts = [word for name in "xy"
                      for word in ("--shape", f"{name}={dtype}:{len(self.x)}")]
        self.complaints = []

    def complain(self, what):
        self.complaints.append(f"{self.dtype}: {what}")

    def compare(self, way, results, signed_zeros=True):
        """`results`: (array, element type) by name."""
        for name, (wanted, kind) in self.wanted.items():
            if name not in results:
                continue
            found, found_kind = results[name]
            found = as_numbers(found, found_kind)
            if found_kind != kind or found.shape != wanted.shape:
                self.complain(f"{way}: {self.texts[name]}: {found_kind}{found.shape}")
                continue
            wrong = wrong_places(found, wanted, name not in CLOSE, signed_zeros)
            wrong = np.flatnonzero(wrong & ~self.left_open(name))
            for i in wrong[:3]:
                self.complain(f"{way}: {self.texts[name]} with x = {self.x[i].item()!r}, "
                              f"y = {self.y[i].item()!r}: {found[i]!r}, torch {wanted[i]!r}; "
                              f"{len(wrong)} of {len(found)} wrong")

    def left_open(self, name):
        """Where torch gives what depends on its version, on the processor, or on the sign of a NaN."""
        x, y = self.x.double().numpy(), self.y.double().numpy()
        if name in ("fmax", "fmin"):
            return (x == 0) & (y == 0)
        if name in ("signbit", "copysign"):
            return np.isnan(x if name == "signbit" else y)
        if name not in OVERFLOWING or self.dtype in INTS:
            return np.zeros(len(x), bool)
        if name in ("rfloordiv", "rremainder"):
            x = float(NUMBERS["float"])
        if name in BY_NUMBER:
            y = float(NUMBERS["float"])
        with np.errstate(all="ignore"):
            return np.abs(np.divide(x, y)) > float(torch.finfo(getattr(torch, self.dtype)).max)

    def run(self, way, model, *arguments):
        out = self.folder / "out"
        done = dragoman("run", model, "--output-dir", out, *arguments)
        if problem := complaint(done):
            self.complain(f"{way}: {problem[:600]}")
            return
        self.compare(way, dict(zip(self.texts, read_outputs(out))))

    def feeds(self, names):
        return [word for name, file in zip(names, "xy")
                for word in ("--input", f"{name}={self.folder / file}.npy")]

    def check(self, native, runtime):
        model, written = self.folder / "model.pt", self.folder / "model.onnx"
        self.run("run", model, *self.feeds("xy"), *self.facts)
        if native:
            self.run("native", model, *self.feeds("xy"), *self.facts, "--engine", "native")
        folded = self.folder / "folded.onnx"
        for source, target, facts in ((model, written, self.facts),
                                      (self.folder / "constants.pt", folded, ())):
            done = dragoman("convert", source, "-q", "-o", target, *facts)
            if problem := complaint(done):
                self.complain(f"convert {source.name}: {problem[:600]}")
                return
        self.run("ONNX file", written, *self.feeds("xy"))
        self.run("folded", folded)
        if runtime and self.dtype != "bfloat16":
            self.check_runtime(runtime)

    def check_runtime(self, runtime):
        """A file an operator: ONNX Runtime lacks some of them for some types. Its Where adds two
        tensors, of which one is 0, so that -0 becomes 0; its JavaScript has no bfloat16."""
        for name, text in self.texts.items():
            if name == "to_bfloat16":
                continue
            script([text], self.folder).save(str(self.folder / "one.pt"))
            one = self.folder / "one.onnx"
            done = dragoman("convert", self.folder / "one.pt", "-q", "-o", one, *self.facts)
            if problem := complaint(done):
                if "NOT_IMPLEMENTED" not in problem:
                    self.complain(f"convert {text}: {problem[:300]}")
                continue
            feeds = {"x": self.x.numpy(), "y": self.y.numpy()}
            results, error = runtime.run(one, feeds, self.folder / "runtime")
            if results is None:
                if "NOT_IMPLEMENTED" not in error:
                    self.complain(f"ONNX Runtime: {text}: {error[:300]}")
                continue
            (array,) = results.values()
            self.compare("ONNX Runtime", {name: (array, self.wanted[name][1])}, False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--native", type=int, default=1)
    parser.add_argument("--dtypes", nargs="*", default=[*FLOATS, *INTS])
    args = parser.parse_args()
    if torch is None:
        print("torch is not installed")
        return 77
    warnings.simplefilter("ignore")
    place = os.environ.get("DRAGOMAN_ONNXRUNTIME")
    runtime = OnnxRuntime(place) if place else None
    first = first_seed(args.seed)
    failures = operators = 0
    for i, seed in enumerate(range(first, first + args.rounds)):
        for dtype in args.dtypes:
            with tempfile.TemporaryDirectory() as folder:
                case = Case(dtype, seed, pathlib.Path(folder))
                case.check(i < args.native and dtype in NATIVE, runtime)
            operators += len(case.texts)
            failures += bool(case.complaints)
            for line in case.complaints:
                print(f"--seed {seed}: {line}", flush=True)
    if runtime:
        runtime.close()
    print(f"{operators} operators at edge values, {failures} element types with complaints")
    return 1 if failures or not operators else 0


if __name__ == "__main__":
    sys.exit(main())
