#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""LSTM, GRU and RNN give the reference's outputs in every case that rnn_cases.py enumerates.

Usage: rnn_cases_test.py [ENGINE [OPTION...]]

ENGINE is interpreter (the default) or native; the options go to rnn_cases.py. Runs `dragoman
verify` ($DRAGOMAN_BINARY) on each model.
"""

import pathlib
import subprocess
import sys
import tempfile

from commands import complaint, dragoman

MAKER = pathlib.Path(__file__).with_name("rnn_cases.py")


def verify(model, engine):
    """What `dragoman verify` has to complain about; an empty string if nothing."""
    problem = complaint(dragoman("verify", model, "--data", model.parent, "--engine", engine))
    return f"{model.parent.name}: {problem}\n" if problem else ""


def main():
    engine = sys.argv[1] if len(sys.argv) > 1 else "interpreter"
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([sys.executable, MAKER, folder, *sys.argv[2:]], check=True,
                              capture_output=True, text=True)
        models = sorted(pathlib.Path(folder).glob("*/model.onnx"))
        complaints = [text for text in (verify(model, engine) for model in models) if text]
    print(made.stdout, *complaints, sep="")
    print(f"{len(models) - len(complaints)} of {len(models)} models agree ({engine})")
    return 1 if complaints or not models else 0


if __name__ == "__main__":
    sys.exit(main())
