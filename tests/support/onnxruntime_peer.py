# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime, as a process of Node.js that runs tests/tools/onnxruntime.js.

`folder` holds node_modules with onnxruntime-node (npm install onnxruntime-node).
"""

import json
import os
import pathlib
import subprocess

import numpy as np

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "tools" / "onnxruntime.js"


class OnnxRuntime:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            ["node", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "NODE_PATH": str(pathlib.Path(folder) / "node_modules")})

    def answer(self, call):
        print(json.dumps(call), file=self.process.stdin, flush=True)
        return json.loads(self.process.stdout.readline() or '{"error": "ended"}')

    def run(self, model, feeds, folder):
        """(outputs by name, ""), or (None, why there are none)."""
        folder.mkdir(exist_ok=True)
        inputs = []
        for i, (name, array) in enumerate(feeds.items()):
            path = folder / f"input_{i}.bin"
            path.write_bytes(np.ascontiguousarray(array).tobytes())
            inputs.append({"name": name, "dtype": array.dtype.name, "shape": array.shape,
                           "file": str(path)})
        answer = self.answer({"model": str(model), "inputs": inputs, "folder": str(folder)})
        if "error" in answer:
            return None, answer["error"]
        return {output["name"]: np.fromfile(output["file"], output["dtype"]).reshape(
            output["shape"]) for output in answer["outputs"]}, ""

    def load(self, model):
        """An empty string, or why the model cannot be loaded."""
        return self.answer({"model": str(model), "load": True}).get("error", "")

    def close(self):
        self.process.stdin.close()
        self.process.wait()
