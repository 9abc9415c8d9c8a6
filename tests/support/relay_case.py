"""Relay texts with parameters and constants, and what they compute."""

import base64
import json
import struct

import numpy as np

from command_case import CommandCase
from commands import dragoman
from run_outputs import read_outputs

HEAD = '#[version = "0.0.5"]\n'
CODES = {"i": 0, "u": 1, "f": 2, "b": 1}
random = np.random.default_rng(5)


def draw(*sizes):
    return random.standard_normal(sizes).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def nd_array(array):
    """As NDArray::Save of TVM writes it."""
    bits = 1 if array.dtype == bool else 8 * array.dtype.itemsize
    head = struct.pack("<QQiiiBBH", 0xDD5E40F096B4A13F, 0, 1, 0, array.ndim,
                       CODES[array.dtype.kind], bits, 1)
    sizes = struct.pack(f"<{array.ndim}q", *array.shape)
    return head + sizes + struct.pack("<q", array.nbytes) + array.tobytes()


def params(arrays):
    """As save_param_dict writes them."""
    names = b"".join(struct.pack("<Q", len(name)) + name.encode() for name in arrays)
    return (struct.pack("<QQQ", 0xF7E58D4F05049CB7, 0, len(arrays)) + names +
            struct.pack("<Q", len(arrays)) + b"".join(map(nd_array, arrays.values())))


def metadata(constants, boxes=()):
    """A metadata section of relay.Constant and runtime.BoxInt."""
    nodes = [{"type_key": ""}, {"type_key": "Map", "keys": [], "data": []}]
    kinds = {"relay.Constant": [{"type_key": "relay.Constant",
                                 "attrs": {"data": str(i), "span": "0", "_checked_type_": "0"}}
                                for i in range(len(constants))],
             "runtime.BoxInt": [{"type_key": "runtime.BoxInt", "repr_str": str(n)} for n in boxes]}
    for kind, members in kinds.items():
        nodes[1]["keys"].append(kind)
        nodes[1]["data"].append(len(nodes))
        nodes.append({"type_key": "Array",
                      "data": list(range(len(nodes) + 1, len(nodes) + 1 + len(members)))})
        nodes += members
    arrays = [base64.b64encode(nd_array(array)).decode() for array in constants]
    return "\n#[metadata]\n" + json.dumps(
        {"root": 1, "nodes": nodes, "b64ndarrays": arrays, "attrs": {"tvm_version": "0.19.0"}})


def tensor(array):
    sizes = ", ".join(map(str, array.shape))
    return f"Tensor[({sizes}), {array.dtype}]" if array.ndim else str(array.dtype)


class RelayCase(CommandCase):
    def write(self, text, name="model.relay"):
        path = self.out / name
        path.write_text(text if text.startswith(("#[", "v0", "{")) else HEAD + text)
        return path

    def outputs(self, model, engine, **inputs):
        arguments = []
        for name, array in inputs.items():
            np.save(self.out / f"{name}.npy", array)
            arguments += ["--input", f"{name}={self.out / name}.npy"]
        out = self.out / f"out{len(list(self.out.iterdir()))}"
        done = dragoman("run", model, *arguments, "--engine", engine, "--output-dir", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [array for array, _ in read_outputs(out)]

    def agrees(self, model, expected, engines=("interpreter",), **inputs):
        for engine in engines:
            with self.subTest(engine=engine):
                outputs = self.outputs(model, engine, **inputs)
                self.assertEqual(len(outputs), len(expected))
                for output, array in zip(outputs, expected):
                    array = np.asarray(array)
                    self.assertEqual((output.dtype, output.shape), (array.dtype, array.shape))
                    np.testing.assert_allclose(output, array, rtol=1e-5, atol=1e-6)

    def computes(self, body, expected, **inputs):
        """A function of these inputs whose body is given gives that."""
        signature = ", ".join(f"%{name}: {tensor(array)}" for name, array in inputs.items())
        expected = expected if isinstance(expected, list) else [expected]
        self.agrees(self.write(f"def @main({signature}) {{\n{body}\n}}\n"), expected, **inputs)

    def convert(self, model, *arguments):
        done = dragoman("convert", model, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def common(self, model):
        return self.convert(model, "-o", "-", "--to", "text", "--level", "common", "--passes",
                            "default")

    def refused(self, text, code, *parts):
        done = dragoman("convert", self.write(text), "-o", self.out / "refused.onnx")
        self.assertEqual(done.returncode, code, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
