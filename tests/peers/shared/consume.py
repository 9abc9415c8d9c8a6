# SPDX-License-Identifier: Apache-2.0
"""What every consumer that runs in an environment of its own does with a case."""

from shared.cases import Case, write_results
from shared.serve import serve


def serve_consumer(load, version):
    """Answers requests to run a model file.

    `load(path)` gives a function from the inputs of a case, a dict, to a list of outputs.
    """

    def run(model, case, results):
        runs = Case(case).runs
        call = load(model)
        write_results(results, [call(inputs) for inputs, _ in runs])

    serve(run=run, version=lambda: {"version": version})
