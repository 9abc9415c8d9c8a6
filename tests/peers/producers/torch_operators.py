# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own database of operators: a module that calls each with some of its sample inputs."""

import hashlib
import math
import operator
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree

from producers import torch_forms
from producers.torch_forms import DECOMPOSED, DYNAMO, LEGACY, PT2, SCRIPTED, TRACED
from shared.cases import Refused
from shared.produce import serve_producer

warnings.filterwarnings("ignore")

FORMS = (PT2, DECOMPOSED, TRACED, DYNAMO, LEGACY)
# Forms of the further samples, and of the calls that are written as text.
SAMPLE_FORMS = (PT2, TRACED)
DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)
# How many samples of an element type are cases, the largest and others that are drawn by hash.
SAMPLES = {torch.float32: 4, torch.int64: 2, torch.uint8: 1, torch.bool: 1, torch.float16: 1,
           torch.bfloat16: 1, torch.float64: 1, torch.complex64: 1}
# Results that are drawn, or that no two calls agree on: nothing to compare.
DRAWN = ("bernoulli", "cauchy", "exponential", "geometric", "log_normal", "multinomial", "normal",
         "randn", "rand", "randint", "uniform", "dropout", "empty", "rrelu", "fractional",
         "new_empty", "resize_", "scaled_dot_product", "multi_head_attention", "lowrank")


def is_drawn(name):
    return any(word in name for word in DRAWN)


class Call(torch.nn.Module):
    """A call of an operator whose tensors are the module's inputs x0, x1, …."""

    def __init__(self, function, leaves, layout):
        super().__init__()
        self.function = function
        self.leaves = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        self.places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.layout = layout
        names = ", ".join(f"x{place}" for place in range(len(self.places)))
        scope = {}
        exec(f"def forward(self, {names}): return self.apply_to([{names}])", scope)
        self.forward = scope["forward"].__get__(self)

    def apply_to(self, tensors):
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, tensors):
            leaves[place] = tensor
        arguments, named = _pytree.tree_unflatten(leaves, self.layout)
        result = self.function(*arguments, **named)
        return tuple(torch_forms.flat(result))


def size_of(sample):
    tensors = [leaf for leaf in leaves_of(sample) if isinstance(leaf, torch.Tensor)]
    return sum(tensor.numel() for tensor in tensors), len(tensors)


def leaves_of(sample):
    return _pytree.tree_leaves((sample.input, sample.args, sample.kwargs))


def described(sample):
    """What distinguishes samples: sizes and element types of tensors, and all other arguments."""
    layout = _pytree.tree_structure((sample.input, sample.args, sample.kwargs))
    return str([(*leaf.shape, leaf.dtype) if isinstance(leaf, torch.Tensor) else leaf
                for leaf in leaves_of(sample)]) + str(layout)


def samples(op, dtype):
    """Different samples that have elements, the largest first, the others in drawn order."""
    found = {}
    for sample in op.sample_inputs("cpu", dtype, requires_grad=False):
        if size_of(sample)[0] > 0:
            found.setdefault(described(sample), sample)
    if not found:
        return []
    largest = max(found, key=lambda text: size_of(found[text]))
    others = sorted(found.keys() - {largest},
                    key=lambda text: hashlib.sha256(text.encode()).digest())
    return [found[text] for text in (largest, *others)]


def chosen(op, dtype, place):
    if dtype is None:
        dtype = next((dtype for dtype in DTYPES if dtype in op.supported_dtypes("cpu")), None)
        if dtype is None:
            raise Refused("takes none of the element types")
    found = samples(op, dtype)
    if place >= len(found):
        raise Refused("has no such sample with elements")
    return found[place]


def program(op, dtype=None, place=0):
    """A call with a sample; without an element type, of the first one that the operator takes."""
    def make():
        sample = chosen(op, dtype, place)
        leaves, layout = _pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
        return Call(op.op, leaves, layout), [inputs_of(leaves)], ()
    return make


def inputs_of(leaves):
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
    return {f"x{place}": tensor.detach() for place, tensor in enumerate(tensors)}


def literal(value, names):
    """An argument as TorchScript writes it; tensors have the next of the names."""
    if isinstance(value, torch.Tensor):
        return names.pop(0)
    if isinstance(value, tuple) and not isinstance(value, torch.Size):
        return "(" + "".join(literal(item, names) + ", " for item in value) + ")"
    if isinstance(value, (list, torch.Size)):
        return "[" + ", ".join(literal(item, names) for item in value) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, torch.device):
        return f"torch.device('{value}')"
    if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    raise Refused(f"TorchScript writes no {type(value).__name__}")


def script(op, place=0):
    """The same call as TorchScript's text: its overload is chosen by the arguments as written."""
    def make():
        sample = chosen(op, None, place)
        leaves = _pytree.tree_leaves(((sample.input, *sample.args), sample.kwargs))
        inputs = inputs_of(leaves)
        names = list(inputs)
        arguments = [literal(value, names) for value in (sample.input, *sample.args)]
        arguments += [f"{name}={literal(value, names)}" for name, value in sample.kwargs.items()]
        try:
            operator.attrgetter(op.name)(torch)
            call = f"torch.{op.name}({', '.join(arguments)})"
        except AttributeError:
            call = f"{arguments[0]}.{op.name}({', '.join(arguments[1:])})"
        module = type("Written", (torch.jit.ScriptModule,), {})()  # whose methods are its class's
        given = ", ".join(f"{name}: Tensor" for name in inputs)
        module.define(f"def forward(self, {given}):\n    return {call}\n")
        return module, [inputs], ()
    return make


def name_of(op):
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def operators():
    return [op for op in op_db if not is_drawn(name_of(op))]


def further_samples():
    named = {}
    for op in operators():
        for dtype, count in SAMPLES.items():
            if dtype not in op.supported_dtypes("cpu"):
                continue
            word = str(dtype).removeprefix("torch.")
            named |= {f"{name_of(op)}, {word}, sample {place}": program(op, dtype, place)
                      for place in range(count)}
    return named


def cases():
    return (torch_forms.cases_of(FORMS, {name_of(op): program(op) for op in operators()}) |
            torch_forms.cases_of(SAMPLE_FORMS, further_samples()) |
            torch_forms.cases_of((SCRIPTED,), {f"{name_of(op)}, sample {place}": script(op, place)
                                               for op in operators() for place in range(3)}))


if __name__ == "__main__":
    serve_producer(cases(), f"PyTorch {torch.__version__}", torch_forms.load)
