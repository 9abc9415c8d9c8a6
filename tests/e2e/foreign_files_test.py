#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of other programs, and files that are none: one line says what they are and what to do."""

import io
import json
import pickle
import unittest
import zipfile

import numpy

from command_case import CommandCase

# Name of the file, its bytes, exit code, what is said of it.
FILES = (
    ("lfs.onnx", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", 2,
     "is a pointer of Git LFS, and not the file itself; fetch that by `git lfs pull`"),
    ("page.onnx", b"\n<!DOCTYPE html>\n<html><body>Not Found</body></html>", 2, "is a web page"),
    ("old.pt", b"<html>\n", 2, "is a web page"),
    ("model.onnx.gz", b"\x1f\x8b\x08\0\0\0\0\0", 2, "is compressed by gzip"),
    ("model.tar", b"model.onnx".ljust(257, b"\0") + b"ustar\x0000".ljust(255, b"\0"), 2,
     "is a tar archive"),
    ("x.npy", b"\x93NUMPY\x01\0", 2, "is an array of NumPy and no model; --input takes it"),
    ("llama.gguf", b"GGUF\3\0\0\0", 4, "is a GGUF file"),
    ("net.engine", b"ftrt\0\0\0\0", 4, "is a plan of TensorRT"),
    ("net.ort", b"\x10\0\0\0ORTM\0\0\0\0", 4, "is in ONNX Runtime's own format"),
    ("net.param", b"7767517\n2 1\n", 4, "is a network of ncnn"),
    ("net.xml", b"<?xml version=\"1.0\"?>\n<net name=\"m\" version=\"11\">\n</net>", 4,
     "is an intermediate representation of OpenVINO"),
    ("net.json", b"{\"base_code\":{\"magic\":\"pir\",\"version\":1}}", 4, "of PaddlePaddle"),
    ("graph.json", b"{\"nodes\": [], \"arg_nodes\": [], \"heads\": []}", 4,
     "is the graph of a library that TVM has compiled"),
    ("net.pdmodel", b"\x0a\x05abcde", 4, "of PaddlePaddle"),
    ("net.mlmodel", b"\x08\x05\xff\xff", 4, "is a model of Core ML"),
    ("net.mnn", b"\x28\0\0\0", 4, "is a model of MNN"),
    ("net.tflite", b"\x1c\0\0\0TFL3", 4, "is a TensorFlow Lite model"),
    ("net.h5", b"\x89HDF\r\n\x1a\n", 4, "is an HDF5 file, as Keras'"),
    ("net.safetensors", (2).to_bytes(8, "little") + b"{}", 4, "a file of safetensors"),
    ("net.pte", b"\x10\0\0\0ET12\0\0\0\0", 4, "a program of ExecuTorch"),
    ("model.pkl", pickle.dumps({"a": 1}), 4, "is a pickle of Python"),
)


def archive(**files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        for name, content in files.items():
            made.writestr(name.replace("__", "."), content)
    return packed.getvalue()


class ForeignFiles(CommandCase):
    def said_of(self, name, content, code):
        path = self.out / name
        path.write_bytes(content)
        said = self.fails(code, "inspect", path)
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertTrue(said.startswith(f"{path}: error: "), said)
        return said

    def test_each_is_named_with_what_to_do(self):
        for name, content, code, what in FILES:
            with self.subTest(name):
                self.assertIn(what, self.said_of(name, content, code))

    def test_archives_tell_what_they_hold(self):
        holds = archive(model__onnx=b"x", readme__txt=b"y")
        self.assertIn("is a zip archive that holds 'model.onnx'; unpack it",
                      self.said_of("model.zip", holds, 2))
        arrays = io.BytesIO()
        numpy.savez(arrays, x=numpy.zeros(2))
        self.assertIn("holds arrays of NumPy and no model",
                      self.said_of("inputs.npz", arrays.getvalue(), 2))

    def test_folders_tell_what_they_hold(self):
        (self.out / "b.onnx").write_bytes(b"")
        (self.out / "a.pt").write_bytes(b"")
        self.assertIn(f"is a folder; name a model in it: {self.out}/a.pt, {self.out}/b.onnx",
                      self.fails(2, "inspect", self.out))
        (self.out / "config.json").write_text(json.dumps({}))
        (self.out / "model.safetensors").write_bytes(b"")
        self.assertIn("is a folder of Hugging Face", self.fails(4, "inspect", self.out))


if __name__ == "__main__":
    unittest.main()
