# SPDX-License-Identifier: Apache-2.0
"""The files of a fixture, of which make_fixtures.py says what they hold: part of make_fixtures.py."""

import dataclasses
import zipfile

import numpy as np
import torch

MAX_BYTES = 100_000


def flatten(prefix, value, out):
    """Structured values by the names that the command line gives them."""
    if isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            flatten(f"{prefix}.{i}", item, out)
    elif isinstance(value, dict):
        for key, item in value.items():
            flatten(f"{prefix}.{key}", item, out)
    elif value is not None:
        out[prefix] = np.array(value.detach() if isinstance(value, torch.Tensor) else value)


def parse_steps(text):
    for stretch in text.split(","):
        entry, _, count = stretch.rpartition("*") if "*" in stretch else (stretch, "", "1")
        if stretch.isdigit():
            entry, count = "forward", stretch
        yield from [entry] * int(count)


def run(module, case):
    """Outputs by name: those of forward, then those of each further entry that gives some."""
    if not case.steps:
        outputs = {}
        flatten("out", module(*case.inputs.values()), outputs)
        return outputs
    results = {"forward": []}
    for entry in parse_steps(case.steps):
        method = getattr(module, entry)
        calls = results.setdefault(entry, [])
        taken = [case.inputs[argument.name] for argument in method.schema.arguments[1:]]
        result = {}
        flatten("out" if entry == "forward" else entry,
                method(*(value[len(calls)] for value in taken)), result)
        calls.append(result)
    return {name: np.stack([call[name] for call in calls])
            for calls in results.values() for name in calls[0]}


def write_npz(path, arrays):
    """Like np.savez, with the same bytes each time."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            info = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            with archive.open(info, "w") as file:
                np.lib.format.write_array(file, array)


def write_data(folder, module, case):
    folder.mkdir(exist_ok=True)
    inputs = {}
    for name, value in case.inputs.items():
        flatten(name, value, inputs)
    write_npz(folder / "inputs.npz", inputs)
    with torch.no_grad():
        write_npz(folder / "outputs.npz", run(module, case))


def write(folder, case):
    folder.mkdir(exist_ok=True)
    torch.jit.save(case.make(), str(folder / "model.pt"))
    module = torch.jit.load(str(folder / "model.pt"))
    write_data(folder, module, case)
    for i, inputs in enumerate(case.others):
        write_data(folder / f"other_sizes_{i}", module, dataclasses.replace(case, inputs=inputs))
    for name in ("steps", "shapes"):
        if getattr(case, name):
            (folder / name).write_text(getattr(case, name) + "\n", encoding="utf-8")
    size = (folder / "model.pt").stat().st_size
    assert size < MAX_BYTES, f"{folder.name}: {size} bytes"
