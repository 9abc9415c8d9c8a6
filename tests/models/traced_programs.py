# SPDX-License-Identifier: Apache-2.0
"""Modules of torch as archives of torch.export, by a torch that is too old to export: make_fx traces
the operators that it runs, and exported_programs.py writes them."""

import operator

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.utils.stateless import functional_call

from exported_programs import LEAF, Program, Raw, tree

DTYPES = {torch.uint8: 1, torch.int8: 2, torch.int16: 3, torch.int32: 4, torch.int64: 5,
          torch.float16: 6, torch.float32: 7, torch.float64: 8, torch.bool: 12}
LAYOUTS = {torch.strided: 7}
MEMORY_FORMATS = {torch.contiguous_format: 1, torch.channels_last: 2, torch.channels_last_3d: 3,
                  torch.preserve_format: 4}


def converted(value, values):
    """An argument of a node as exported_programs.py takes it."""
    if isinstance(value, torch.fx.Node):
        return values[value]
    if isinstance(value, (list, tuple)):
        return [converted(item, values) for item in value]
    if isinstance(value, torch.dtype):
        return Raw(as_scalar_type=DTYPES[value])
    if isinstance(value, torch.layout):
        return Raw(as_layout=LAYOUTS[value])
    if isinstance(value, torch.memory_format):
        return Raw(as_memory_format=MEMORY_FORMATS[value])
    if isinstance(value, torch.device):
        return Raw(as_device={"type": value.type, "index": value.index})
    return value


def is_list(target):
    """Whether the operator gives one list of tensors."""
    returns = target._schema.returns
    return len(returns) == 1 and isinstance(returns[0].type, torch.ListType)


def add_node(program, node, values):
    target = f"torch.ops.{str(node.target)}"
    schema = node.target._schema
    names = [argument.name for argument in schema.arguments]
    arguments = [converted(value, values) for value in node.args]
    keywords = {name: converted(value, values) for name, value in node.kwargs.items()}
    if is_list(node.target):
        count = [1 + max(user.args[1] for user in node.users)]
        count = [max(count[0], len(node.meta["val"]))] if "val" in node.meta else count
    else:
        count = len(schema.returns)
    values[node] = program.call(target, *arguments, results=count, names=names, **keywords)


def exported(module, inputs, decompositions=None, dialect="ATEN"):
    """The program of `module` on tensors like `inputs`, decomposed as tracing does."""
    state = {**dict(module.named_parameters()), **dict(module.named_buffers())}

    def call(*arguments):
        with torch.no_grad():
            given = dict(zip(state, arguments))
            return functional_call(module, given, tuple(arguments[len(state):]))

    traced = make_fx(call, decompositions)(*state.values(), *inputs)
    graph = traced.graph
    program = Program(dialect)
    values = {}
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    parameters = dict(module.named_parameters())
    for node in graph.nodes:
        if node.op == "get_attr":
            constant = getattr(traced, node.target).detach().numpy().copy()
            values[node] = program.weight(node.target, constant, "tensor_constant")
    for node, (name, tensor) in zip(placeholders, state.items()):
        kind = "parameter" if name in parameters else "buffer"
        values[node] = program.weight(name, tensor.detach().numpy().copy(), kind)
    for i, (node, tensor) in enumerate(zip(placeholders[len(state):], inputs)):
        values[node] = program.input(f"x{i}", list(tensor.shape), str(tensor.dtype)[6:])
    for node in graph.nodes:
        if node.op == "call_function" and node.target is operator.getitem:
            values[node] = values[node.args[0]][node.args[1]]
        elif node.op == "call_function":
            add_node(program, node, values)
        elif node.op == "output":
            return finished(program, node.args[0], values)
    raise ValueError("a graph without an output")


def finished(program, result, values):
    leaves = []

    def nested(item):
        if isinstance(item, (list, tuple)):
            return tree("tuple", *[nested(part) for part in item])
        leaves.append(converted(item, values))
        return LEAF

    spec = nested(result)
    return program.output(*leaves, out_tree=spec)
