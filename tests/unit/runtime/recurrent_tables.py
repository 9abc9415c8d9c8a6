#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of recurrent_test.cc: what LSTM, GRU and RNN give in double precision.

Usage: PYTHONPATH=tests/models python3 recurrent_tables.py

Each number is a weighted sum of all elements of Y, Y_h or Y_c, of the reference in
tests/models/onnx_recurrent_eval.py; 0 where the operator has no Y_c.
"""
import itertools

import numpy as np

import onnx_recurrent_eval

T, B, I, H = 5, 3, 2, 4
LENGTHS = [5, 2, 3]
DIRECTIONS = {"kForward": "forward", "kReverse": "reverse", "kBidirectional": "bidirectional"}
ODD_FUNCTIONS = ["HardSigmoid", "Softsign", "LeakyRelu"]
ODD_ALPHAS = {"LSTM": [0.3, 0.2], "GRU": [0.3], "RNN": [0.3]}
ODD_BETAS = [0.4]


def draw(shape, seed):
    """Values in [-1, 1), the same as Draw() in the test."""
    values, state = [], seed
    for _ in range(int(np.prod(shape))):
        state = (state * 1103515245 + 12345) % (1 << 31)
        values.append((state >> 16) % 256 / 128 - 1)
    return np.array(values).reshape(shape)


def attributes_of(op, direction, count, clipped, odd, option):
    attributes = {"direction": DIRECTIONS[direction], "input_forget": int(option == 2),
                  "linear_before_reset": int(op == "GRU" and option == 1)}
    if clipped:
        attributes["clip"] = 0.5
    if odd:
        functions = ODD_FUNCTIONS[:len(onnx_recurrent_eval.DEFAULTS[op])]
        attributes.update(activations=functions * count, activation_alpha=ODD_ALPHAS[op] * count,
                          activation_beta=ODD_BETAS * count)
    return attributes


def sums(op, direction, lengths, initial, bias, clipped, odd, option):
    rows = {"LSTM": 4, "GRU": 3, "RNN": 1}[op] * H
    count = 2 if direction == "kBidirectional" else 1
    operands = [draw((T, B, I), 1), draw((count, rows, I), 2), draw((count, rows, H), 3),
                draw((count, 2 * rows), 4) * bias, LENGTHS if lengths else None,
                draw((count, B, H), 5) * initial, draw((count, B, H), 6) * initial,
                draw((count, 3 * H), 7) * (op == "LSTM" and option > 0)]
    results = onnx_recurrent_eval.run(
        op, operands, attributes_of(op, direction, count, clipped, odd, option))
    return [0 if v is None else float((v * draw(v.shape, 8)).sum()) for v in results]


def main():
    for op, options in (("LSTM", (0, 1, 2)), ("GRU", (0, 1)), ("RNN", (0,))):
        print(f"constexpr Case k{op}Cases[] = {{")
        rows = itertools.product(DIRECTIONS, (0, 1), (0, 1), options)
        for n, (direction, lengths, initial, option) in enumerate(rows):
            bias, clipped, odd = n % 4 != 3, n % 3 == 1, n % 5 in (2, 4)
            flags = ", ".join("true" if v else "false"
                              for v in (lengths, initial, bias, clipped, odd))
            text = ", ".join(f"{v:.7g}" for v in sums(op, direction, lengths, initial, bias,
                                                      clipped, odd, option))
            print(f"    {{{direction}, {flags}, {option}, {{{text}}}}},")
        print("};")


if __name__ == "__main__":
    main()
