#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes stateful_gru.pb: keras.layers.GRU(4, stateful=True, return_sequences=True) for a batch of 2,
whose state is a variable, and stateful_gru.npz: what a NumPy program gives for two calls.

Usage: make_stateful.py ORACLE      (in the root of the project; operator_cases.py)
"""

import numpy as np

import operator_cases
import recurrent_cells as cells
from operator_cases import FLOAT, G, HERE, Lib, f32, graphdef
from recurrent_layers import KerasLayer

BATCH, STEPS = 2, 5


def main():
    operator_cases.seed(40)
    cell, g, library = cells.KerasGru(), G(), Lib()
    x = f32(BATCH, STEPS, cell.features)
    g.ph("x", "float", (BATCH, -1, cell.features))
    start = np.zeros((BATCH, cell.hidden), np.float32)
    g.op("VarHandleOp", name="gru/h", dtype="dt:float", shape=start.shape, shared_name="gru/h")
    g.op("AssignVariableOp", "gru/h", g.const(start, name="zeros"), name="init", dtype="dt:float")
    held = g.op("ReadVariableOp", "gru/h", name="read", dtype="dt:float")
    _, outputs, last = KerasLayer(library, cell, "gru").call(g, "x", states=[held])
    g.op("AssignVariableOp", "gru/h", last, name="keep", ctl=["read"], dtype="dt:float")
    g.op("Identity", outputs, name="y", ctl=["keep"], **FLOAT)
    (HERE / "stateful_gru.pb").write_bytes(graphdef(g, library).SerializeToString(deterministic=True))
    states, calls = [start], []
    for _ in range(2):
        output, states = cell.run(x.swapaxes(0, 1), states)
        calls.append(output.swapaxes(0, 1))
    np.savez(HERE / "stateful_gru.npz", x=x, y=np.stack(calls))


if __name__ == "__main__":
    main()
