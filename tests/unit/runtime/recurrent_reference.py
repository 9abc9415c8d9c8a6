#!/usr/bin/env python3
"""Prints the tables of recurrent_test.cc: what LSTM, GRU and RNN give, computed by NumPy in double
precision one sequence at a time, straight from the equations of the ONNX specification."""
import itertools

import numpy as np

T, B, I, H = 5, 3, 2, 4
LENGTHS = [5, 2, 3]


def draw(shape, seed):
    """Values in [-1, 1), the same as Draw() in the test."""
    values, state = [], seed
    for _ in range(int(np.prod(shape))):
        state = (state * 1103515245 + 12345) % (1 << 31)
        values.append((state >> 16) % 256 / 128 - 1)
    return np.array(values).reshape(shape)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


FUNCTIONS = {
    "default": None,
    "odd": [lambda x: np.clip(0.3 * x + 0.4, 0, 1), lambda x: x / (1 + abs(x)),
            lambda x: np.where(x < 0, 0.2 * x, x)],
}


def lstm_step(x, h, c, w, r, b, p, fs, clip, coupled):
    f, g, k = fs
    wb, rb = b[:4 * H], b[4 * H:]
    i_, o_, f_, c_ = np.split(x @ w.T + h @ r.T + wb + rb, 4)
    pi, po, pf = np.split(p, 3)
    i = f(clip(i_ + pi * c))
    forget = 1 - i if coupled else f(clip(f_ + pf * c))
    c = forget * c + i * g(clip(c_))
    o = f(clip(o_ + po * c))
    return o * k(clip(c)), c


def gru_step(x, h, w, r, b, fs, clip, linear):
    f, g = fs[:2]
    wz, wr, wh = np.split(x @ w.T + b[:3 * H], 3)
    rz, rr, rh = np.split(r, 3)
    bz, br, bh = np.split(b[3 * H:], 3)
    z = f(clip(wz + h @ rz.T + bz))
    reset = f(clip(wr + h @ rr.T + br))
    n = wh + (reset * (h @ rh.T + bh) if linear else (reset * h) @ rh.T + bh)
    return (1 - z) * g(clip(n)) + z * h


def run(op, direction, layout, lengths, initial, bias, clipped, functions, option):
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    d_count = 2 if direction == "kBidirectional" else 1
    x = draw((T, B, I), 1)
    w = draw((d_count, gates * H, I), 2)
    r = draw((d_count, gates * H, H), 3)
    b = draw((d_count, 2 * gates * H), 4) * bias
    h0 = draw((d_count, B, H), 5) * initial
    c0 = draw((d_count, B, H), 6) * initial
    p = draw((d_count, 3 * H), 7) * int(op == "LSTM" and option > 0)
    clip = (lambda v: np.clip(v, -0.5, 0.5)) if clipped else (lambda v: v)
    default = {"LSTM": [sigmoid, np.tanh, np.tanh], "GRU": [sigmoid, np.tanh], "RNN": [np.tanh]}[op]
    fs = FUNCTIONS[functions] or default
    y, y_h, y_c = np.zeros((T, d_count, B, H)), np.zeros((d_count, B, H)), np.zeros((d_count, B, H))
    for d, n in itertools.product(range(d_count), range(B)):
        length = LENGTHS[n] if lengths else T
        steps = list(range(length))
        if direction == "kReverse" or d == 1:
            steps.reverse()
        h, c = h0[d, n], c0[d, n]
        for t in steps:
            if op == "LSTM":
                h, c = lstm_step(x[t, n], h, c, w[d], r[d], b[d], p[d], fs, clip, option == 2)
            elif op == "GRU":
                h = gru_step(x[t, n], h, w[d], r[d], b[d], fs, clip, option)
            else:
                wb, rb = np.split(b[d], 2)
                h = fs[0](clip(x[t, n] @ w[d].T + h @ r[d].T + wb + rb))
            y[t, d, n] = h
        y_h[d, n], y_c[d, n] = h, c
    # Layout 1 gets the same numbers transposed: the test draws x and the states in layout 0.
    return [float((v * draw(v.shape, 8)).sum()) for v in (y, y_h, y_c)]


def main():
    for op, options in (("LSTM", (0, 1, 2)), ("GRU", (0, 1)), ("RNN", (0,))):
        print(f"constexpr Case k{op}Cases[] = {{")
        directions = ("kForward", "kReverse", "kBidirectional")
        rows = itertools.product(directions, (0, 1), (0, 1), options)
        for n, (direction, lengths, initial, option) in enumerate(rows):
            bias, clipped = int(n % 4 != 3), int(n % 3 == 1)
            functions = "odd" if n % 5 in (2, 4) else "default"
            sums = run(op, direction, 0, lengths, initial, bias, clipped, functions, option)
            text = ", ".join(f"{v:.7g}" for v in sums)
            flags = ", ".join("true" if v else "false"
                              for v in (lengths, initial, bias, clipped, functions == "odd"))
            print(f"    {{{direction}, {flags}, {option}, {{{text}}}}},")
        print("};")


main()
