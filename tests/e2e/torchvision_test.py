#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""torchvision's models, traced and scripted: converted to ONNX and run, generated as C++ and run.

Weights are random; what batch norms remember is that of one batch, so that values keep their size
from layer to layer. Outputs are compared with torch's: 1e-4 of the largest, or four times torch's
own error where a deep network of random weights has more.

Usage: torchvision_test.py [NAME…]     a small selection, or all if DRAGOMAN_ALL is set
"""

import dataclasses
import os
import pathlib
import shutil
import sys
import tempfile
from typing import Callable
import warnings

import numpy as np

import native_programs
from commands import DRAGOMAN, complaint, dragoman
from run_outputs import read_outputs

try:
    import torch
    from torchvision import models
except ImportError:
    print("torchvision is not there: skipped")
    sys.exit(77)

SMALL = ("squeezenet1_1", "shufflenet_v2_x0_5")
TOLERANCE = 1e-4
TIMEOUT_S = 900


@dataclasses.dataclass
class Case:
    make: Callable[[], torch.nn.Module]
    size: int = 64
    is_detector: bool = False  # takes a list of images, and is scripted only


def classifier(name, size=64, **options):
    return Case(lambda: getattr(models, name)(weights=None, num_classes=10, **options), size)


def segmenter(name):
    return Case(lambda: getattr(models.segmentation, name)(
        weights=None, weights_backbone=None, num_classes=5))


def detector(name):
    return Case(lambda: getattr(models.detection, name)(
        weights=None, weights_backbone=None, num_classes=5), 320, True)


def vision_transformer():
    return models.VisionTransformer(image_size=64, patch_size=16, num_layers=3, num_heads=4,
                                    hidden_dim=64, mlp_dim=128, num_classes=10)


CASES = {
    **{name: classifier(name) for name in (
        "alexnet", "vgg11", "resnet18", "squeezenet1_1", "densenet121", "shufflenet_v2_x0_5",
        "mobilenet_v2", "mobilenet_v3_small", "resnext50_32x4d", "wide_resnet50_2", "mnasnet0_5",
        "efficientnet_b0", "efficientnet_v2_s", "regnet_y_400mf", "convnext_tiny", "swin_t",
        "swin_v2_t")},
    "inception_v3": classifier("inception_v3", 75, init_weights=False),
    "googlenet": classifier("googlenet", init_weights=False),
    "vision_transformer": Case(vision_transformer),
    **{name: segmenter(name) for name in (
        "fcn_resnet50", "deeplabv3_mobilenet_v3_large", "lraspp_mobilenet_v3_large")},
    "ssdlite320_mobilenet_v3_large": detector("ssdlite320_mobilenet_v3_large"),
}


def calibrated(case):
    """The model, with batch norms that have seen a batch."""
    torch.manual_seed(1)
    model = case.make().eval()
    norms = [m for m in model.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None
        norm.train()
    if norms:
        images = [torch.rand(3, case.size, case.size) for _ in range(12)]
        model(images if case.is_detector else torch.stack(images))
    return model.eval()


def flat(value):
    """The tensors of a structured value, in order."""
    if isinstance(value, torch.Tensor):
        return [value.numpy()]
    if isinstance(value, dict):
        value = value.values()
    return [] if value is None else [leaf for part in value for leaf in flat(part)]


def distance(found, expected):
    """The largest difference, in units of the largest element."""
    scale = max(np.abs(expected).max(initial=0), 1e-30)
    return np.abs(found.astype(np.float64) - expected).max(initial=0) / scale


def difference(found, expected, tolerance):
    if len(found) != len(expected):
        return f"{len(found)} outputs, expected {len(expected)}"
    for i, (a, b) in enumerate(zip(found, expected)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"output {i}: {a.dtype}{list(a.shape)}, expected {b.dtype}{list(b.shape)}"
        worst = distance(a, b)
        if not worst <= tolerance:
            return f"output {i}: differs by {worst:.3g} of the largest"
    return ""


def outcome(done, out, model):
    return complaint(done) or difference([array for array, _ in read_outputs(out)], model.expected,
                                         model.tolerance)


class Model:
    """One form of a model in a folder of its own."""

    def __init__(self, name, kind, work):
        self.name = f"{name}.{kind}"
        self.case = CASES[name]
        self.kind = kind
        self.work = work / self.name
        self.work.mkdir()
        self.expected = []
        self.tolerance = TOLERANCE

    def save(self):
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            shape = (3, self.case.size, self.case.size)
            image = torch.rand(shape if self.case.is_detector else (1, *shape))
            model = calibrated(self.case)
            given = [image] if self.case.is_detector else image
            made = (torch.jit.trace(model, given, strict=False, check_trace=False)
                    if self.kind == "traced" else torch.jit.script(model))
            made.save(str(self.work / "model.pt"))
            self.expected = flat(torch.jit.load(str(self.work / "model.pt"))(given))
            np.save(self.work / "x.npy", image.numpy())
            if not self.case.is_detector:
                exact = flat(model.double()(image.double()))
                self.tolerance = max(TOLERANCE, *(
                    4 * distance(a, b) for a, b in zip(self.expected, exact)))

    def input(self):
        return "0.0" if self.case.is_detector else "0"

    def shape(self):
        sizes = ",".join(map(str, np.load(self.work / "x.npy").shape))
        return ["--shape", f"{self.input()}={sizes}"]

    def check_onnx(self):
        onnx, out = self.work / "model.onnx", self.work / "onnx"
        problem = complaint(dragoman("convert", self.work / "model.pt", "-o", onnx, "-q",
                                     *self.shape(), timeout=TIMEOUT_S))
        if problem:
            return problem
        done = dragoman("run", onnx, "--output-dir", out, "--input", f"0={self.work / 'x.npy'}",
                        timeout=TIMEOUT_S)
        onnx.unlink()
        return outcome(done, out, self)

    def program(self):
        return native_programs.identifier(self.name)

    def generate(self, folder):
        model = self.work / "model.pt"
        problem = native_programs.generate(model, self.program(), folder, self.shape())
        model.unlink()
        return problem

    def check_program(self, folder):
        out = self.work / "native"
        done = native_programs.run(self.program(), folder, [
            "--input", f"0={self.work / 'x.npy'}", "--output-dir", out])
        (folder / f"{self.program()}.weights").unlink()
        return outcome(done, out, self)


def check_models(names, work, folder):
    """What went wrong, a line each."""
    problems = []
    left = []
    for name in names:
        for kind in ("scripted",) if CASES[name].is_detector else ("traced", "scripted"):
            model = Model(name, kind, work)
            model.save()
            for how, problem in (("ONNX", model.check_onnx()),
                                 ("C++", model.generate(folder))):
                if problem:
                    problems.append(f"{model.name}: {how}: {problem}")
                elif how == "C++":
                    left.append(model)
            print(f"{model.name}: converted", flush=True)
    failed = native_programs.build([model.program() for model in left], folder)
    for model in left:
        problem = failed.get(model.program()) or model.check_program(folder)
        if problem:
            problems.append(f"{model.name}: C++: {problem}")
    return problems


def main():
    names = sys.argv[1:] or (CASES if os.environ.get("DRAGOMAN_ALL") else SMALL)
    folder = pathlib.Path(DRAGOMAN).absolute().parent / "torchvision"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as work:
        problems = check_models(names, pathlib.Path(work), folder)
    print(*problems, f"{len(problems)} problems in {len(names)} models", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
