// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/package_files.h"

namespace dragoman::pytorch {
namespace {

constexpr std::string_view kInit = R"(from .model import Model, load

__all__ = ["Model", "load"]
)";

constexpr std::string_view kCheck =
    R"("""Compares the model with outputs that were recorded when it was made.

Run it as `python -m NAME_OF_THIS_FOLDER.check` in the folder around this one.
"""

import sys
from pathlib import Path

import torch
from safetensors.torch import load_file

from .model import load

TOLERANCES = {torch.float16: 2e-2, torch.bfloat16: 5e-2, torch.float64: 1e-6}


def difference(given: torch.Tensor, wanted: torch.Tensor) -> float:
    """The largest difference, relative to the largest element."""
    if given.shape != wanted.shape or given.dtype != wanted.dtype:
        return float("inf")
    if wanted.numel() == 0 or torch.equal(given, wanted):
        return 0.0
    kind = torch.complex128 if wanted.is_complex() else torch.float64
    apart = (given.to(kind) - wanted.to(kind)).abs()
    both_nan = given.isnan() & wanted.isnan() | (given == wanted)
    scale = wanted.to(kind).abs().nan_to_num(posinf=0.0).max().item()
    return torch.where(both_nan, 0.0, apart).max().item() / max(scale, 1.0)


def main() -> int:
    recorded = load_file(Path(__file__).with_name("check.safetensors"))
    model = load()
    wrong = 0
    for call in sorted({name.split(".")[0] for name in recorded}):
        names = sorted(name for name in recorded if name.startswith(call))
        inputs = [recorded[name] for name in names if ".input." in name]
        wanted = [recorded[name] for name in names if ".output." in name]
        with torch.no_grad():
            given = model(*inputs)
        outputs = [given] if isinstance(given, torch.Tensor) else list(given)
        for number, (a, b) in enumerate(zip(outputs, wanted, strict=True)):
            apart = difference(a, b)
            equal = apart <= TOLERANCES.get(b.dtype, 1e-3)
            wrong += not equal
            what = "ok" if equal else "differs"
            print(f"call {call}, output {number}: {what}, difference {apart:.3g}")
    return 1 if wrong or not recorded else 0


if __name__ == "__main__":
    sys.exit(main())
)";

constexpr std::string_view kReadme = R"(# A PyTorch model

| file | holds |
| --- | --- |
| `model.py` | the modules; `Model` is the whole, `load()` gives it with its weights |
| `model.safetensors` | the weights, as `Model().load_state_dict` takes them; its metadata has the source's names where they differ |
| `check.py` | compares with the outputs in `check.safetensors`, which were recorded from the source model |

With this folder named `model_torch`, in the folder around it (PyTorch 2.5 or newer, safetensors):

    from model_torch import load

    model = load()           # eval mode
    model.train()            # gradients flow to all parameters
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    python -m model_torch.check

What a model keeps between calls is in buffers; the graph of one call does not reach into the next.
)";

}  // namespace

std::vector<std::pair<std::string_view, std::string_view>> PackageFiles() {
  return {{"__init__.py", kInit}, {"check.py", kCheck}, {"README.md", kReadme}};
}

}  // namespace dragoman::pytorch
