#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What counts as the same element, for pairs of edge values of every element type.

The reference decodes bits by the formulas of the formats and compares in exact fractions; the
runtime widens to double. Only where distance and bound agree to 50 bits may the two differ.
"""

import fractions
import itertools
import math
import os
import pathlib
import struct
import subprocess
import unittest

LISTING = pathlib.Path(os.environ["DRAGOMAN_BINARY"]).resolve().parent / "tests/closeness_listing"
NAN, INFINITY = math.nan, math.inf
TIE = fractions.Fraction(1, 2 ** 50)

# Bits of the exponent and of the significand, bias, whether there are infinities, and which codes
# are NaN: those above infinity, all ones, or the one of minus zero.
FLOATS = {
    "float64": (11, 52, 1023, "ieee"), "float32": (8, 23, 127, "ieee"),
    "float16": (5, 10, 15, "ieee"), "bfloat16": (8, 7, 127, "ieee"),
    "float8_e5m2": (5, 2, 15, "ieee"), "float8_e4m3fn": (4, 3, 7, "ones"),
    "float8_e4m3fnuz": (4, 3, 8, "minus zero"), "float8_e5m2fnuz": (5, 2, 16, "minus zero"),
    "float4_e2m1": (2, 1, 1, "finite"),
}
COMPLEX = {"complex64": "float32", "complex128": "float64"}
INTEGERS = {f"{sign}int{bits}": (bits, not sign) for bits in (2, 4, 8, 16, 32, 64)
            for sign in ("", "u")}
LIMITS = [(0, 0), (1e-4, 1e-4), (1e-7, 1e-7), (1e-2, 1e-2), (0.5, 0), (0, 1), (1e-16, 0), (1, 0),
          (3, 0), (0, 1e308), (1e300, 1e300)]


def decode_float(code, kind):
    exponent_bits, significand_bits, bias, special = FLOATS[kind]
    sign = -1 if code >> (exponent_bits + significand_bits) else 1
    exponent = code >> significand_bits & (1 << exponent_bits) - 1
    significand = code & (1 << significand_bits) - 1
    ones = exponent == (1 << exponent_bits) - 1
    if special == "ieee" and ones:
        return NAN if significand else sign * INFINITY
    if special == "ones" and ones and significand == (1 << significand_bits) - 1:
        return NAN
    if special == "minus zero" and sign < 0 and exponent == significand == 0:
        return NAN
    if exponent:
        significand += 1 << significand_bits
    power = max(exponent, 1) - bias - significand_bits
    return sign * significand * fractions.Fraction(2) ** power


def decode(raw, kind):
    """The parts of an element: exact numbers, NaN, infinities."""
    if kind in COMPLEX:
        half = len(raw) // 2
        return [part for piece in (raw[:half], raw[half:]) for part in decode(piece, COMPLEX[kind])]
    if kind in FLOATS:
        return [decode_float(int.from_bytes(raw, "little"), kind)]
    if kind == "float8_e8m0":
        return [NAN if raw[0] == 255 else fractions.Fraction(2) ** (raw[0] - 127)]
    return [int.from_bytes(raw, "little", signed=INTEGERS[kind][1])]


def judge_part(a, b, relative, absolute, scale):
    """(close or not, None for a tie; distance)"""
    special = [x for x in (a, b) if isinstance(x, float)]
    if special:
        same = a == b or (a != a and b != b)
        return same, 0.0 if same else INFINITY
    distance = abs(a - b)
    size = max(abs(a), abs(b)) if scale == "larger" else abs(b)
    bound = fractions.Fraction(absolute) + fractions.Fraction(relative) * size
    try:
        rounded = float(distance)
    except OverflowError:
        rounded = INFINITY
    tie = distance != 0 and bound != 0 and abs(distance - bound) <= TIE * bound
    return None if tie else distance <= bound, rounded


def judge(a, b, kind, limits, scale):
    if kind in ("bool", "string"):
        return a == b, 0.0 if a == b else INFINITY if kind == "string" else 1.0
    parts = [judge_part(x, y, *limits, scale) for x, y in zip(decode(a, kind), decode(b, kind))]
    verdicts = [close for close, _ in parts]
    close = False if False in verdicts else None if None in verdicts else True
    return close, max(distance for _, distance in parts)


def float_codes(kind):
    """Zeros, subnormals, ones and neighbours, the largest, infinities, NaN; of 8 bits all."""
    exponent_bits, significand_bits, bias, _ = FLOATS[kind]
    bits = 1 + exponent_bits + significand_bits
    if bits <= 8:
        return range(1 << bits)
    top = (1 << exponent_bits) - 1 << significand_bits
    one = bias << significand_bits
    near = {one + round(fraction * (1 << significand_bits))
            for fraction in (0.9e-7, 1.1e-7, 0.9e-4, 2.1e-4, 0.9e-2, 2.1e-2, 0.5)}
    codes = {0, 1, 2, (1 << significand_bits) - 1, 1 << significand_bits, one - 1, one, one + 1,
             top - 2, top - 1, top, top + 1, top | 1 << significand_bits - 1,
             top + (1 << significand_bits) - 1} | near
    return sorted(codes | {code | 1 << bits - 1 for code in codes})


def integer_values(kind):
    bits, signed = INTEGERS[kind]
    lowest, highest = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    values = {lowest, lowest + 1, highest - 1, highest}
    for power in (0, 1, 3, 7, 15, 24, 31, 53, 62, 63):
        values |= {sign * (1 << power) + step for sign in (1, -1) for step in (-1, 0, 1)}
    return sorted(value for value in values if lowest <= value <= highest)


def elements(kind):
    """The bytes of edge values."""
    if kind == "string":
        return ["".encode(), b"a", b"A", b"a ", "ä".encode(), b"\0", b"nan", b"x" * 100]
    if kind == "bool":
        return [b"\0", b"\1"]
    if kind in COMPLEX:
        part = COMPLEX[kind]
        plain = elements(part)
        few = plain[:1] + plain[5:7] + plain[12:21] + plain[-1:]
        return [x + y for x, y in itertools.product(few[::2], few)]
    if kind == "float8_e8m0":
        return [bytes([code]) for code in range(256)]
    if kind in FLOATS:
        size = max(1, sum(FLOATS[kind][:2]) + 1 >> 3)
        return [code.to_bytes(size, "little") for code in float_codes(kind)]
    bits, signed = INTEGERS[kind]
    return [value.to_bytes(max(1, bits >> 3), "little", signed=signed)
            for value in integer_values(kind)]


def pairs(kind):
    """All pairs, of which one side is thinned out where there are many."""
    all_elements = elements(kind)
    step = max(1, len(all_elements) // 14)
    return itertools.product(all_elements, all_elements[::step])


def answers(questions):
    lines = [f"{kind} {a.hex() or '-'} {b.hex() or '-'} {limits[0]!r} {limits[1]!r} {scale}\n"
             for kind, a, b, limits, scale in questions]
    found = subprocess.run([LISTING], input="".join(lines), capture_output=True, text=True,
                           check=True)
    for line in found.stdout.splitlines():
        close, changed, distance = line.split()
        yield close == "1", changed == "1", float.fromhex(distance)


KINDS = ["bool", "string", "float8_e8m0", *FLOATS, *COMPLEX, *INTEGERS]


class ClosenessTest(unittest.TestCase):
    def test_agrees_with_exact_arithmetic_on_edge_values(self):
        for kind in KINDS:
            questions = [(kind, a, b, limits, scale) for a, b in pairs(kind)
                         for limits in LIMITS for scale in ("expected", "larger")]
            with self.subTest(kind):
                wrong = []
                for question, (close, changed, distance) in zip(questions, answers(questions)):
                    _, a, b, limits, scale = question
                    expected, far = judge(a, b, kind, limits, scale)
                    if (close != expected and expected is not None or changed != (a != b)
                            or distance != far):
                        wrong.append((question, close, expected, distance, far))
                self.assertEqual(wrong[:5], [], f"{len(wrong)} of {len(questions)}")

    def test_is_symmetric_where_neither_side_is_right(self):
        for kind in KINDS:
            questions = [(kind, a, b, limits, "larger")
                         for a, b in pairs(kind) for limits in LIMITS]
            turned = [(kind, b, a, limits, "larger") for kind, a, b, limits, _ in questions]
            with self.subTest(kind):
                self.assertEqual(list(answers(questions)), list(answers(turned)))

    def test_reads_floats_as_other_libraries_do(self):
        for kind, code in (("float64", "<d"), ("float32", "<f"), ("float16", "<e")):
            for raw in elements(kind):
                (number,) = struct.unpack(code, raw)
                self.assertIn(decode(raw, kind)[0], (number, NAN) if number == number else (NAN,))


if __name__ == "__main__":
    unittest.main()
