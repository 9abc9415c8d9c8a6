# SPDX-License-Identifier: Apache-2.0
"""Texts that hold the bytes of numbers, or of image files, which Pillow writes and reads."""

import io

import numpy as np
import PIL.Image

from operator_cases import DRAW, i32, text_case


def texts(*values):
    return np.array(values, object)


def make_encoded_numbers():
    for name, dtype in (("float", "<f4"), ("double", ">f8"), ("half", "<f2"), ("int16", ">i2"),
                        ("int64", "<i8"), ("uint8", "u1"), ("int8", "i1"), ("bool", "u1")):
        numbers = DRAW.integers(1, 100, (2, 3, 4)).astype(dtype)
        if numbers.dtype.kind != "u":
            numbers[..., -1] *= -1  # whose last byte is not zero, which NumPy would leave out
        if numbers.dtype.kind == "f":
            numbers -= np.array(0.1, dtype)
        wanted = numbers.astype(numbers.dtype.newbyteorder("=")) if name != "bool" else numbers != 0
        encoded = texts(*(row.tobytes() for rows in numbers for row in rows)).reshape(2, 3)
        text_case(f"decode_raw_{name}", "DecodeRaw", [encoded], [wanted], out_type=f"dt:{name}",
                  little_endian=dtype[0] != ">")
    numbers = np.array([[1, 2, 0], [3, 4, 5]], np.int16)
    text_case("decode_padded_raw", "DecodePaddedRaw",
              [texts(*(row[:n].tobytes() for row, n in zip(numbers, (2, 3)))), (i32(4)[0],)],
              [numbers[:, :2]], out_type="dt:int16")


def encoded_image(pixels, kind, mode="RGB"):
    file = io.BytesIO()
    PIL.Image.fromarray(pixels, mode).save(file, kind, **{"quality": 90} if kind == "JPEG" else {})
    return file.getvalue()


def decoded_image(file, mode):
    return np.asarray(PIL.Image.open(io.BytesIO(file)).convert(mode)).reshape(
        *PIL.Image.open(io.BytesIO(file)).size[::-1], -1)


def make_encoded_images():
    smooth = np.add.outer(np.arange(9) * 20, np.arange(8) * 9 + 7)[..., None] // [1, 2, 3]
    smooth = smooth.astype(np.uint8)
    for name, op, kind, told in (("bmp", "DecodeBmp", "BMP", {}), ("png", "DecodePng", "PNG", {}),
                                 ("jpeg", "DecodeJpeg", "JPEG", {}),
                                 ("any", "DecodeImage", "PNG", {"dtype": "dt:float"})):
        file = encoded_image(smooth, kind)
        wanted = decoded_image(file, "RGB")
        if told:
            wanted = (wanted / np.float32(255)).astype(np.float32)
        text_case(f"decode_{name}", op, [np.array(file, object)], [wanted], channels=3, **told)
    grey = encoded_image(smooth[..., 0].copy(), "JPEG", "L")
    text_case("decode_grey", "DecodeJpeg", [np.array(grey, object)], [decoded_image(grey, "L")],
              channels=1)
    file = encoded_image(smooth, "JPEG")
    text_case("decode_part", "DecodeAndCropJpeg", [np.array(file, object), (i32(2, 1, 4, 5),)],
              [decoded_image(file, "RGB")[2:6, 1:6]], channels=3)
