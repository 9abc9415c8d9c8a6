# SPDX-License-Identifier: Apache-2.0
"""Runs archives of torch.export in PyTorch on recorded data, as they are and decomposed.

Usage: run_in_torch.py ARCHIVE DATA [ARCHIVE DATA]...

DATA is a folder with test_data_set_N/{input,output}_N.pb. Prints what differs, and exits 1 if
anything does. Runs in the environment that `scripts/peers.sh torch` makes.
"""

import pathlib
import sys
import tempfile

import numpy
import onnx
import torch
from onnx import numpy_helper
from torch.utils import _pytree


def arrays(folder, stem):
    return [numpy_helper.to_array(onnx.load_tensor(path))
            for path in sorted(folder.glob(f"{stem}_*.pb"), key=lambda p: int(p.stem[len(stem) + 1:]))]


def difference(program, folder):
    """What is wrong with the outputs of a run; an empty string if nothing is."""
    inputs = [torch.from_numpy(numpy.array(array)) for array in arrays(folder, "input")]
    outputs = [output.detach().numpy() for output in _pytree.tree_leaves(program.module()(*inputs))]
    expected = arrays(folder, "output")
    if len(outputs) != len(expected):
        return f"{len(outputs)} outputs, expected {len(expected)}"
    for found, wanted in zip(outputs, expected):
        if found.shape != wanted.shape or found.dtype != wanted.dtype:
            return f"{found.dtype}{found.shape}, expected {wanted.dtype}{wanted.shape}"
        if not numpy.allclose(found, wanted, rtol=1e-3, atol=1e-5):
            return f"largest difference {abs(found - wanted).max()}"
    return ""


def differences(archive, data):
    program = torch.export.load(archive)
    decomposed = program.run_decompositions()
    with tempfile.TemporaryDirectory() as folder:
        saved = pathlib.Path(folder) / "again.pt2"
        torch.export.save(decomposed, saved)
        again = torch.export.load(saved)
    for folder in sorted(pathlib.Path(data).glob("test_data_set_*")):
        for what, candidate in (("as written", program), ("decomposed", again)):
            said = difference(candidate, folder)
            if said:
                yield f"{archive}, {folder.name}, {what}: {said}"


def main(arguments):
    found = [line for archive, data in zip(arguments[::2], arguments[1::2])
             for line in differences(archive, data)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
