# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own database of operators: a module that calls each with one of its sample inputs."""

import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree

from producers import torch_forms
from producers.torch_forms import DECOMPOSED, DYNAMO, LEGACY, PT2, TRACED
from shared.cases import Refused
from shared.produce import serve_producer

warnings.filterwarnings("ignore")

FORMS = (PT2, DECOMPOSED, TRACED, DYNAMO, LEGACY)
DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)
# Results that are drawn, or that no two calls agree on: nothing to compare.
DRAWN = ("bernoulli", "cauchy", "exponential", "geometric", "log_normal", "multinomial", "normal",
         "randn", "rand", "randint", "uniform", "dropout", "empty", "rrelu", "fractional",
         "new_empty", "resize_", "scaled_dot_product", "multi_head_attention")


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


def samples(op):
    """The sample inputs of the first element type that the operator takes."""
    for dtype in DTYPES:
        if dtype in op.supported_dtypes("cpu"):
            return list(op.sample_inputs("cpu", dtype, requires_grad=False))
    raise Refused("takes none of the element types")


def size_of(sample):
    tensors = [leaf for leaf in _pytree.tree_leaves((sample.input, sample.args, sample.kwargs))
               if isinstance(leaf, torch.Tensor)]
    return sum(tensor.numel() for tensor in tensors), len(tensors)


def program(op):
    def make():
        drawn = [sample for sample in samples(op) if size_of(sample)[0] > 0]
        if not drawn:
            raise Refused("has no sample with elements")
        sample = max(drawn, key=size_of)
        leaves, layout = _pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        inputs = {f"x{place}": tensor.detach() for place, tensor in enumerate(tensors)}
        return Call(op.op, leaves, layout), [inputs], ()
    return make


def programs():
    named = {}
    for op in op_db:
        name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        if not is_drawn(name):
            named[name] = program(op)
    return named


if __name__ == "__main__":
    serve_producer(torch_forms.cases_of(FORMS, programs()), f"PyTorch {torch.__version__}",
                   torch_forms.load)
