# SPDX-License-Identifier: Apache-2.0
"""Parses Relay text with its parameters and runs it in the last TVM that has Relay."""

import pathlib

import ml_dtypes  # registers the element types that NumPy lacks
import numpy
import tvm
from tvm import relay

from shared.cases import Refused
from shared.consume import serve_consumer

assert ml_dtypes


def flat(result):
    """The arrays of a result: a tensor, or a nested tuple or closed list of them."""
    if hasattr(result, "numpy"):
        return [result.numpy()]
    return [array for part in result for array in flat(part)]


def compiled(module, params, **config):
    """For the virtual machine, which takes control flow and open sizes, too."""
    try:
        with tvm.transform.PassContext(opt_level=1, config=config):
            return relay.vm.compile(module, target="llvm", params=params)
    except tvm.TVMError as error:
        # TVM 0.19 describes some variables to debuggers as its LLVM does not take it.
        if config or "#dbg_declare" not in str(error):
            raise
        return compiled(module, params, **{"tir.disable_vectorize": True,
                                           "tir.disable_cse_tir": True})


def load(path):
    path = pathlib.Path(path)
    module = relay.fromtext(path.read_text())
    archive = path.with_suffix(".params")
    params = tvm.runtime.load_param_dict(archive.read_bytes()) if archive.exists() else {}
    names = [str(parameter.name_hint) for parameter in module["main"].params
             if parameter.name_hint not in params]
    machine = tvm.runtime.vm.VirtualMachine(compiled(module, params), tvm.cpu())

    def call(inputs):
        values = [value for value in inputs.values() if value is not None]
        if len(values) != len(names) or any(isinstance(value, list) for value in values):
            raise Refused(f"parameters {names} for inputs {list(inputs)}")
        tensors = [tvm.nd.array(numpy.array(value, order="C")) for value in values]
        return flat(machine.invoke("main", *tensors))

    return call


if __name__ == "__main__":
    serve_consumer(load, f"TVM {tvm.__version__}")
