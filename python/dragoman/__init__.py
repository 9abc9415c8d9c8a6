# SPDX-License-Identifier: Apache-2.0
"""Translates neural-network models between graph representations, compares and runs them.

    import dragoman

    m = dragoman.load("model.onnx", shapes={"x": ("n", 3, 224, 224)})
    m.optimize().save("model.py")            # a TVM Relax module, weights beside it
    y = m.session().run({"x": x})["y"]
    print(dragoman.diff(m, dragoman.load("other.onnx")))
"""

import os as _os
import sys as _sys

# Of libraries that are here twice each module keeps its own: TensorFlow shows all others its protobuf.
_flags = _sys.getdlopenflags()
_sys.setdlopenflags(_flags | _os.RTLD_DEEPBIND)
import dragoman._dragoman
_sys.setdlopenflags(_flags)

from dragoman._compare import diff, verify
from dragoman._dragoman import (
    AttributeRef, DiffReport, Divergence, Edit, Elements, Entry, Graph, Model, Node, Origin,
    OutputComparison, Session, Slot, SparseTensor, Symbol, Type, Value, Verification, VerifyReport,
    __version__, load)
from dragoman._arrays import State
from dragoman._errors import Error, Finding, Internal, Invalid, Unsupported, Warning
from dragoman._frameworks import from_onnx, from_tf, from_torch, to_onnx
from dragoman._program import Program, codegen

Model.codegen = codegen
Model.to_onnx = to_onnx
DiffReport.html = _compare.html
DiffReport._repr_html_ = _compare.html

__all__ = [
    "AttributeRef", "DiffReport", "Divergence", "Edit", "Elements", "Entry", "Error", "Finding",
    "Graph", "Internal", "Invalid", "Model", "Node", "Origin", "OutputComparison", "Program",
    "Session", "Slot", "SparseTensor", "State", "Symbol", "Type", "Unsupported", "Value",
    "Verification", "VerifyReport", "Warning", "__version__", "diff", "from_onnx", "from_tf",
    "from_torch", "load", "verify"]
