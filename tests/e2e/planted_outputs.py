# SPDX-License-Identifier: Apache-2.0
"""Arrays and wrong versions of them, for every element type: what judges must distinguish.

Types that NumPy lacks are their bits, as recorded data has them.
"""

import dataclasses

import numpy as np

# Element type in graph text to NumPy's.
NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": np.uint16,
         "f8e4m3fn": np.uint8, "f8e5m2": np.uint8, "c64": np.complex64, "c128": np.complex128,
         "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8,
         "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "bool": np.bool_, "str": np.str_}
# What verify and generated programs allow, and more than that.
TOO_FAR = {"f32": 3e-4, "f64": 3e-7, "f16": 3e-2, "c64": 3e-4, "c128": 3e-7}
# Bits of 1, 2, 3, the largest number, infinity, NaN; of the layout without infinity twice NaN.
BITS = {"bf16": (0x3f80, 0x4000, 0x4040, 0x7f7f, 0x7f80, 0x7fc0),
        "f8e4m3fn": (0x38, 0x40, 0x44, 0x7e, 0x7f, 0x7f),
        "f8e5m2": (0x3c, 0x40, 0x42, 0x7b, 0x7c, 0x7e)}


@dataclasses.dataclass
class Planted:
    """`wrong` stands where `right` is expected, of types as in graph text."""

    name: str
    right_type: str
    right: np.ndarray
    wrong_type: str
    wrong: np.ndarray

    def same_form(self):
        return self.right_type == self.wrong_type and self.right.shape == self.wrong.shape


def changed(right, *elements):
    """A copy in which (position, value) are set."""
    wrong = right.copy()
    for position, value in elements:
        wrong[position] = value
    return wrong


def floats(kind):
    dtype = NUMPY[kind]
    largest = np.finfo(dtype).max
    plain = np.array([1, -2, 0, 3], dtype)
    special = np.array([np.inf, -np.inf, np.nan, largest], dtype)
    far = TOO_FAR[kind]
    yield "sign", plain, changed(plain, (1, 2))
    yield "a bit too far", plain, changed(plain, (0, 1 + far))
    yield "not zero", plain, changed(plain, (2, far))
    yield "all zero", plain, np.zeros_like(plain)
    yield "swapped", plain, plain[[0, 3, 2, 1]]
    yield "doubled", plain, plain * 2
    yield "infinity for a number", plain, changed(plain, (3, np.inf))
    yield "NaN for a number", plain, changed(plain, (3, np.nan))
    yield "the largest for infinity", special, changed(special, (0, largest))
    yield "infinity for the largest", special, changed(special, (3, np.inf))
    yield "the other infinity", special, changed(special, (0, -np.inf))
    yield "the other infinity, negative", special, changed(special, (1, np.inf))
    yield "zero for infinity", special, changed(special, (0, 0))
    yield "zero for minus infinity", special, changed(special, (1, 0))
    yield "zero for NaN", special, changed(special, (2, 0))
    yield "infinity for NaN", special, changed(special, (2, np.inf))
    yield "NaN for infinity", special, changed(special, (0, np.nan))
    yield "NaN elsewhere", special, special[[2, 1, 0, 3]]


def complexes(kind):
    right = np.array([1 + 2j, -3j, 4, 0], NUMPY[kind])
    special = np.array([complex(np.inf, 1), complex(1, -np.inf), complex(np.nan, 1), 2],
                       NUMPY[kind])
    far = TOO_FAR[kind]
    yield "conjugate", right, right.conj()
    yield "exchanged parts", right, right.imag + 1j * right.real
    yield "imaginary part dropped", right, right.real.astype(right.dtype)
    yield "imaginary part too far", right, changed(right, (2, 4 + 1j * far))
    yield "turned", right, right * 1j
    yield "NaN in the imaginary part", right, changed(right, (2, complex(4, np.nan)))
    yield "infinite imaginary part", right, changed(right, (2, complex(4, np.inf)))
    yield "the largest for infinity", special, changed(special, (0, complex(3e38, 1)))
    yield "the other infinity", special, changed(special, (1, complex(1, np.inf)))
    yield "NaN dropped", special, changed(special, (2, complex(0, 1)))
    yield "beside an infinity", special, changed(special, (0, complex(np.inf, 2)))
    yield "beside NaN", special, changed(special, (2, complex(np.nan, 2)))


