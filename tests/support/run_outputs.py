# SPDX-License-Identifier: Apache-2.0
"""Arrays that a run gave, read from its --output-dir, and how they differ from those expected."""

import json
import pathlib
import tempfile

import numpy as np

TOLERANCES = {"float32": 1e-4, "float64": 1e-7, "float16": 1e-2, "bfloat16": 1e-2,
              "complex64": 1e-4, "complex128": 1e-7}


def read_outputs(folder):
    """(array, element type) of each output, in order; bfloat16 as its bits. A map is its values."""
    folder = pathlib.Path(folder)
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    return [output for entry in index["outputs"] for output in read_output(folder, entry)]


def read_output(folder, entry):
    dtype = entry["dtype"]
    if "keys" not in entry:
        return [(np.load(folder / entry["file"]), dtype)]
    entries = json.loads((folder / entry["file"]).read_text(encoding="utf-8"))
    return [(np.array(value, None if isinstance(value, str) else dtype), dtype)
            for value in entries.values()]


def widened(array, dtype):
    """Numbers that NumPy compares: bfloat16's bits as float32."""
    if dtype != "bfloat16":
        return array
    wide = np.atleast_1d(array).astype(np.uint32) << 16
    return wide.view(np.float32).reshape(array.shape)


def close(a, b, rtol, atol):
    """As runtime/program/closeness.h has it, of arrays of one type and form; `b` is expected."""
    if b.dtype.kind == "c":
        return close(a.real, b.real, rtol, atol) and close(a.imag, b.imag, rtol, atol)
    if b.dtype.kind == "f":
        return np.allclose(a.astype(np.float64), b.astype(np.float64), rtol, atol, equal_nan=True)
    return np.array_equal(a, b)


def difference(found, expected):
    """What is wrong with one (array, element type); an empty string if nothing is."""
    (a, dtype_a), (b, dtype_b) = found, expected
    if dtype_b == "str":
        return "" if np.array_equal(a, b) else f"{a}, expected {b}"
    if dtype_a != dtype_b:
        return f"element type {dtype_a}, expected {dtype_b}"
    if a.shape != b.shape:
        return f"sizes {list(a.shape)}, expected {list(b.shape)}"
    tolerance = TOLERANCES.get(dtype_b, 0)
    a, b = widened(a, dtype_a), widened(b, dtype_b)
    if close(a, b, tolerance, tolerance):
        return ""
    return f"differs: {a.ravel()[:4]}, expected {b.ravel()[:4]}"


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
        if close(a, b, rtol, atol):
            return ""
    return f"{a.dtype}{a.shape} {a.ravel()[:4]}, expected {b.dtype}{b.shape} {b.ravel()[:4]}"


def array_differences(found, expected, rtol, atol):
    """A line for each of `expected`, a dict, from which the array at its place differs."""
    if len(found) != len(expected):
        return [f"{len(found)} results, expected {len(expected)}"]
    lines = [(name, array_difference(a, b, rtol, atol))
             for a, (name, b) in zip(found, expected.items())]
    return [f"{name}: {line}" for name, line in lines if line]


def outcome_of(check):
    """What `check` says that is wrong, given a folder of its own; also where a case cannot be read."""
    with tempfile.TemporaryDirectory() as work:
        try:
            return check(pathlib.Path(work))
        except (KeyError, ValueError, OSError) as error:
            return f"driver: {error!r}"
