# SPDX-License-Identifier: Apache-2.0
"""What every producer does: lists its cases, writes one, runs a model file of its own format."""

import pathlib

import numpy

from shared.cases import Case, Refused, write_results
from shared.serve import serve


def serve_producer(cases, version, load=None):
    """Answers requests.

    `cases` is a dict from a name, `FORM/WHAT`, to a function that writes that case into a folder. A
    form is a row of the table. `load(path)` gives a function from the inputs of a case to a list of
    outputs; without it nothing is written back.
    """

    def write(case, folder):
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        cases[case](pathlib.Path(folder))

    def run(model, case, results):
        if load is None:
            raise Refused("the producer does not read its own files here")
        call = load(model)
        write_results(results, [call(inputs) for inputs, _ in Case(case).runs])

    serve(list=lambda: {"cases": list(cases)}, write=write, run=run,
          version=lambda: {"version": version})


def numbers(generator, *sizes, dtype="float32"):
    """Drawn numbers of both signs, a few of them large."""
    drawn = generator.standard_normal(sizes)
    drawn = numpy.where(generator.random(sizes) < 0.05, drawn * 10, drawn)
    return numpy.asarray(drawn).astype(dtype)
