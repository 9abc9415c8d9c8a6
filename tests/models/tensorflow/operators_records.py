# SPDX-License-Identifier: Apache-2.0
"""Texts that hold something else: numbers, bytes as letters, records of type tensorflow.Example."""

import base64
import struct

import numpy as np

from operator_cases import Group, f32, i32, text_case, words


def texts(values):
    return np.array([value.encode() for value in values], "S")


def make_numbers_as_text():
    """As Python's % writes them, which is C's printf."""
    floats = np.array([1.5, -2, 1e20, 1e-7, 123456789, 0.1, -0.0], np.float32)
    whole = np.array([7, 100, 0, -5], np.int32)
    for name, spelled, more in (("fixed", "%f", {}),
                                ("rounded", "%.2f", {"precision": 2}),
                                ("scientific", "%.3e", {"precision": 3, "scientific": True}),
                                ("shortest", "%g", {"shortest": True}),
                                ("shortest_9", "%.9g", {"shortest": True, "precision": 9}),
                                ("wide", "%12.1f", {"width": 12, "precision": 1}),
                                ("zeros", "%012.1f", {"width": 12, "precision": 1, "fill": "0"}),
                                ("left", "%-12.1f", {"width": 12, "precision": 1, "fill": "-"}),
                                ("plus", "%+12.1f", {"width": 12, "precision": 1, "fill": "+"}),
                                ("space", "% .1f", {"precision": 1, "fill": " "})):
        text_case(f"as_string_{name}", "AsString", [floats],
                  [texts([spelled % float(value) for value in floats])], T="dt:float", **more)
    for name, spelled, more in (("wide", "%6d", {"width": 6}), ("zeros", "%06d", {"width": 6, "fill": "0"}),
                                ("left", "%-6d", {"width": 6, "fill": "-"}), ("plus", "%+d", {"fill": "+"})):
        text_case(f"as_string_of_integers_{name}", "AsString", [whole],
                  [texts([spelled % value for value in whole])], T="dt:int32", **more)
    text_case("as_string_of_unsigned", "AsString", [whole[:3].astype(np.uint8)],
              [texts(["     7", "   100", "     0"])], T="dt:uint8", width=6, fill="+")
    text_case("as_string_of_complex", "AsString", [np.array([1 - 2j, 0.5j], np.complex64)],
              [texts(["(1.0,-2.0)", "(0.0,0.5)"])], T="dt:complex64", precision=1)
    text_case("as_string_of_no_numbers", "AsString", [np.array([np.nan, np.inf, -np.inf])],
              [texts(["  nan", "  inf", " -inf"])], T="dt:double", width=5, fill="0")


def make_base64():
    plain = words("hello", "h", "", "\u00ff\u00fe?>")
    for pad in (False, True):
        coded = [base64.urlsafe_b64encode(text) for text in plain]
        coded = np.array(coded if pad else [text.rstrip(b"=") for text in coded], object)
        text_case(f"encode_base64_{pad}", "EncodeBase64", [plain], [coded.astype("S")], pad=pad)
        text_case(f"decode_base64_{pad}", "DecodeBase64", [coded], [plain.astype("S")])


def make_scripts():
    """The numbers of UScriptCode: Latin, Han, inherited, common, Greek, none that is assigned, none."""
    text_case("unicode_script", "UnicodeScript", [i32(65, 0x4e00, 0x300, 0x20, 0x3b1, 0x378, -1)],
              [i32(25, 17, 1, 0, 14, 103, -1)])


def varint(number):
    number &= 2**64 - 1
    parts = []
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes(parts + [number])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def feature(values):
    """A list of texts, floats or integers as tensorflow.Feature."""
    if values and isinstance(values[0], bytes):
        return field(1, b"".join(field(1, value) for value in values))
    if values and isinstance(values[0], float):
        return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
    return field(3, field(1, b"".join(map(varint, values))))


def example(**features):
    return field(1, b"".join(field(1, field(1, key.encode()) + field(2, feature(values)))
                             for key, values in features.items()))


RECORDS = [example(size=[1.5, -2.0], number=[7], word=[b"a", b"bc"], row=[1, 2, 3, -4]),
           example(size=[0.25, 8.0], word=[b"d"], other=[b"?"]),
           example(number=[-2**40], size=[3.0, 4.0], row=[5, 6])]
SIZES = np.array([[1.5, -2], [0.25, 8], [3, 4]], np.float32)
NUMBERS = np.array([7, -1, -2**40])
ROWS = np.array([[[1, 2], [3, -4]], [[9, 9], [9, 9]], [[5, 6], [9, 9]]])


def make_examples():
    """Dense features that are required, have a default, and are padded; sparse and ragged ones."""
    records = Group("parse_examples")
    keys = [(np.array([b"word"], object),), (np.array([b"size", b"number", b"row"], object),),
            (np.array([b"row"], object),)]
    defaults = [(np.zeros(0, np.float32),), (np.array(-1),), (np.array(9),)]
    dense = {"Tdense": ["dt:float", "dt:int64", "dt:int64"], "dense_shapes": [(2,), (), (-1, 2)]}
    sparse = [np.array([[0, 0], [0, 1], [1, 0]]), np.array([b"a", b"bc", b"d"]), np.array([3, 2])]
    ragged = [np.array([1, 2, 3, -4, 5, 6]), i32(0, 4, 4, 6)]
    records.call("ParseExampleV2", np.array(RECORDS, object), (np.zeros(0, object),), *keys, *defaults,
                 wanted=sparse + [SIZES, NUMBERS, ROWS] + ragged, num_sparse=1,
                 sparse_types=["dt:string"], ragged_value_types=["dt:int64"],
                 ragged_split_types=["dt:int32"], **dense)
    records.call("ParseExample", np.array(RECORDS, object), (np.zeros(0, object),),
                 (np.array(b"word", object),), *[(np.array(key, object),) for key in keys[1][0]],
                 *defaults, wanted=sparse + [SIZES, NUMBERS, ROWS], Nsparse=1, Ndense=3,
                 sparse_types=["dt:string"], **dense)
    one = [sparse[0][:2, 1:], sparse[1][:2], np.array([2]), SIZES[0], NUMBERS[0], ROWS[0]]
    records.call("ParseSingleExample", np.array(RECORDS[0], object), *defaults, wanted=one, num_sparse=1,
                 sparse_keys=["word"], dense_keys=["size", "number", "row"], sparse_types=["dt:string"],
                 **dense)
    records.save(onnx=False)


def make_added_texts():
    group = Group("add_texts")
    left, right = words("a", "bc", ""), words("x")
    group.call("Add", left, right, wanted=np.array([b"ax", b"bcx", b"x"]), T="dt:string")
    group.save(onnx=False)


def make_norms_over_no_axes():
    group = Group("euclidean_norm_of_elements")
    x, none = f32(2, 3), np.zeros(0, np.int32)
    for axes in ((none,), none):
        group.call("EuclideanNorm", x, axes, wanted=np.abs(x))
    group.call("EuclideanNorm", np.float32(-3), (none,), wanted=np.float32(3))
    pairs = x + 1j * f32(2, 3)
    group.call("EuclideanNorm", pairs.astype(np.complex64), (none,),
               wanted=np.abs(pairs).astype(np.complex64))
    group.save()
