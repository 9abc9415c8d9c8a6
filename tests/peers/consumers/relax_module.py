# SPDX-License-Identifier: Apache-2.0
"""Imports Relax modules as Python files, as docs/relax.md says, and runs them in TVM."""

import importlib.util
import json
import pathlib
import sys

import ml_dtypes
import numpy
import tvm
from tvm import relax

from shared.cases import Refused
from shared.consume import serve_consumer


def import_module(path):
    spec = importlib.util.spec_from_file_location("written_module", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where TVM looks for the source of the class
    spec.loader.exec_module(module)
    return module.Module


def weights_of(path):
    """The arrays beside a module by the names of parameters; `w:bfloat16` holds the bits of `w`."""
    archive = pathlib.Path(path).with_suffix(".npz")
    weights = {}
    if archive.exists():
        for key, array in numpy.load(archive).items():
            name, _, dtype = key.partition(":")
            weights[name] = array.view(getattr(ml_dtypes, dtype)) if dtype else array
    return weights


def attributes_of(function):
    return {} if function.attrs is None else {key: function.attrs[key] for key in
                                              function.attrs.keys()}


def tensor(array):
    return tvm.runtime.tensor(numpy.array(array, order="C"))


def flat(result):
    """The arrays of a result: a tensor, or a nested tuple of them."""
    if hasattr(result, "numpy"):
        return [result.numpy()]
    return [array for part in result for array in flat(part)]


def load(path):
    module = import_module(path)
    function = module["main"]
    attributes = attributes_of(function)
    for unsupported in ("states", "random", "complex"):
        if unsupported in attributes:
            raise Refused(f"has {unsupported}, which the judge does not feed")
    names = [parameter.name for parameter in function.params]
    names = names[:int(attributes.get("num_input", len(names)))]
    bound = relax.transform.BindParams("main", weights_of(path))(module)
    machine = relax.VirtualMachine(tvm.compile(bound, target="llvm"), tvm.cpu())

    def call(inputs):
        values = [value for value in inputs.values() if value is not None]
        if len(values) != len(names) or any(isinstance(value, list) for value in values):
            raise Refused(f"parameters {json.dumps(names)} for inputs {json.dumps(list(inputs))}")
        return flat(machine["main"](*map(tensor, values)))

    return call


if __name__ == "__main__":
    serve_consumer(load, f"TVM {tvm.__version__}")
