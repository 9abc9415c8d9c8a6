# SPDX-License-Identifier: Apache-2.0
"""Runs archives of torch.export in PyTorch."""

import ml_dtypes
import numpy
import torch
from torch.utils import _pytree

from shared.cases import Refused, in_order
from shared.consume import serve_consumer

# Element types that NumPy lacks, which cases hold as their bits.
BIT_TYPES = {"bfloat16": ("uint16", torch.bfloat16),
             "float8_e4m3fn": ("uint8", torch.float8_e4m3fn),
             "float8_e4m3fnuz": ("uint8", torch.float8_e4m3fnuz),
             "float8_e5m2": ("uint8", torch.float8_e5m2),
             "float8_e5m2fnuz": ("uint8", torch.float8_e5m2fnuz),
             "float8_e8m0fnu": ("uint8", torch.float8_e8m0fnu)}


def given(value):
    """An input as the program takes it."""
    if not isinstance(value, numpy.ndarray):
        raise Refused("an input that is not a tensor")
    bits = BIT_TYPES.get(value.dtype.name)
    if bits is None:
        return torch.from_numpy(numpy.array(value))
    return torch.from_numpy(numpy.array(value).view(bits[0])).view(bits[1])


def plain(output):
    """An output as an array."""
    output = output.detach().resolve_conj().contiguous()
    for name, (bits, dtype) in BIT_TYPES.items():
        if output.dtype == dtype:
            return output.view(getattr(torch, bits)).numpy().view(getattr(ml_dtypes, name))
    return output.numpy()


def load(path):
    program = torch.export.load(path)
    module = program.module()
    names = [spec.arg.name for spec in program.graph_signature.input_specs
             if spec.kind == torch.export.graph_signature.InputKind.USER_INPUT]

    def call(inputs):
        arguments = [given(value) for value in in_order(inputs, names)]
        return [plain(output) for output in _pytree.tree_leaves(module(*arguments))]

    return call


if __name__ == "__main__":
    serve_consumer(load, f"PyTorch {torch.__version__}")
