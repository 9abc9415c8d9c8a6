#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What others say of an ONNX file: the checker of package onnx with full inference of types and
sizes, and ONNX Runtime, if $DRAGOMAN_ONNXRUNTIME is a folder with node_modules of onnxruntime-node.

Usage: onnx_checks.py FILE...

Every file that a test lets `dragoman` write goes through here (commands.py). The package may be
older than the operator sets of a file: a node that it cannot know as it is, is checked as one of a
foreign domain, whose results are taken to be what the file says of them.
"""

import atexit
import os
import pathlib
import sys

try:
    import onnx
    from onnx import checker, defs, shape_inference
except ImportError:
    onnx = None

FOREIGN = "newer"
MOST_BYTES = 1 << 28  # larger files are not read into memory twice
# Complaints that are none: a newer operator set allows more element types and ranks, an input or
# output of unknown rank can only be written without a shape, and inference of onnx 1.12 looks up
# operands of a function that a call omits at its end ("Input 4 is out of bounds").
ALLOWED = (" is out of bounds",
           "Field 'shape' of 'type' is required but missing",
           "(op_type:IsInf): X typestr: T1, has unsupported type: tensor(float16)",
           "(op_type:OptionalHasElement)", "(op_type:OptionalGetElement)",
           "(op_type:GridSample): [ShapeInferenceError] Input 0 expected to have rank 4",
           "tensor(bfloat16)", "tensor(float8", "tensor(float4", "tensor(int4)", "tensor(uint4)",
           "tensor(int2)", "tensor(uint2)", "Invalid tensor data type 2",
           "(op_type:DequantizeLinear): x typestr: T, has unsupported type: tensor(int16)",
           "(op_type:DequantizeLinear): x typestr: T, has unsupported type: tensor(uint16)",
           "(op_type:ReduceMax): data typestr: T, has unsupported type: tensor(bool)",
           "(op_type:ReduceMin): data typestr: T, has unsupported type: tensor(bool)")
BFLOAT16_IN_JAVASCRIPT = "Unsupported data type: 16"  # of inputs and outputs
_RUNTIME = []


def graphs_of(graph):
    """The graph and those of its nodes, whatever the depth."""
    found = [graph]
    for one in found:
        for node in one.node:
            for attribute in node.attribute:
                found.extend([attribute.g] if attribute.HasField("g") else attribute.graphs)
    return found


def is_known(node, opset):
    """Whether the installed package has the operator in the form of this node."""
    try:
        schema = defs.get_schema(node.op_type, min(opset, defs.onnx_opset_version()), "")
    except defs.SchemaError:
        return False
    fits = schema.min_input <= len(node.input) <= schema.max_input
    fits = fits and schema.min_output <= len(node.output) <= schema.max_output
    return fits and all(attribute.name in schema.attributes for attribute in node.attribute)


def as_known(model):
    """The model as the installed package can read it: nothing but versions and domains change."""
    model.ir_version = min(model.ir_version, onnx.IR_VERSION)
    opset = next((entry.version for entry in model.opset_import
                  if entry.domain in ("", "ai.onnx")), 1)
    if opset <= defs.onnx_opset_version():
        return model
    nodes = [node for graph in graphs_of(model.graph) for node in graph.node]
    nodes += [node for function in model.functions for node in function.node]
    foreign = [node for node in nodes
               if node.domain in ("", "ai.onnx") and not is_known(node, opset)]
    for node in foreign:
        node.domain = FOREIGN
    for entry in model.opset_import:
        if entry.domain in ("", "ai.onnx"):
            entry.version = defs.onnx_opset_version()
    imports = [model.opset_import, *(function.opset_import for function in model.functions)]
    for entries in imports if foreign else []:
        entries.append(onnx.helper.make_opsetid(FOREIGN, 1))
    return model


def omits_inputs_of_functions(model):
    """Whether a call of a function leaves out an input, which inference of package onnx lacks."""
    functions = {(function.domain, function.name) for function in model.functions}
    return any((node.domain, node.op_type) in functions and "" in node.input
               for graph in graphs_of(model.graph) for node in graph.node)


def checker_problem(path):
    """What the checker says; an empty string if nothing, or if it is not installed."""
    if onnx is None or path.stat().st_size > MOST_BYTES:
        return ""
    try:
        model = as_known(onnx.load(str(path)))
        checker.check_model(model.SerializeToString(),
                            full_check=not omits_inputs_of_functions(model))
    except (checker.ValidationError, shape_inference.InferenceError, RuntimeError,
            ValueError) as error:
        said = str(error).strip()
        return "" if any(known in said for known in ALLOWED) else "onnx.checker: " + said
    return ""


def runtime_problem(path):
    """What ONNX Runtime says when it loads the file; an empty string if nothing, or without it."""
    place = os.environ.get("DRAGOMAN_ONNXRUNTIME")
    if not place:
        return ""
    if not _RUNTIME:
        from onnxruntime_peer import OnnxRuntime  # not needed without the variable
        _RUNTIME.append(OnnxRuntime(place))
        atexit.register(_RUNTIME[0].close)
    said = _RUNTIME[0].load(path)
    knows = BFLOAT16_IN_JAVASCRIPT not in said
    return "ONNX Runtime: " + said if said and knows else ""


def problem(path):
    """The first complaint about the file at `path`, or an empty string."""
    path = pathlib.Path(path)
    return checker_problem(path) or runtime_problem(path)


def written_file(arguments):
    """The ONNX file that a call of `dragoman` with these arguments writes, or None."""
    words = [str(word) for word in arguments]
    if not words or words[0] not in ("convert", "simplify"):
        return None
    for i, word in enumerate(words[:-1]):
        if word in ("-o", "--output"):
            path = pathlib.Path(words[i + 1])
            to_onnx = path.suffix == ".onnx" if "--to" not in words else (
                words[words.index("--to") + 1] == "onnx")
            return path if to_onnx and path.is_file() else None
    return None


def problem_of_call(arguments):
    """What others say of the file that a call wrote, unless they complain of its source as well."""
    path = written_file(arguments)
    said = problem(path) if path is not None else ""
    if not said:
        return ""
    sources = [pathlib.Path(str(word)) for word in arguments[1:]]
    for source in sources:
        if source.suffix == ".onnx" and source != path and source.is_file() and problem(source):
            return ""
    return f"{path}: {said}"


def main():
    if onnx is None:
        return 77
    said = [f"{path}: {what}" for path in sys.argv[1:] if (what := problem(path))]
    print("\n".join(said))
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
