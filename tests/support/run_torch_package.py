# SPDX-License-Identifier: Apache-2.0
"""Runs packages for PyTorch on recorded data, on another device, and trains them for a step.

Usage: run_torch_package.py PACKAGE DATA [PACKAGE DATA]...

DATA is a folder with test_data_set_N/{input,output}_N.pb. Prints what differs, and exits 1 if
anything does. Runs in the environment that `scripts/peers.sh torch` makes.
"""

import importlib
import pathlib
import sys

import torch

from run_in_torch import arrays


def flat(outputs):
    return [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)


def loss_of(model, inputs):
    return sum((output.double() - 1).square().mean() for output in flat(model(*inputs))
               if output.is_floating_point())


def problem(package, folder):
    """What is wrong with the package on a run; an empty string if nothing is."""
    inputs = [torch.from_numpy(array.copy()) for array in arrays(folder, "input")]
    outputs = flat(package.load()(*inputs))
    expected = [torch.from_numpy(array.copy()) for array in arrays(folder, "output")]
    for found, wanted in zip(outputs, expected, strict=True):
        if found.shape != wanted.shape or found.dtype != wanted.dtype:
            return f"{found.dtype}{list(found.shape)}, expected {wanted.dtype}{list(wanted.shape)}"
        if not torch.allclose(found, wanted, rtol=1e-3, atol=1e-5):
            return f"largest difference {(found - wanted).abs().max()}"
    # All that it makes lies where its weights and inputs do.
    with torch.no_grad():
        package.load().to("meta")(*[tensor.to("meta") for tensor in inputs])
    model = package.load()
    before = loss_of(model, inputs)
    before.backward()
    learned = [weight for weight in model.parameters() if weight.grad is not None]
    # As long as would lower the loss by a thousandth, were it a plane.
    size = before.item() / 1000 / sum(weight.grad.square().sum().item() for weight in learned)
    torch.optim.SGD(learned, lr=size).step()
    after = loss_of(model, inputs)
    return "" if after < before else f"a step of training leaves the loss at {after}"


def main():
    wrong = 0
    for name, data in zip(sys.argv[1::2], sys.argv[2::2]):
        folder = pathlib.Path(name)
        sys.path.insert(0, str(folder.parent))
        package = importlib.import_module(folder.name)
        for run in sorted(pathlib.Path(data).glob("test_data_set_*")):
            what = problem(package, run)
            if what:
                wrong += 1
                print(f"{folder.name}, {run.name}: {what}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
