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
    ("symbol.json", b'{"nodes": [], "arg_nodes": [], "attrs": {"mxnet_version": ["int", 10700]}}', 4,
     "is a network of MXNet"),
    ("config.json", b'{"model_type": "bert", "transformers_version": "4.0"}', 4,
     "is the configuration of a model of Hugging Face"),
    ("model.safetensors.index.json", b'{"metadata": {"total_size": 8}, "weight_map": {}}', 4,
     "lists the files of weights"),
    ("model.json", b'{"modelTopology": {}, "weightsManifest": []}', 4, "of TensorFlow.js"),
    ("keras.json", b'{"class_name": "Functional", "config": {}, "keras_version": "3.0"}', 4,
     "is the architecture of a model of Keras"),
    ("boost.json", b'{"learner": {"gradient_booster": {}}, "version": [2, 0, 0]}', 4, "of XGBoost"),
    ("boost.ubj", b"{L\0\0\0\0\0\0\0\7learner{L", 4, "of XGBoost"),
    ("boost.txt", b"tree\nversion=v4\n", 4, "of LightGBM"),
    ("boost.cbm", b"CBM1\0\0\0\0", 4, "of CatBoost"),
    ("yolo.cfg", b"[net]\nbatch=1\n", 4, "is a network of Darknet"),
    ("lenet.prototxt", b'name: "LeNet"\nlayer {\n  type: "Input"\n}\n', 4, "of Caffe"),
    ("model.ckpt.index", b"\0\0\1\2\3\4\5\6", 4, "is a checkpoint of TensorFlow"),
    ("model.ckpt.data-00000-of-00001", b"\0\0\1\2\3\4\5\6", 4, "is a checkpoint of TensorFlow"),
    ("net.pdmodel", b"\x0a\x05abcde", 4, "of PaddlePaddle"),
    ("net.mlmodel", b"\x08\x05\xff\xff", 4, "is a model of Core ML"),
    ("net.mnn", b"\x28\0\0\0", 4, "is a model of MNN"),
    ("net.tflite", b"\x1c\0\0\0TFL3", 4, "is a TensorFlow Lite model"),
    ("net.h5", b"\x89HDF\r\n\x1a\n...model_config...", 4,
     'import keras; keras.models.load_model("model.h5").export("folder")'),
    ("net.weights.h5", b"\x89HDF\r\n\x1a\n", 4, 'model.load_weights("model.weights.h5")'),
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

    def test_a_json_of_onnx_is_none_of_them(self):
        """Whatever its values are called, and in both spellings of its fields."""
        for version, element, op in (("ir_version", "elem_type", "op_type"),
                                     ("irVersion", "elemType", "opType")):
            kind = {element.replace("elem", "tensor"): {element: 1, "shape": {"dim": []}}}
            model = {version: "8", "graph": {
                "node": [{"input": ["weight_map"], "output": ["y"], op: "Neg"}], "name": "g",
                "input": [{"name": "weight_map", "type": kind}], "output": [{"name": "y", "type": kind}]},
                     "opset_import" if "_" in version else "opsetImport": [{"version": "13"}]}
            path = self.out / f"{version}.json"
            path.write_text(json.dumps(model, indent=2))
            self.assertIn("onnx.Neg", self.done("inspect", path, "-v"))

    def test_archives_tell_what_they_hold(self):
        holds = archive(model__onnx=b"x", readme__txt=b"y")
        self.assertIn("is a zip archive that holds 'model.onnx'; unpack it",
                      self.said_of("model.zip", holds, 2))
        path = self.out / "cut.pt"
        path.write_bytes(holds[:60])
        self.assertIn(f"{path}:byte 60: error: a zip archive that is cut off",
                      self.fails(2, "inspect", path))
        arrays = io.BytesIO()
        numpy.savez(arrays, x=numpy.zeros(2))
        self.assertIn("holds arrays of NumPy and no model",
                      self.said_of("inputs.npz", arrays.getvalue(), 2))

    def test_weights_tell_which_model_may_read_them(self):
        said = self.said_of("model.onnx.data", b"\0\1\2\3", 2)
        self.assertIn("holds weights, by its name, and no graph; name the model that they are of",
                      said)
        self.assertNotIn("--from", said)
        for name in ("b.relay", "a.onnx"):
            (self.out / name).write_bytes(b"")
        self.assertTrue(self.said_of("model.params", b"\0\1\2\3", 2).endswith(
            f"name the model that they are of: {self.out}/a.onnx, {self.out}/b.relay\n"))

    def test_folders_tell_what_they_hold(self):
        (self.out / "b.onnx").write_bytes(b"")
        (self.out / "a.pt").write_bytes(b"")
        self.assertIn(f"is a folder; name a model in it: {self.out}/a.pt, {self.out}/b.onnx",
                      self.fails(2, "inspect", self.out))
        (self.out / "config.json").write_text(json.dumps({}))
        (self.out / "model.safetensors").write_bytes(b"")
        self.assertIn("is a folder of Hugging Face", self.fails(4, "inspect", self.out))
        for names, code, what in ((("checkpoint", "a.index"), 4, "is a checkpoint of TensorFlow"),
                                  (("variables.index",), 2, "name the folder around it"),
                                  (("a-1.safetensors",), 4, "is a folder of safetensors"),
                                  (("__init__.py", "model.py", "check.py"), 4,
                                   "is a Python package for PyTorch")):
            folder = self.out / names[0]
            folder.mkdir()
            for name in names:
                (folder / name).write_bytes(b"")
            with self.subTest(names):
                self.assertIn(what, self.fails(code, "inspect", folder))

    def test_parts_of_saved_models_tell_which_folder(self):
        version = self.out / "served" / "00000123"
        (version / "variables").mkdir(parents=True)
        for name in ("saved_model.pb", "fingerprint.pb", "keras_metadata.pb",
                     "variables/variables.index", "variables/variables.data-00000-of-00001"):
            (version / name).write_bytes(b"\x08\x01")
            if name != "saved_model.pb":
                self.assertIn(f"is a part of a SavedModel; name its folder, {version}",
                              self.fails(2, "inspect", version / name))
        self.assertIn(f"is a folder; name a model in it: {version}",
                      self.fails(2, "inspect", version.parent))


if __name__ == "__main__":
    unittest.main()
