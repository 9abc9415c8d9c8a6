"""A Relax module as `dragoman convert` writes it: text, weights and states, run on NumPy."""
import ast
import pathlib

import numpy as np

import relax_eval


def archive(path):
    """Arrays by name; a name may have an element type behind it, "w:bfloat16"."""
    with np.load(path) as arrays:
        return {key.split(":")[0]: arrays[key] for key in arrays.files}


class Module:
    """The module of the file `path`, …/model.py. States keep their values from call to call."""

    def __init__(self, path, function="main"):
        path = pathlib.Path(path)
        self.main = relax_eval.Function(path.read_text(encoding="utf-8"), function)
        attributes = self.attributes()
        self.num_inputs = attributes["num_input"]
        self.places = attributes.get("states", {})
        self.states = archive(path.with_suffix(".states.npz")) if self.places else {}
        weights = archive(path.with_suffix(".npz"))
        self.weights = [weights[name] for name in self.main.parameters[self.num_inputs:]]

    def attributes(self):
        """Those of R.func_attr, the function's first statement."""
        return ast.literal_eval(self.main.definition.body[0].value.args[0])

    def __call__(self, *inputs):
        """The results that are no states."""
        state_at = {place[0]: name for name, place in self.places.items()}
        given = iter(inputs)
        arguments = [self.states[state_at[i]] if i in state_at else next(given)
                     for i in range(self.num_inputs)]
        results = self.main(*arguments, *self.weights)
        result_at = {place[1]: name for name, place in self.places.items()}
        for i, name in result_at.items():
            self.states[name] = results[i]
        return [result for i, result in enumerate(results) if i not in result_at]
