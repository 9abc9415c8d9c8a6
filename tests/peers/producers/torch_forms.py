# SPDX-License-Identifier: Apache-2.0
"""The forms in which PyTorch writes a module, each a row of the table."""

import copy
import warnings

import numpy
import torch
from torch.utils import _pytree

from shared.cases import Refused, write_case

warnings.filterwarnings("ignore")

PT2, DECOMPOSED = "torch.export .pt2", "torch.export .pt2, decomposed"
TRACED, SCRIPTED = "TorchScript, traced", "TorchScript, scripted"
DYNAMO, LEGACY = "ONNX by torch.export", "ONNX by TorchScript"


def array(tensor):
    """A tensor as an array, bfloat16 and floats of 8 bits too."""
    tensor = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    try:
        return tensor.numpy()
    except TypeError:
        import ml_dtypes
        name = str(tensor.dtype).removeprefix("torch.")
        bits = {1: torch.uint8, 2: torch.uint16}[tensor.element_size()]
        return tensor.view(bits).numpy().view(getattr(ml_dtypes, name))


def flat(result):
    """The tensors of a result."""
    leaves = _pytree.tree_leaves(result)
    return [leaf if isinstance(leaf, torch.Tensor) else torch.tensor(leaf) for leaf in leaves
            if leaf is not None]


def dimensions(inputs, open_axes):
    """Sizes for torch.export: those of `open_axes`, (input, axis), are left open."""
    if not open_axes:
        return None
    return {name: {axis: torch.export.Dim.DYNAMIC for input_, axis in open_axes if input_ == name}
            or None for name in inputs}


def shape_options(inputs, open_axes):
    """What states the sizes of a TorchScript archive, which has none, for Dragoman."""
    options = []
    for name, tensor in inputs.items():
        sizes = [f"s{axis}" if (name, axis) in open_axes else str(size)
                 for axis, size in enumerate(tensor.shape)]
        options += ["--shape", f"{name}={element_type(tensor)}:{','.join(sizes)}"]
    return options


def element_type(tensor):
    name = str(tensor.dtype).removeprefix("torch.")
    for long, short in (("bfloat", "bf"), ("complex", "c"), ("float", "f"), ("uint", "u"),
                        ("int", "i")):
        name = name.replace(long, short) if name.startswith(long) else name
    return name


def save(form, module, inputs, open_axes, path, opset=None):
    """Writes the module, as ONNX of that operator set; the options that Dragoman needs for it."""
    operator_set = {} if opset is None else {"opset_version": opset}
    if form in (PT2, DECOMPOSED):
        program = torch.export.export(module, (), dict(inputs),
                                      dynamic_shapes=dimensions(inputs, open_axes))
        if form == DECOMPOSED:
            program = program.run_decompositions()
        torch.export.save(program, path)
    elif form in (TRACED, SCRIPTED):
        script = (torch.jit.script(module) if form == SCRIPTED else
                  torch.jit.trace(module, example_kwarg_inputs=dict(inputs), strict=False,
                                  check_trace=False))
        script.save(str(path))
        return shape_options(inputs, open_axes)
    elif form == DYNAMO:
        torch.onnx.export(module, (), path, kwargs=dict(inputs), dynamo=True, verbose=False,
                          dynamic_shapes=dimensions(inputs, open_axes), external_data=False,
                          **operator_set)
    else:
        axes = {name: {axis: f"{name}_{axis}" for input_, axis in open_axes if input_ == name}
                for name in inputs}
        torch.onnx.export(module, (), str(path), kwargs=dict(inputs), dynamo=False,
                          input_names=list(inputs), dynamic_axes=axes if open_axes else None,
                          **operator_set)
    return []


def suffix_of(form):
    return {PT2: ".pt2", DECOMPOSED: ".pt2", TRACED: ".pt", SCRIPTED: ".pt"}.get(form, ".onnx")


def copied(module):
    """A module of its own buffers; one that is scripted changes none here."""
    return module if isinstance(module, torch.jit.ScriptModule) else copy.deepcopy(module)


def write(form, module, draws, open_axes, folder):
    """Writes a case: `draws` are the inputs of its runs, dicts of tensors."""
    module = module.eval()
    model = "model" + suffix_of(form)
    with torch.no_grad():
        # The module may change its arguments, or itself, when it is called.
        expected = [flat(copied(module)(**copy.deepcopy(draw))) for draw in draws]
        if not all(expected):
            raise Refused("has no tensor among its results")
        options = save(form, module, draws[0], open_axes, folder / model)
        if form == TRACED:  # which may fit its own sizes only
            expected = [flat(torch.jit.load(folder / model)(**copy.deepcopy(draw)))
                        for draw in draws]
    runs = [({name: array(value) for name, value in draw.items()},
             [array(value) for value in outputs]) for draw, outputs in zip(draws, expected)]
    facts = {"converter": True} if model.endswith(".onnx") else {}
    if model.endswith(".pt2"):
        facts["write_back"] = ".pt2"
    write_case(folder, model, runs, options, **facts)


def load(path):
    """Runs a .pt2 archive that Dragoman wrote."""
    module = torch.export.load(path).module()

    def call(inputs):
        given = {name: torch.from_numpy(numpy.array(value)) for name, value in inputs.items()}
        with torch.no_grad():
            return [array(value) for value in flat(module(**given))]

    return call


def cases_of(forms, programs):
    """Cases by name, for serve_producer: every program in every form.

    `programs` is a dict from a name to a function that gives a module, the inputs of its runs and
    the axes that are left open.
    """
    def case(form, make):
        def write_it(folder):
            torch.manual_seed(0)
            module, draws, open_axes = make()
            write(form, module, draws, open_axes, folder)
        return write_it

    return {f"{form}/{name}": case(form, make) for form in forms
            for name, make in programs.items()}
