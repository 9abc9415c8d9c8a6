# SPDX-License-Identifier: Apache-2.0
"""ONNX's LSTM, GRU and RNN in NumPy, of any size, after the operators' documentation."""

import numpy as np

# name -> function of x, alpha and beta; default alpha, default beta. None: has no such parameter.
FUNCTIONS = {
    "Relu": (lambda x, a, b: np.maximum(x, 0), None, None),
    "Tanh": (lambda x, a, b: np.tanh(x), None, None),
    "Sigmoid": (lambda x, a, b: 1 / (1 + np.exp(-x)), None, None),
    "Softsign": (lambda x, a, b: x / (1 + np.abs(x)), None, None),
    "Softplus": (lambda x, a, b: np.log1p(np.exp(x)), None, None),
    "LeakyRelu": (lambda x, a, b: np.where(x >= 0, x, a * x), 0.01, None),
    "ThresholdedRelu": (lambda x, a, b: np.where(x >= a, x, 0), 1.0, None),
    "Elu": (lambda x, a, b: np.where(x >= 0, x, a * np.expm1(np.minimum(x, 0))), 1.0, None),
    "HardSigmoid": (lambda x, a, b: np.clip(a * x + b, 0, 1), 0.2, 0.5),
    "Affine": (lambda x, a, b: a * x + b, 1.0, 0.0),
    "ScaledTanh": (lambda x, a, b: a * np.tanh(b * x), 1.0, 1.0),
}
DEFAULTS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}


def text(value):
    """A string attribute, which onnx gives as bytes."""
    return value.decode() if isinstance(value, bytes) else value


def activations(op, directions, attributes):
    """The functions of one argument, in order; alphas and betas go to those that have one. A clip
    bounds the arguments of all but an LSTM's last, which is of the cell state: so do ONNX Runtime
    and OpenVINO."""
    names = [text(n) for n in attributes.get("activations", [])] or DEFAULTS[op] * directions
    alphas = list(attributes.get("activation_alpha", []))
    betas = list(attributes.get("activation_beta", []))
    clip = attributes.get("clip")
    made = []
    for i, name in enumerate(names):
        function, alpha, beta = FUNCTIONS[name]
        alpha = alphas.pop(0) if alpha is not None and alphas else alpha
        beta = betas.pop(0) if beta is not None and betas else beta
        is_free = clip is None or (op == "LSTM" and i % 3 == 2)
        bound = (lambda x: x) if is_free else (lambda x: np.clip(x, -clip, clip))
        made.append(lambda x, f=function, a=alpha, b=beta, c=bound: f(c(x), a, b))
    return made


def lstm_step(x, h, c, w, r, b, p, functions, attributes):
    gates = x @ w.T + h @ r.T + b[0] + b[1]
    i, o, f, g = np.split(gates, 4, axis=1)
    p_i, p_o, p_f = np.split(p, 3)
    i = functions[0](i + p_i * c)
    f = 1 - i if attributes.get("input_forget") else functions[0](f + p_f * c)
    c = f * c + i * functions[1](g)
    return functions[0](o + p_o * c) * functions[2](c), c


def gru_step(x, h, c, w, r, b, p, functions, attributes):
    xz, xr, xn = np.split(x @ w.T + b[0], 3, axis=1)
    r_z, r_r, r_n = np.split(r, 3)
    b_z, b_r, b_n = np.split(b[1], 3)
    z, s = functions[0](xz + h @ r_z.T + b_z), functions[0](xr + h @ r_r.T + b_r)
    if attributes.get("linear_before_reset"):
        n = functions[1](xn + s * (h @ r_n.T + b_n))
    else:
        n = functions[1](xn + (s * h) @ r_n.T + b_n)
    return (1 - z) * n + z * h, c


def rnn_step(x, h, c, w, r, b, p, functions, attributes):
    return functions[0](x @ w.T + h @ r.T + b[0] + b[1]), c


STEPS = {"LSTM": lstm_step, "GRU": gru_step, "RNN": rnn_step}


def run(op, operands, attributes):
    """Operands as the operator takes them -> Y, Y_h, Y_c (None but for LSTM)."""
    x, w, r, b, lengths, h0, c0, p = (list(operands) + [None] * 8)[:8]
    batch_first = attributes.get("layout", 0) == 1
    if batch_first:
        x = x.swapaxes(0, 1)
        h0, c0 = (s if s is None else s.swapaxes(0, 1) for s in (h0, c0))
    steps, batch, hidden = x.shape[0], x.shape[1], r.shape[2]
    directions = w.shape[0]
    b = np.zeros((directions, 2 * w.shape[1]), x.dtype) if b is None else b
    p = np.zeros((directions, 3 * hidden), x.dtype) if p is None else p
    lengths = np.full(batch, steps) if lengths is None else lengths
    functions = activations(op, directions, attributes)
    each = len(functions) // directions
    y = np.zeros((steps, directions, batch, hidden), x.dtype)
    last_h = np.zeros((directions, batch, hidden), x.dtype) if h0 is None else h0.copy()
    last_c = np.zeros((directions, batch, hidden), x.dtype) if c0 is None else c0.copy()
    for d in range(directions):
        backwards = text(attributes.get("direction", "forward")) == "reverse" or d == 1
        own = functions[d * each:(d + 1) * each]
        for row, length in enumerate(lengths):
            here = slice(row, row + 1)
            for t in reversed(range(length)) if backwards else range(length):
                last_h[d, here], last_c[d, here] = STEPS[op](
                    x[t, here], last_h[d, here], last_c[d, here], w[d], r[d],
                    np.split(b[d], 2), p[d], own, attributes)
                y[t, d, row] = last_h[d, row]
    if batch_first:
        y, last_h, last_c = y.transpose(2, 0, 1, 3), last_h.swapaxes(0, 1), last_c.swapaxes(0, 1)
    return y, last_h, last_c if op == "LSTM" else None
