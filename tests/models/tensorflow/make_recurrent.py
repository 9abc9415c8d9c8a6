#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes recurrent/: layers of Keras and TensorFlow 1 that are one operator in the common graph.

Usage: make_recurrent.py ORACLE [NAME]      (in the root of the project; operator_cases.py)

meta.json tells that operator. Wanted are the numbers of a NumPy program.
"""

import numpy as np

import operator_cases
import recurrent_cells as cells
from operator_cases import DRAW, FLOAT, G, Lib, f32, i32, save
from recurrent_layers import (KerasLayer, block_fused, const, dynamic_rnn, keras_steps, number,
                              positions, reverse_sequence, reversed_rows, row_of, static_rnn,
                              transposed, zeros)

BATCH, STEPS = 2, 5


def rests(cell):
    return [np.zeros((BATCH, cell.hidden), np.float32) for _ in range(cell.states)]


def keep(name, cell, g, feeds, fetches, wanted, library=None, place="recurrent"):
    save(name, g, feeds, fetches, wanted, oracle=False, library=library, place=place,
         one=cell.operator)


# --- Keras

KERAS = {"lstm": cells.KerasLstm, "gru": cells.KerasGru}


def keras(name, cell, mask=None, backwards=False, zero_output=False, whole=True):
    """All outputs, the last, the last states."""
    g, library = G(), Lib()
    x = f32(BATCH, STEPS, cell.features)
    feeds = {"x": x}
    g.ph("x", "float", (-1, -1, cell.features))
    running = None
    if mask == "mask":
        # Steps that are left out stand anywhere.
        feeds["mask"] = np.array([[True, False, True, True, False], [False, True, True, False, True]])
        running = feeds["mask"].T[::-1] if backwards else feeds["mask"].T
        g.ph("mask", "bool", (-1, -1))
    elif mask:
        feeds["lengths"] = i32(3, STEPS)
        running = positions(STEPS, feeds["lengths"], backwards)
        g.ph("lengths", "int32", (-1,))
    layer = KerasLayer(library, cell, "layer", mask, backwards, zero_output, whole)
    results = layer.call(g, "x", mask if mask else None)
    rows = x.swapaxes(0, 1)
    outputs, last = cell.run(rows[::-1] if backwards else rows, rests(cell), running, zero_output)
    wanted = [outputs[-1], outputs.swapaxes(0, 1) if whole else outputs[-1:].swapaxes(0, 1), *last]
    keep(name, cell, g, feeds, results, wanted, library)


def make_keras():
    for kind, Cell in KERAS.items():
        keras(f"keras_{kind}", Cell())
        keras(f"keras_{kind}_last", Cell(), whole=False)
        keras(f"keras_{kind}_backwards", Cell(), backwards=True)
        keras(f"keras_{kind}_mask", Cell(), mask="mask")
        keras(f"keras_{kind}_mask_zero", Cell(), mask="mask", zero_output=True)
        keras(f"keras_{kind}_mask_backwards", Cell(), mask="mask", backwards=True)
        keras(f"keras_{kind}_lengths", Cell(), mask="lengths")
        keras(f"keras_{kind}_lengths_zero", Cell(), mask="lengths", zero_output=True)
        keras(f"keras_{kind}_lengths_backwards", Cell(), mask="lengths", backwards=True)
        keras_bidirectional(f"keras_{kind}_bidirectional", Cell)
        keras_padded(f"keras_{kind}_embedding", Cell())
        keras_unrolled(f"keras_{kind}_unrolled", Cell())
        keras_cudnn(f"keras_{kind}_cudnn", Cell(), kind)
    keras("keras_lstm_gates", cells.KerasLstmOfGates())
    keras("keras_gru_before", cells.KerasGruBefore())
    keras("keras_gru_before_last", cells.KerasGruBefore(), whole=False)
    keras("keras_simple", cells.KerasSimple())
    keras("keras_simple_mask", cells.KerasSimple(), mask="mask")


def keras_bidirectional(name, Cell):
    g, library = G(), Lib()
    x = f32(BATCH, STEPS, 3)
    g.ph("x", "float", (-1, -1, 3))
    there, back = Cell(), Cell()
    forward = KerasLayer(library, there, "forward").call(g, "x")
    backward = KerasLayer(library, back, "backward", backwards=True).call(g, "x")
    both = cells.node(g, "ConcatV2", forward[1], reversed_rows(g, backward[1], 1), number(g, -1),
                      name="both", N=2, Tidx="dt:int32")
    rows = x.swapaxes(0, 1)
    ahead, ends = there.run(rows, rests(there))
    behind, other_ends = back.run(rows[::-1], rests(back))
    wanted = np.concatenate([ahead, behind[::-1]], 2).swapaxes(0, 1)
    keep(name, there, g, {"x": x}, [both, forward[2], backward[2]], [wanted, ends[0], other_ends[0]],
         library)


def keras_padded(name, cell):
    """Embedding(mask_zero=True): the mask is where words are not 0."""
    g, library = G(), Lib()
    words = i32(3, 1, 4, 0, 0, 2, 5, 1, 3, 0).reshape(BATCH, STEPS)
    table = f32(6, cell.features)
    g.ph("words", "int32", (-1, -1))
    embedded = g.op("GatherV2", g.const(table), "words", number(g, 0),
                    Tparams="dt:float", Tindices="dt:int32", Taxis="dt:int32")
    mask = g.op("NotEqual", "words", number(g, 0), T="dt:int32")
    results = KerasLayer(library, cell, "layer", "mask").call(g, embedded, mask)
    outputs, last = cell.run(table[words].swapaxes(0, 1), rests(cell), (words != 0).T)
    keep(name, cell, g, {"words": words}, results, [outputs[-1], outputs.swapaxes(0, 1), *last], library)


def keras_unrolled(name, cell, masked=None):
    """unroll=True. masked: "input", a mask of its own, or "layer", keras.layers.Masking: steps of zeros
    are left out."""
    g = G()
    x = f32(BATCH, STEPS, cell.features)
    g.ph("x", "float", (-1, STEPS, cell.features))
    feeds, running, mask = {"x": x}, None, None
    if masked:
        counts = np.array([[True, False, True, True, False], [False, True, True, False, True]])
        running = counts.T
    if masked == "input":
        feeds["mask"] = counts
        mask = g.ph("mask", "bool", (-1, STEPS))
    if masked == "layer":
        x *= counts[..., None]
        differs = g.op("NotEqual", "x", g.const(np.float32(0)), **FLOAT)
        mask = g.op("Any", differs, number(g, -1), Tidx="dt:int32", keep_dims=False)
    outputs, last = keras_steps(g, cell, "x", STEPS, mask)
    wanted, ends = cell.run(x.swapaxes(0, 1), rests(cell), running)
    # A mask of its own may have another batch: those steps become a Scan.
    keep(name, cell, g, feeds, [outputs, *last], [wanted.swapaxes(0, 1), *ends],
         place="operators" if masked == "input" else "recurrent")


def keras_cudnn(name, cell, kind, op="CudnnRNN"):
    """gpu_lstm, gpu_gru: weights transposed, all after one another. Version 3 is handed how many
    steps of each row count."""
    g = G()
    x = f32(BATCH, STEPS, cell.features)
    g.ph("x", "float", (-1, -1, cell.features))
    gates = 4 if kind == "lstm" else 3
    order = range(4) if kind == "lstm" else (1, 0, 2)  # cuDNN has r before z
    flat = const(g, -1)
    parts = []
    for key in ("kernel", "recurrent_kernel"):
        pieces = cells.split(g, g.const(cell.weights[key], name=key), gates)
        parts += [transposed(g, pieces[i], [1, 0]) for i in order]
    bias = cell.weights["bias"]
    rows = np.concatenate([np.zeros_like(bias), bias]) if kind == "lstm" else bias.reshape(-1)
    pieces = cells.split(g, g.const(rows, name="bias"), 2 * gates, axis=0)
    parts += [pieces[half * gates + i] for half in (0, 1) for i in order]
    packed = cells.node(g, "ConcatV2", *(
        g.op("Reshape", part, flat, Tshape="dt:int32", **FLOAT) for part in parts), number(g, 0),
        N=len(parts), Tidx="dt:int32")
    first = [g.op("ExpandDims", zeros(g, "x", 0, cell.hidden), number(g, 0), Tdim="dt:int32", **FLOAT)
             for _ in range(cell.states)]
    cell_state = first[1] if cell.states > 1 else g.const(np.float32(0))
    feeds, running, lengths = {"x": x}, None, []
    if op == "CudnnRNNV3":
        feeds["lengths"] = i32(3, STEPS)
        running = positions(STEPS, feeds["lengths"])
        lengths = [g.ph("lengths", "int32", (-1,))]
    run = cells.node(g, op, transposed(g, "x"), first[0], cell_state, packed, *lengths, rnn_mode=kind,
                     is_training=False)
    outputs = transposed(g, run)
    last = [cells.node(g, "Squeeze", f"{run}:{1 + i}", squeeze_dims=[0]) for i in range(cell.states)]
    wanted, ends = cell.run(x.swapaxes(0, 1), rests(cell), running, zero_output=True)
    keep(name, cell, g, feeds, [row_of(g, run, -1), outputs, *last],
         [wanted[-1], wanted.swapaxes(0, 1), *ends])


# --- TensorFlow 1

TF1 = {"lstm": cells.BasicLstm, "peephole": cells.PeepholeLstm, "lstm_block": cells.BlockLstmCell,
       "gru": cells.BasicGru, "gru_block": cells.GruBlockCell, "rnn": cells.BasicRnn}


def make_frames():
    for kind, Cell in TF1.items():
        for lengths in (None, i32(3, STEPS)):
            cell, g, x = Cell(), G(), f32(STEPS, BATCH, 3)
            g.ph("x", "float", (-1, -1, 3))
            feeds, running = {"x": x}, None
            if lengths is not None:
                g.ph("lengths", "int32", (-1,))
                feeds["lengths"], running = lengths, positions(STEPS, lengths)
            outputs, last = dynamic_rnn(g, cell, "x", None if lengths is None else "lengths")
            wanted, ends = cell.run(x, rests(cell), running, zero_output=True)
            keep(f"dynamic_rnn_{kind}{'' if lengths is None else '_lengths'}", cell, g, feeds,
                 [outputs, *last], [wanted, *ends])
        cell, g, x = Cell(), G(), f32(STEPS, BATCH, 3)
        g.ph("x", "float", (STEPS, -1, 3))
        outputs, last = static_rnn(g, cell, "x", STEPS)
        wanted, ends = cell.run(x, rests(cell))
        keep(f"static_rnn_{kind}", cell, g, {"x": x}, [outputs, *last], [wanted, *ends])


def make_bidirectional_frames():
    """bidirectional_dynamic_rnn with sequence_length."""
    for kind in ("lstm", "gru"):
        there, back = TF1[kind](), TF1[kind]()
        g, x, lengths = G(), f32(STEPS, BATCH, 3), i32(3, STEPS)
        g.ph("x", "float", (-1, -1, 3))
        g.ph("lengths", "int32", (-1,))
        forward, ends = dynamic_rnn(g, there, "x", "lengths", "fw")
        backward, other_ends = dynamic_rnn(g, back, reverse_sequence(g, "x", "lengths"), "lengths", "bw")
        both = cells.node(g, "ConcatV2", forward, reverse_sequence(g, backward, "lengths"), number(g, 2),
                          N=2, Tidx="dt:int32")

        def turned(rows):
            rows = rows.copy()
            for i, length in enumerate(lengths):
                rows[:length, i] = rows[:length, i][::-1]
            return rows
        running = positions(STEPS, lengths)
        ahead, last = there.run(x, rests(there), running, zero_output=True)
        behind, other_last = back.run(turned(x), rests(back), running, zero_output=True)
        keep(f"bidirectional_dynamic_rnn_{kind}", there, g, {"x": x, "lengths": lengths},
             [both, ends[0], other_ends[0]],
             [np.concatenate([ahead, turned(behind)], 2), last[0], other_last[0]])


def make_masked_steps():
    for kind, Cell in KERAS.items():
        keras_unrolled(f"keras_{kind}_unrolled_mask", Cell(), masked="input")


def make_limited_steps():
    """static_rnn with sequence_length."""
    for kind in ("lstm", "gru"):
        cell, g, x, lengths = TF1[kind](), G(), f32(STEPS, BATCH, 3), i32(3, STEPS)
        g.ph("x", "float", (STEPS, BATCH, 3))
        g.ph("lengths", "int32", (BATCH,))
        outputs, last = static_rnn(g, cell, "x", STEPS, lengths="lengths")
        wanted, ends = cell.run(x, rests(cell), positions(STEPS, lengths), zero_output=True)
        keep(f"static_rnn_{kind}_lengths", cell, g, {"x": x, "lengths": lengths}, [outputs, *last],
             [wanted, *ends])


def make_fused():
    cell, g, x = cells.BasicLstm(), G(), f32(STEPS, BATCH, 3)
    g.ph("x", "float", (-1, -1, 3))
    outputs, last = block_fused(g, cell, "x")
    wanted, ends = cell.run(x, rests(cell))
    keep("lstm_block_fused", cell, g, {"x": x}, [outputs, *last], [wanted, *ends])


if __name__ == "__main__":
    operator_cases.seed(20)
    make_keras()
    make_frames()
    make_bidirectional_frames()
    operator_cases.seed(30)
    make_masked_steps()
    make_fused()
    operator_cases.seed(31)
    for kind, Cell in KERAS.items():
        keras_unrolled(f"keras_{kind}_unrolled_masking", Cell(), masked="layer")
    operator_cases.seed(32)
    make_limited_steps()
    operator_cases.seed(33)
    for kind, Cell in KERAS.items():
        for version in ("V2", "V3"):
            keras_cudnn(f"keras_{kind}_cudnn_{version}", Cell(), kind, f"CudnnRNN{version}")
