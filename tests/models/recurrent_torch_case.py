# SPDX-License-Identifier: Apache-2.0
"""Recurrences of torch: converts modules, compares them with torch, and counts what is left."""

import warnings

import onnx

import onnx_eval
from command_case import CommandCase
from recurrent_spellings_test import SEQUENCE, census, convert, differs

try:
    import torch

    from recurrent_torch_modules import INPUTS
except ImportError:
    torch = None

BATCH = 2


def torch_leaves(value):
    if isinstance(value, torch.Tensor):
        yield value
        return
    for part in value:
        yield from torch_leaves(part)


def drawn(steps):
    """The operands of most modules."""
    return (torch.randn(steps, BATCH, INPUTS),)


class TorchCase(CommandCase):
    def setUp(self):
        super().setUp()
        torch.manual_seed(7)
        warnings.simplefilter("ignore")  # of tracing, about checks of sizes

    def count(self, module, steps, size=None, draw=drawn, opset=None):
        """Operators of the module converted for `size` steps, which must agree with torch; `opset`:
        as torch exports it to ONNX."""
        operands = draw(steps)
        if not isinstance(module, torch.jit.ScriptModule):
            module = torch.jit.trace(module.eval(), operands)
        names = [value.debugName().split(".")[0] for value in module.forward.graph.inputs()][1:]
        source, target = self.out / "model", self.out / "model.onnx"
        if opset is None:
            module.save(str(source))
        else:
            torch.onnx.export(module, operands, str(source), opset_version=opset,
                              input_names=names, dynamic_axes={names[0]: {0: "T"}})
        options = []
        for name, operand in zip(names, operands):
            first, *others = operand.shape
            sizes = [size or steps if first == steps else first, *others]
            kind = {torch.int64: "int64:", torch.bool: "bool:"}.get(operand.dtype, "")
            options += ["--shape", f"{name}={kind}{','.join(map(str, sizes))}"]
        self.assertEqual(convert(source, target, *options), "")
        model = onnx.load(target)
        with torch.no_grad():
            wanted = list(torch_leaves(module(*operands)))
        found = onnx_eval.evaluate(model, {
            info.name: operand.numpy() for info, operand in zip(model.graph.input, operands)})
        for info, value in zip(model.graph.output, wanted):
            self.assertFalse(differs(found[info.name], value.numpy()), info.name)
        return census(model)

    def check(self, make, nodes, size=None, draw=drawn, opset=None):
        counts = [self.count(make(), steps, size, draw, opset) for steps in (6, 15)]
        self.assertEqual(sum(counts[0][name] for name in SEQUENCE), nodes, counts[0])
        for left in ("Loop", "Scan", "Sigmoid", "Tanh"):
            self.assertEqual(counts[0][left], 0, left)
        self.assertEqual(counts[0], counts[1])
