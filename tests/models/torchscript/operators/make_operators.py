#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the fixtures of this folder: a call of each overload of torch's operators that is lowered.

Usage: make_operators.py     beside calls.txt, which it reads; Debian's python3-torch (1.13)

Line "add.Tensor: torch.add(x, y, alpha=2)" of calls.txt becomes a method of a scripted module,
`op_add_Tensor`; a line "[arithmetic]" begins the file arithmetic.pt. An argument is a name of POOL.
Beside each file lies arithmetic.npz with what the methods give: `op_add_Tensor.0`, `.1`, …; the
arguments are in pool.npz. A call that turns out not to be of its overload is an error.
"""

import pathlib
import re
import sys

import numpy as np
import torch
import torchvision  # registers its operators

HERE = pathlib.Path(__file__).parent
MAX_BYTES = 100_000


def pool():
    """The arguments, by name. Lists and numbers are written out in the calls."""
    g = torch.Generator().manual_seed(7)

    def rand(*sizes):
        return torch.randn(sizes, generator=g)

    def ints(low, high, *sizes):
        return torch.randint(low, high, sizes, generator=g)

    def positive(*sizes):
        return torch.rand(sizes, generator=g) * 0.8 + 0.1

    square = rand(4, 4)
    ca4 = torch.complex(square, square.flip(0))
    return {
        "x": rand(3, 4), "y": rand(3, 4), "row": rand(4), "s": rand(),  # broadcast together
        "p": positive(3, 4), "q": positive(3, 4),                       # within (0.1, 0.9)
        "f16": rand(3, 4).half(), "f64": rand(3, 4).double(),
        "i": ints(-9, 9, 3, 4), "j": ints(1, 5, 3, 4), "u8": ints(0, 9, 3, 4).byte(),
        "i32": ints(-9, 9, 3, 4).int(),
        "b": rand(3, 4) > 0, "b2": rand(3, 4) > 0,
        "c": torch.complex(rand(3, 4), rand(3, 4)), "c2": torch.complex(rand(3, 4), rand(3, 4)),
        "v": rand(5), "w": rand(5), "m": rand(4, 5), "n": rand(5, 3),
        "a4": rand(4, 4), "spd": square @ square.T + 4 * torch.eye(4),
        "tri": torch.tril(square) + 3 * torch.eye(4),
        "batch": rand(2, 4, 5), "batch2": rand(2, 5, 3), "cube": rand(2, 3, 4),
        "sig": rand(2, 4, 9), "img": rand(2, 4, 7, 6), "vol": rand(1, 2, 4, 5, 4),
        "w1": rand(6, 4, 3), "w2": rand(6, 4, 3, 3), "w3": rand(6, 2, 2, 2, 2),
        "t1": rand(4, 6, 3), "t2": rand(4, 6, 3, 3), "t3": rand(2, 6, 2, 2, 2),
        "bias": rand(6), "ch": positive(4), "ch2": rand(4),
        "at": torch.tensor([2, 0, 1]), "at4": torch.tensor([3, 0, 2, 1]), "pos": ints(0, 3, 3, 4),
        "cls": ints(0, 4, 3), "labels": ints(0, 4, 2, 7, 6),
        "gaps": torch.where(rand(3, 4) > 0.5, torch.tensor(float("nan")), rand(3, 4)),
        "grid": rand(2, 3, 3, 2).clamp(-1.2, 1.2), "grid3": rand(1, 3, 3, 3, 3).clamp(-1.2, 1.2),
        "boxes": torch.tensor([[0., 0., 4., 4.], [0.5, 0.5, 4., 4.], [5., 5., 9., 9.]]),
        "rois": torch.tensor([[0., 0., 0., 4., 4.], [1., 1., 1., 6., 5.]]),
        "scores": torch.tensor([0.9, 0.8, 0.7]),
        "ca4": ca4, "cspd": ca4 @ ca4.mH + 4 * torch.eye(4),
    }


POOL = pool()
NAMES = re.compile(r"\b(" + "|".join(sorted(POOL, key=len, reverse=True)) + r")\b(?!\s*[=(.])|\b("
                   + "|".join(POOL) + r")\b(?=\.)")


def read_calls():
    """Family to list of (overload, expression)."""
    families = {}
    for line in (HERE / "calls.txt").read_text().splitlines():
        if line.startswith("["):
            calls = families.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            overload, _, expression = line.partition(": ")
            calls.append((overload, expression))
    return families


def method_of(overload):
    return "op_" + re.sub(r"\W", "_", overload)  # nn.Module has methods like cpu


def arguments_of(expression):
    bare = re.sub(r'"[^"]*"', "", expression)
    return sorted({a or b for a, b in NAMES.findall(bare)})


def has_schema(node):
    return node.schema() != "(no schema)"


def overload_of(node):
    name = node.schema().split("(")[0]
    return name.removeprefix("aten::").replace("::", ".")


def all_nodes(block):
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from all_nodes(inner)


def flat(value):
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in flat(item)]
    if isinstance(value, torch.Tensor):
        return [value.detach().resolve_conj().resolve_neg().numpy()]
    return [np.array(value)]


def make(family, calls):
    module = type(family.title(), (torch.jit.ScriptModule,), {})()
    for overload, expression in calls:
        parameters = "".join(f", {name}" for name in arguments_of(expression))
        module.define(f"def {method_of(overload)}(self{parameters}):\n  return {expression}\n")
    path = HERE / f"{family}.pt"
    module.save(str(path))
    loaded = torch.jit.load(str(path))
    results = {}
    problems = []
    for overload, expression in calls:
        method = getattr(loaded, method_of(overload))
        found = {overload_of(node) for node in all_nodes(method.graph) if has_schema(node)}
        if overload not in found:
            problems.append(f"{overload}: calls {sorted(found)}")
        arguments = [POOL[name].clone() for name in arguments_of(expression)]
        for i, leaf in enumerate(flat(method(*arguments))):
            results[f"{method_of(overload)}.{i}"] = leaf
    np.savez_compressed(HERE / f"{family}.npz", **results)
    if path.stat().st_size > MAX_BYTES:
        problems.append(f"{path.name} has {path.stat().st_size} bytes")
    return problems


def main():
    np.savez_compressed(HERE / "pool.npz", **{name: value.numpy() for name, value in POOL.items()})
    problems = [line for family, calls in read_calls().items() for line in make(family, calls)]
    print("\n".join(problems) or "made")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