def narrow(kind):
    one, two, three, largest, infinity, nan = BITS[kind]
    minus = 1 << (8 * np.dtype(NUMPY[kind]).itemsize - 1)
    right = np.array([one, two, largest, nan], NUMPY[kind])
    yield "sign", right, changed(right, (0, one | minus))
    yield "another number", right, changed(right, (1, three))
    yield "infinity or NaN for the largest", right, changed(right, (2, infinity))
    yield "the largest for NaN", right, changed(right, (3, largest))
    yield "NaN for a number", right, changed(right, (0, nan))
    yield "swapped", right, right[[1, 0, 2, 3]]


def integers(kind):
    info = np.iinfo(NUMPY[kind])
    plain = np.array([0, 1, info.max, info.min], NUMPY[kind])
    yield "one more", plain, changed(plain, (1, 2))
    yield "one below the largest", plain, changed(plain, (2, info.max - 1))
    yield "one above the least", plain, changed(plain, (3, info.min + 1))
    yield "least for largest", plain, changed(plain, (2, info.min))
    yield "swapped", plain, plain[[0, 1, 3, 2]]
    if info.bits == 64:
        for power in (53, 54, 62):
            right = np.array([1 << power], NUMPY[kind])
            yield f"one off at 2^{power}", right, right + NUMPY[kind](1)
            yield f"one less at 2^{power}", right, right - NUMPY[kind](1)


def others():
    yield "bool", "one flipped", np.array([True, False]), np.array([True, True])
    yield "bool", "all flipped", np.array([True, False]), np.array([False, True])
    words = np.array(["aB", "", "naïve", "x"])
    for name, i, word in (("case", 0, "ab"), ("space", 0, "aB "), ("empty", 3, ""),
                          ("no longer empty", 1, " "), ("accent", 2, "naive"),
                          ("decomposed accent", 2, "nai\u0308ve"), ("prefix", 2, "naïv")):
        yield "str", name, words, changed(words, (i, word))
    yield "str", "swapped", words, words[[3, 1, 2, 0]]


def forms():
    """Wrong sizes and types; elements are the same where they can be."""
    square = np.arange(6, dtype=np.float32).reshape(2, 3)
    for name, wrong in (("transposed", square.T.copy()), ("reshaped", square.reshape(3, 2)),
                        ("flat", square.ravel()), ("truncated", square[:1]),
                        ("too long", np.vstack([square, square])), ("empty", square[:0]),
                        ("one axis more", square[None])):
        yield Planted(name, "f32", square, "f32", wrong)
    yield Planted("scalar", "f32", np.ones((1,), np.float32), "f32", np.ones((), np.float32))
    ones = [0, 1]
    for right, wrong in (("i32", "i64"), ("i64", "u64"), ("f32", "f64"), ("f32", "f16"),
                         ("f32", "i32"), ("bool", "u8"), ("bool", "i8"), ("c64", "f32"),
                         ("c64", "c128"), ("u8", "i8"), ("str", "i64"), ("f64", "i64")):
        yield Planted(f"{wrong} for {right}", right, np.array(ones).astype(NUMPY[right]), wrong,
                      np.array(ones).astype(NUMPY[wrong]))


def all_planted():
    found = list(forms())
    for kind in NUMPY:
        if kind in TOO_FAR:
            cases = list(complexes(kind) if kind.startswith("c") else floats(kind))
        elif kind in BITS:
            cases = list(narrow(kind))
        else:
            cases = [] if kind in ("bool", "str") else list(integers(kind))
        found += [Planted(f"{kind}: {name}", kind, right, kind, wrong)
                  for name, right, wrong in cases]
    found += [Planted(f"{kind}: {name}", kind, right, kind, wrong)
              for kind, name, right, wrong in others()]
    return found
