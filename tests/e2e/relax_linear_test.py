#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""nn.Linear of random sizes and names becomes permute_dims, matmul and add in one dataflow block.

From ONNX in the spellings of exporters (Gemm with either weight, MatMul and Add), and from
TorchScript, traced and scripted, where python3-torch is installed. The whole text is compared.
"""
import os
import random
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from commands import dragoman

SEED = 7
CASES = 8  # for each spelling


def tensor(sizes):
    shape = f"{sizes[0]}," if len(sizes) == 1 else ", ".join(map(str, sizes))
    return f'R.Tensor(({shape}), dtype="float32")'


def expected(x, weight, bias, sizes, out):
    """The module's text, of inputs and parameters by these names."""
    inner, result = sizes[-1], [*sizes[:-1], out]
    parameters = [(x, sizes), (weight, [out, inner])] + ([(bias, [out])] if bias else [])
    signature = ", ".join(f"{name}: {tensor(shape)}" for name, shape in parameters)
    product = "lv1" if bias else "gv"
    lines = [
        "from tvm.script import ir as I", "from tvm.script import relax as R", "", "@I.ir_module", "class Module:",
        "    @R.function", f"    def main({signature}) -> {tensor(result)}:",
        '        R.func_attr({"num_input": 1})', "        with R.dataflow():",
        f"            lv: {tensor([inner, out])} = R.permute_dims({weight}, axes=[1, 0])",
        f"            {product}: {tensor(result)} = R.matmul({x}, lv, out_dtype=None)"]
    if bias:
        lines.append(f"            gv: {tensor(result)} = R.add(lv1, {bias})")
    return "\n".join([*lines, "            R.output(gv)", "        return gv", ""])


def onnx_model(path, spelling, names, sizes, out):
    x, weight, bias = names
    inner = sizes[-1]
    shape = [out, inner] if spelling == "Gemm, transposed" else [inner, out]
    constants = [numpy_helper.from_array(np.ones(shape, np.float32), weight)]
    operands = [x, weight]
    if bias:
        constants.append(numpy_helper.from_array(np.ones(out, np.float32), bias))
    if spelling.startswith("Gemm"):
        operands += [bias] if bias else []
        transposed = {"transB": 1} if spelling == "Gemm, transposed" else {}
        nodes = [helper.make_node("Gemm", operands, ["y"], **transposed)]
    elif bias:
        nodes = [helper.make_node("MatMul", operands, ["product"]),
                 helper.make_node("Add", [bias, "product"], ["y"])]
    else:
        nodes = [helper.make_node("MatMul", operands, ["y"])]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "linear", [value(x, TensorProto.FLOAT, sizes)],
                              [value("y", TensorProto.FLOAT, [*sizes[:-1], out])], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7),
              path)


def torch_model(path, spelling, name, sizes, out, has_bias):
    import torch

    class Holder(torch.nn.Module):

        def __init__(self):
            super().__init__()
            setattr(self, name, torch.nn.Linear(sizes[-1], out, bias=has_bias))

        def forward(self, x):
            return getattr(self, name)(x)

    model = Holder().eval()
    if spelling == "scripted":
        torch.jit.save(torch.jit.script(getattr(model, name)), path)
    else:
        torch.jit.save(torch.jit.trace(model, torch.zeros(sizes)), path)


def convert(path, facts=()):
    done = dragoman("convert", path, "-o", "-", "--to", "relax", "-q", *facts)
    return done.stdout or done.stderr


def name(numbers):
    letters = "abcdefghkmpqrsuvwxyz"
    return "".join(numbers.choice(letters) for _ in range(numbers.randint(2, 8)))


def check_onnx(numbers, spelling, folder):
    """(text, what it must be)"""
    rank = 2 if spelling.startswith("Gemm") else numbers.randint(2, 4)
    sizes = [numbers.randint(2, 9) for _ in range(rank)]
    out = numbers.randint(2, 9)
    names = [name(numbers) + suffix for suffix in ("_in", "_w", "_b")]
    if numbers.random() < 0.5:
        names[2] = ""
    path = os.path.join(folder, "model.onnx")
    onnx_model(path, spelling, names, sizes, out)
    if spelling != "Gemm, transposed" and out == sizes[-1]:
        names[1] += "_transposed"  # the sizes of the weight do not show that it is
    return convert(path), expected(*names, sizes, out)


def check_torch(numbers, spelling, folder):
    sizes = [numbers.randint(2, 9) for _ in range(numbers.randint(2, 4))]
    out, layer, has_bias = numbers.randint(2, 9), name(numbers) + "_layer", numbers.random() < 0.5
    path = os.path.join(folder, "model.pt")
    torch_model(path, spelling, layer, sizes, out, has_bias)
    argument = "input" if spelling == "scripted" else "x"
    prefix = "" if spelling == "scripted" else layer + "_"
    facts = ["--shape", f"{argument}=float32:{','.join(map(str, sizes))}"]
    return convert(path, facts), expected(argument, prefix + "weight",
                                          prefix + "bias" if has_bias else "", sizes, out)


def main():
    numbers = random.Random(SEED)
    checks = [(check_onnx, s) for s in ("Gemm, transposed", "Gemm", "MatMul")]
    try:
        import torch
        torch.manual_seed(SEED)
        checks += [(check_torch, s) for s in ("traced", "scripted")]
    except ImportError:
        print("without python3-torch: only ONNX is checked")
    wrong = 0
    for check, spelling in checks:
        for i in range(CASES):
            with tempfile.TemporaryDirectory() as folder:
                text, wanted = check(numbers, spelling, folder)
            if text != wanted:
                wrong += 1
                print(f"{spelling} {i}:\n{text}expected\n{wanted}")
    print(f"{len(checks) * CASES} layers, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
