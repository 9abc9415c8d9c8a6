"""Arrays that a run gave, read from its --output-dir, and how they differ from those expected."""

import json
import pathlib

import numpy as np

TOLERANCES = {"float32": 1e-4, "float64": 1e-7, "float16": 1e-2, "bfloat16": 1e-2,
              "complex64": 1e-4, "complex128": 1e-7}


def read_outputs(folder):
    """(array, element type) of each output, in order; bfloat16 as its bits."""
    folder = pathlib.Path(folder)
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    return [(np.load(folder / entry["file"]), entry["dtype"]) for entry in index["outputs"]]


def widened(array, dtype):
    """Numbers that NumPy compares: bfloat16's bits as float32, all in complex128."""
    if dtype == "bfloat16":
        wide = np.atleast_1d(array).astype(np.uint32) << 16
        array = wide.view(np.float32).reshape(array.shape)
    return array.astype(np.complex128)


def difference(found, expected):
    """What is wrong with one (array, element type); an empty string if nothing is."""
    (a, dtype_a), (b, dtype_b) = found, expected
    if dtype_b == "str":
        return "" if str(a) == str(b) else f"{a}, expected {b}"
    if dtype_a != dtype_b:
        return f"element type {dtype_a}, expected {dtype_b}"
    if a.shape != b.shape:
        return f"sizes {list(a.shape)}, expected {list(b.shape)}"
    tolerance = TOLERANCES.get(dtype_b, 0)
    a, b = widened(a, dtype_a), widened(b, dtype_b)
    if np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True):
        return ""
    return f"differs by {np.nanmax(np.abs(a - b)):.3g}"


def compare(found, expected):
    """The first difference of two lists of (array, element type); an empty string if none."""
    if len(found) != len(expected):
        return f"{len(found)} outputs, expected {len(expected)}"
    for i, (a, b) in enumerate(zip(found, expected)):
        if what := difference(a, b):
            return f"output {i}: {what}"
    return ""


def array_difference(a, b, rtol, atol):
    """How the array `a` differs from `b`, which is expected; an empty string if it does not.

    The tolerances are for floating numbers; all else must be equal.
    """
    if a.dtype == b.dtype and a.shape == b.shape:
        is_float = b.dtype.kind in "fc"
        if np.allclose(a, b, rtol, atol, equal_nan=True) if is_float else np.array_equal(a, b):
            return ""
    return f"{a.dtype}{a.shape} {a.ravel()[:4]}, expected {b.dtype}{b.shape} {b.ravel()[:4]}"


def array_differences(found, expected, rtol, atol):
    """A line for each of `expected`, a dict, from which the array at its place differs."""
    if len(found) != len(expected):
        return [f"{len(found)} results, expected {len(expected)}"]
    lines = [(name, array_difference(a, b, rtol, atol))
             for a, (name, b) in zip(found, expected.items())]
    return [f"{name}: {line}" for name, line in lines if line]
