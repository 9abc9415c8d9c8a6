# SPDX-License-Identifier: Apache-2.0
"""A model in a folder of its own, what `dragoman` makes of it, and what is wrong with that."""

import json

import numpy as np

from commands import complaint, dragoman


class CheckedModel:
    def __init__(self, folder, model, feeds):
        """`model` is its file in `folder`, `feeds` are the arrays of its inputs by name."""
        self.folder, self.model, self.feeds = folder, model, feeds
        self.arrays = folder / "inputs.npz"
        np.savez(self.arrays, **feeds)
        self.complaints = []

    def complain(self, what, text):
        """Whether there is nothing to complain about."""
        if text:
            self.complaints.append(f"{what}: {text}")
        return not text

    def done(self, *arguments):
        return self.complain(" ".join(str(a) for a in arguments[:2]),
                             complaint(dragoman(*arguments)))

    def outputs(self, model, *options):
        """What `dragoman run` gives of a form of the model, by name; None if nothing."""
        folder = self.folder / f"{model.name}_outputs"
        if not self.done("run", model, "-q", "--inputs", self.arrays, "--output-dir", folder,
                         *options):
            return None
        index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
        return {entry["name"]: np.load(folder / entry["file"]) for entry in index["outputs"]}
