# SPDX-License-Identifier: Apache-2.0
"""A Relax module as `dragoman convert` writes it: text, weights and states, run on NumPy."""
import ast
import importlib.util
import pathlib

import numpy as np

import relax_eval
from relax_ops import RAW


def typed(array, dtype):
    return array.view(RAW[dtype]) if dtype in RAW else array


def archive(path):
    """Arrays by name; a name may have an element type after it, "w:bfloat16"."""
    with np.load(path) as arrays:
        return {key.split(":")[0]: typed(arrays[key], key.split(":")[-1]) for key in arrays.files}


def packed_functions(path):
    """What calls the functions of the file that --packed writes beside a module; None without it."""
    beside = path.with_name(path.stem + "_packed.py")
    if not beside.exists():
        return None
    spec = importlib.util.spec_from_file_location(beside.stem, beside)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda name, *arguments: module.call(module.FUNCTIONS[name], *arguments)


class Module:
    """The module of the file `path`, …/model.py. States keep their values from call to call."""

    def __init__(self, path, function="main"):
        path = pathlib.Path(path)
        self.main = relax_eval.Function(path.read_text(encoding="utf-8"), function,
                                        packed_functions(path))
        attributes = self.attributes()
        self.num_inputs = attributes["num_input"]
        self.places = attributes.get("states", {})
        self.states = archive(path.with_suffix(".states.npz")) if self.places else {}
        weights = archive(path.with_suffix(".npz"))
        self.weights = [weights[name] for name in self.main.parameters[self.num_inputs:]]

    def attributes(self):
        """Those of R.func_attr, the function's first statement."""
        return ast.literal_eval(self.main.definition.body[0].value.args[0])

    def drawn(self, inputs):
        """Inputs after `inputs` that the attributes say are drawn."""
        places = self.attributes().get("random", [])
        given = len(inputs) + len(self.places)
        self.main.names = {}
        arguments = self.main.definition.args.args
        for argument, array in zip(arguments, inputs):
            self.main.learn_sizes(argument.annotation, array)
        generator = np.random.default_rng(0)
        for place, distribution, *parameters in places:
            if place < given:
                continue
            annotation = arguments[place].annotation
            sizes = [self.main.evaluate(size) for size in relax_eval.sizes_of(annotation)]
            draw = generator.normal if distribution == "normal" else generator.uniform
            yield draw(*parameters[:2], sizes).astype(annotation.keywords[0].value.value)

    def __call__(self, *inputs):
        """The results that are not states. Inputs that are drawn may be left out."""
        inputs = [*inputs, *self.drawn(inputs)]
        state_at = {place[0]: name for name, place in self.places.items()}
        given = iter(inputs)
        arguments = [self.states[state_at[i]] if i in state_at else next(given)
                     for i in range(self.num_inputs)]
        results = self.main(*arguments, *self.weights)
        result_at = {place[1]: name for name, place in self.places.items()}
        for i, name in result_at.items():
            self.states[name] = results[i]
        return [result for i, result in enumerate(results) if i not in result_at]
