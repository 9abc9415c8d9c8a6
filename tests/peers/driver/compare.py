# SPDX-License-Identifier: Apache-2.0
"""Whether outputs are those that the producer computed. By code of its own: it judges Dragoman."""

import numpy

from shared.cases import BITS, Stored

# Relative tolerance by element type, and absolute as a part of the largest expected number.
TOLERANCES = {"float64": (1e-5, 1e-7), "complex128": (1e-5, 1e-7), "float16": (1e-2, 5e-3),
              "bfloat16": (4e-2, 2e-2)}
USUAL_TOLERANCE = (1e-3, 2e-5)
# Which bits of 8-bit floats are a NaN, of which some have several. Where these do not include it, 0x80
# is -0, which is as good as 0 in all floats.
NANS = {"float8_e4m3fn": lambda bits: bits & 0x7f == 0x7f,
        "float8_e5m2": lambda bits: bits & 0x7f > 0x7c,
        "float8_e4m3fnuz": lambda bits: bits == 0x80, "float8_e5m2fnuz": lambda bits: bits == 0x80,
        "float8_e8m0fnu": lambda bits: bits == 0xff}


def flat(values):
    """The arrays of values, lists opened; what is absent is left out."""
    for value in values:
        if isinstance(value, list):
            yield from flat(value)
        elif value is not None:
            yield value


def numbers(value):
    """A stored array with its numbers as NumPy has them."""
    if value.dtype == "bfloat16":
        return numpy.left_shift(value.array, 16, dtype=numpy.uint32).view(numpy.float32)
    if value.dtype in NANS:
        bits = numpy.where(NANS[value.dtype](value.array), 0x100, value.array.astype(int))
        return numpy.where((bits == 0x80) & (value.dtype != "float8_e8m0fnu"), 0, bits)
    return value.array


def described(value):
    return f"{value.dtype}{list(value.array.shape)}"


def _wrong_places(expected, actual, rtol, atol):
    """A mask of the elements that differ."""
    if expected.dtype.kind not in "fc":
        return expected != actual
    expected, actual = (side.astype(numpy.complex128 if side.dtype.kind == "c" else numpy.float64)
                        for side in (expected, actual))
    finite = numpy.isfinite(expected)
    largest = numpy.abs(expected[finite]).max(initial=0.1)
    with numpy.errstate(all="ignore"):
        near = numpy.abs(expected - actual) <= atol * largest + rtol * numpy.abs(expected)
    same = (expected == actual) | (numpy.isnan(expected) & numpy.isnan(actual))
    return ~numpy.where(finite, near, same)


def _difference(expected, actual, facts):
    """What differs between two stored arrays; None if nothing does."""
    if expected.array.shape != actual.array.shape:
        return f"{described(actual)}, expected {described(expected)}"
    if expected.array.dtype.kind != actual.array.dtype.kind:
        return f"{described(actual)}, expected {described(expected)}"
    if facts.get("random"):
        return None
    rtol, atol = TOLERANCES.get(expected.dtype, USUAL_TOLERANCE)
    rtol, atol = facts.get("rtol", rtol), facts.get("atol", atol)
    if actual.dtype == BITS.get(expected.dtype):  # of a framework whose arrays are the bits
        actual = Stored(actual.array, expected.dtype)
    wanted, got = numbers(expected), numbers(actual)
    wrong = _wrong_places(wanted, got, rtol, atol)
    if not wrong.any():
        return None
    first = tuple(int(place[0]) for place in numpy.nonzero(numpy.atleast_1d(wrong)))
    at = first if wanted.ndim else ()
    return (f"{described(expected)}, {int(wrong.sum())} of {wrong.size} wrong, at {list(at)} "
            f"{got[at]}, expected {wanted[at]}")


def problem(expected, actual, facts):
    """What is wrong with the outputs of a run; None if nothing is.

    `expected` is a dict of values by name, "#0" where they have none; `actual` a dict likewise, or
    a list in order.
    """
    if isinstance(actual, dict) and all(name in actual for name in expected):
        actual = [actual[name] for name in expected]
    actual = list(actual.values()) if isinstance(actual, dict) else actual
    wanted, got = list(flat(expected.values())), list(flat(actual))
    if len(wanted) != len(got) and not (facts.get("states") and len(got) > len(wanted)):
        return f"{len(got)} outputs, expected {len(wanted)}"
    for place, (left, right) in enumerate(zip(wanted, got)):
        difference = _difference(left, right, facts)
        if difference:
            return f"output {place}: {difference}"
    return None
