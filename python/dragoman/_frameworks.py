# SPDX-License-Identifier: Apache-2.0
"""Models of frameworks that are in memory, and back."""

import io
import os
import tempfile

from dragoman._dragoman import Model, load


def from_torch(program, **options) -> Model:
    """Of a torch.export.ExportedProgram, or of a torch.jit.ScriptModule; options as for `load`."""
    import torch

    buffer = io.BytesIO()
    if isinstance(program, torch.jit.ScriptModule):
        torch.jit.save(program, buffer)
    else:
        torch.export.save(program, buffer)
    return load(buffer.getbuffer(), **options)


def from_onnx(model, **options) -> Model:
    """Of an onnx.ModelProto; options as for `load`."""
    return load(model.SerializeToString(), format="onnx", **options)


def from_tf(source, **options) -> Model:
    """Of a tf.Module, of a concrete function, or of the path of a file or SavedModel."""
    if isinstance(source, (str, os.PathLike)):
        return load(source, **options)
    import tensorflow as tf

    with tempfile.TemporaryDirectory() as folder:
        if hasattr(source, "structured_input_signature"):
            module = tf.Module()
            module.function = source  # keeps its variables alive
            module.variables_of_function = list(source.variables)
            tf.saved_model.save(module, folder, signatures=source)
        else:
            tf.saved_model.save(source, folder)
        return load(folder, **options)


def to_onnx(self: Model, **options):
    """The model as an onnx.ModelProto; options as for `save`."""
    import onnx

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        self.save(path, **options)
        return onnx.load(path)
