#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Graphs as Relax modules: linted, evaluated on NumPy, compared with what `dragoman run` gives.

A case is a graph in the text form (docs/text-form.md), the inputs of one or more runs, and what the
module's text must hold. A run that fails must fail in both.
"""
import sys

import numpy as np

from relax_graphs import Case, f32, i64, run_cases, scalar

CASES = {}


def case(name, graph, *runs, holds=()):
    CASES[name] = Case(graph, runs, holds)


true, false = np.array(True), np.array(False)

# Loops.

case("turns by a count that run time knows", """
graph main(%n: i64[], %x: f32[2, 3]) -> (%last, %all) {
  %last, %all = onnx.Loop(%n, _, %x) {
    body = graph body(%i: i64[], %more: bool[], %a: f32[2, 3]) -> (%more, %b, %b) {
      %b = onnx.Add(%a, %x)
    }
  }
}""", [i64(0), f32(2, 3)], [i64(1), f32(2, 3)], [i64(100), f32(2, 3)],
     holds=["cls.loop(", "@R.function(private=True)"])

case("turns until a condition fails", """
graph main(%x: f32[], %go: bool[]) -> (%last, %all) {
  %last, %all = onnx.Loop(_, %go, %x) {
    body = graph body(%i: i64[], %more: bool[], %a: f32[]) -> (%next, %b, %a) {
      const %limit: f32[] = 500.0
      %b = onnx.Add(%a, %a)
      %next = onnx.Less(%b, %limit)
    }
  }
}""", [scalar(1), true], [scalar(300), true], [scalar(1), false])

case("a state that grows", """
graph main(%x: f32[n, 2], %turns: i64[]) -> (%last) {
  %last = onnx.Loop(%turns, _, %x) {
    body = graph body(%i: i64[], %more: bool[], %a: f32[m, 2]) -> (%more, %b) {
      %b = onnx.Concat(%a, %x) {axis = 0}
    }
  }
}""", [f32(3, 2), i64(5)], [f32(1, 2), i64(0)])

case("a loop in a loop, which reads what is outside of both", """
graph main(%x: f32[n], %turns: i64[]) -> (%last, %rows) {
  const %w: f32[3] = [1.0, 2.0, 3.0]
  %last, %rows = onnx.Loop(%turns, _, %x) {
    body = graph outer(%i: i64[], %more: bool[], %a: f32[n]) -> (%more, %b, %b) {
      %b = onnx.Loop(%i, _, %a) {
        body = graph inner(%j: i64[], %go: bool[], %c: f32[n]) -> (%go, %e) {
          %sum = onnx.ReduceSum(%w) {keepdims = 0}
          %d = onnx.Add(%c, %sum)
          %e = onnx.Mul(%d, %x)
        }
      }
    }
  }
}""", [f32(4), i64(5)], [f32(2), i64(1)])

case("a branch in a loop that names a size", """
graph main(%x: f32[5], %turns: i64[]) -> (%all) {
  %last, %all = onnx.Loop(%turns, _, %x) {
    body = graph body(%i: i64[], %more: bool[], %a: f32[5]) -> (%more, %b, %count) {
      const %two: i64[] = 2
      const %one: f32[] = 1.0
      %early = onnx.Less(%i, %two)
      %b = onnx.Sub(%a, %one)
      %count = onnx.If(%early) {
        then_branch = graph t() -> (%p) {
          const %zero: f32[] = 0.0
          %mask = onnx.Greater(%b, %zero)
          %found = onnx.NonZero(%mask)
          %p = onnx.Size(%found)
        },
        else_branch = graph f() -> (%q) { %q = onnx.Size(%b) }
      }
    }
  }
}""", [f32(5) * 3, i64(4)])

case("Scan forwards and backwards, along other axes", """
graph main(%h: f32[3], %x: f32[2, t, 3], %y: f32[t, 3]) -> (%last, %a, %b) {
  %last, %a, %b = onnx.Scan(%h, %x, %y) {
    body = graph body(%s: f32[3], %u: f32[2, 3], %v: f32[3]) -> (%n, %p, %n) {
      %p = onnx.Mul(%u, %s)
      %n = onnx.Add(%s, %v)
    }, num_scan_inputs = 2, scan_input_axes = [1, 0], scan_input_directions = [0, 1],
    scan_output_axes = [2, 0], scan_output_directions = [1, 0]
  }
}""", [f32(3), f32(2, 7, 3), f32(7, 3)], [f32(3), f32(2, 1, 3), f32(1, 3)])


# Sequences.

def recurrence(kind, gates, operands, attributes, results):
    """A sequence operator over t steps of 2 rows of 3, with a hidden size of 4."""
    return f"""
graph main(%x: f32[t, 2, 3], %w: f32[2, {4 * gates}, 3], %r: f32[2, {4 * gates}, 4],
           %b: f32[2, {8 * gates}], %lengths: i32[2], %h: f32[2, 2, 4]) -> ({results}) {{
  {results} = onnx.{kind}(%x, %w, %r, %b{operands}) {{
    hidden_size = 4, direction = "bidirectional"{attributes}
  }}
}}"""


def sequence_inputs(gates, steps, lengths):
    return [f32(steps, 2, 3), f32(2, 4 * gates, 3), f32(2, 4 * gates, 4), f32(2, 8 * gates),
            np.array(lengths, np.int32), f32(2, 2, 4)]


case("LSTM of any number of steps", recurrence("LSTM", 4, "", "", "%y, %last, %cell"),
     sequence_inputs(4, 1, [1, 1]), sequence_inputs(4, 6, [6, 6]), sequence_inputs(4, 300, [9, 9]),
     holds=["cls.loop_"])
CASES["LSTM of one known step is its cell"] = Case(
    recurrence("LSTM", 4, ", %lengths, %h", "", "%y, %last, %cell").replace("[t, 2, 3]", "[1, 2, 3]"),
    (sequence_inputs(4, 1, [1, 0]),), lacks=["cls.loop", "if "])
case("GRU with lengths", recurrence("GRU", 3, ", %lengths, %h", ", linear_before_reset = 1",
                                    "%y, %last"), sequence_inputs(3, 6, [6, 2]))
case("RNN with another activation, clipped",
     recurrence("RNN", 1, ", _, %h", ', activations = ["Relu", "Softsign"], clip = 0.5',
                "%y, %last"), sequence_inputs(1, 6, [6, 6]))


# Sequences of run-time length: tensors that grow.

case("a list that a loop fills, now and then", """
graph main(%x: f32[n, b, 3], %turns: i64[]) -> (%all, %flat, %count) {
  const %zero: f32[] = 0.0
  const %one: i64[] = 1
  %none = onnx.SequenceEmpty() {dtype = 1}
  %list = onnx.Loop(%turns, _, %none) {
    body = graph body(%i: i64[], %more: bool[], %a: seq<f32[*]>) -> (%more, %b) {
      %row = onnx.Gather(%x, %i) {axis = 0}
      %sum = onnx.ReduceSum(%row) {keepdims = 0}
      %is_kept = onnx.Greater(%sum, %zero)
      %b = onnx.If(%is_kept) {
        then_branch = graph t() -> (%longer) { %longer = onnx.SequenceInsert(%a, %row) },
        else_branch = graph f() -> (%same) { %same = onnx.Identity(%a) }
      }
    }
  }
  %last = onnx.Gather(%x, %one) {axis = 0}
  %ended = onnx.SequenceInsert(%list, %last)
  %all = onnx.ConcatFromSequence(%ended) {axis = 1, new_axis = 1}
  %flat = onnx.ConcatFromSequence(%ended) {axis = -1}
  %count = onnx.SequenceLength(%ended)
}""", [f32(6, 2, 3), i64(6)], [f32(3, 4, 3), i64(0)], holds=["R.concat("])

case("two lists of other elements that begin as one empty list", """
graph main(%x: f32[n, 3], %turns: i64[]) -> (%rows, %sums) {
  const %yes: bool[] = true
  const %last: i64[] = -1
  const %axes: i64[1] = [0]
  %empty = onnx.SequenceEmpty()
  %rows_list, %sums_list = onnx.Loop(%turns, %yes, %empty, %empty) {body = graph(%i: i64[], %c: bool[], %a: seq<f32[*]>, %b: seq<f32[*]>) -> (%go, %a_out, %b_out) {
    %row: f32[3] = onnx.Gather(%x, %i)
    %a_out = onnx.SequenceInsert(%a, %row)
    %sum: f32[] = onnx.ReduceSum(%row, %axes) {keepdims = 0}
    %b_out = onnx.SequenceInsert(%b, %sum)
    %end = onnx.SequenceAt(%b_out, %last)
    const %limit: f32[] = 100.0
    %small = onnx.Less(%end, %limit)
    %go = onnx.And(%small, %c)
  }}
  %rows = onnx.ConcatFromSequence(%rows_list) {axis = 1, new_axis = 1}
  %sums = onnx.ConcatFromSequence(%sums_list) {axis = 0, new_axis = 1}
}""", [f32(5, 3), np.array(4)], [f32(2, 3) + 50, np.array(2)])
case("places in a list of run-time length", """
graph main(%x: f32[2, n], %at: i64[], %y: f32[2]) -> (%all, %one, %rest) {
  const %first: i64[] = 0
  %columns = onnx.SplitToSequence(%x) {axis = 1, keepdims = 0}
  %longer = onnx.SequenceInsert(%columns, %y, %at)
  %one = onnx.SequenceAt(%longer, %at)
  %all = onnx.ConcatFromSequence(%longer) {axis = 0, new_axis = 1}
  %shorter = onnx.SequenceErase(%longer)
  %rest = onnx.ConcatFromSequence(%shorter) {axis = 0}
}""", [f32(2, 5), i64(2), f32(2)], [f32(2, 3), i64(-2), f32(2)], [f32(2, 1), i64(1), f32(2)])


# Sizes that run time knows.

case("arange(shape_of(x)[0])", """
graph main(%x: f32[n, 2]) -> (%places) {
  const %first: i64[] = 0
  const %one: i64[] = 1
  %sizes = onnx.Shape(%x)
  %n = onnx.Gather(%sizes, %first)
  %places = onnx.Range(%first, %n, %one)
}""", [f32(3, 2)], [f32(0, 2)], holds=['R.arange(0, n, 1, dtype="int64")'])

case("cond on a run-time shape", """
graph main(%x: f32[n]) -> (%y) {
  const %four: i64[] = 4
  %n = onnx.Size(%x)
  %is_long = onnx.Greater(%n, %four)
  %y = onnx.If(%is_long) {
    then_branch = graph t() -> (%a) { %a = onnx.ReduceSum(%x) },
    else_branch = graph f() -> (%b) { %b = onnx.Neg(%x) }
  }
}""", [f32(7)], [f32(2)], holds=["        if lv"])

case("Assert behind a control edge", """
graph main(%x: f32[n], %n: i64[]) -> (%y) {
  %size = onnx.Size(%x)
  %as_said = onnx.Equal(%size, %n)
  dragoman.Assert(%as_said, %size, %n) {message = "found {} elements, expected {}"}
  %y = onnx.Exp(%x)
}""", [f32(3), i64(3)], [f32(3), i64(4)], holds=["R.assert_op(", "pure=False"])

case("an assertion in a loop", """
graph main(%x: f32[], %turns: i64[]) -> (%last) {
  %last = onnx.Loop(%turns, _, %x) {
    body = graph body(%i: i64[], %more: bool[], %a: f32[]) -> (%more, %b) {
      const %limit: f32[] = 10.0
      %b = onnx.Add(%a, %a)
      %is_small = onnx.Less(%b, %limit)
      dragoman.Assert(%is_small) {message = "too large"}
    }
  }
}""", [scalar(1), i64(3)], [scalar(1), i64(4)], holds=["loop_step", "private=True, pure=False"])

case("Reshape to sizes with a 0 and a -1", """
graph main(%x: f32[n, 6], %sizes: i64[3]) -> (%y) { %y = onnx.Reshape(%x, %sizes) }""",
     [f32(4, 6), i64([0, 3, -1])], [f32(4, 6), i64([2, -1, 4])], [f32(1, 6), i64([6, 1, 1])],
     holds=["R.tensor_to_shape(", "R.match_cast("])
case("Expand", """
graph main(%x: f32[n, 1], %sizes: i64[3]) -> (%y) { %y = onnx.Expand(%x, %sizes) }""",
     [f32(4, 1), i64([2, 1, 5])], [f32(1, 1), i64([2, 3, 1])])
case("ConstantOfShape, whose sizes are computed with", """
graph main(%sizes: i64[2]) -> (%y) {
  %x = onnx.ConstantOfShape(%sizes)
  %y = onnx.Concat(%x, %x) {axis = 0}
}""", [i64([2, 3])], [i64([0, 3])])
case("Range of floats", """
graph main(%start: f32[], %limit: f32[], %step: f32[]) -> (%y) {
  %y = onnx.Range(%start, %limit, %step)
}""", [scalar(1), scalar(2), scalar(0.3)], [scalar(1), scalar(-1), scalar(-0.5)],
     [scalar(1), scalar(0), scalar(1)])
case("Range downwards", """
graph main(%start: i64[], %limit: i64[]) -> (%y) {
  const %step: i64[] = -3
  %y = onnx.Range(%start, %limit, %step)
}""", [i64(10), i64(-1)], [i64(10), i64(1)], [i64(1), i64(1)])
case("Slice by run-time bounds and steps", """
graph main(%x: f32[n, 5], %starts: i64[2], %ends: i64[2], %steps: i64[2]) -> (%y) {
  const %axes: i64[2] = [1, 0]
  %y = onnx.Slice(%x, %starts, %ends, %axes, %steps)
}""", [f32(6, 5), i64([1, -4]), i64([4, 100]), i64([2, 1])],
     [f32(6, 5), i64([-1, 100]), i64([-100, -5]), i64([-2, -1])],
     [f32(6, 5), i64([4, 2]), i64([2, 6]), i64([1, 3])])
case("Slice of a symbolic size that may be too small", """
graph main(%x: f32[n]) -> (%y) {
  const %starts: i64[1] = [-4]
  const %ends: i64[1] = [3]
  %y = onnx.Slice(%x, %starts, %ends)
}""", [f32(6)], [f32(2)], [f32(9)])
case("Tile", """
graph main(%x: f32[n, 2], %repeats: i64[2]) -> (%y) { %y = onnx.Tile(%x, %repeats) }""",
     [f32(3, 2), i64([2, 1])], [f32(3, 2), i64([0, 3])])
for mode in ("constant", "edge", "reflect", "wrap"):
    case("Pad of mode " + mode, """
graph main(%x: f32[n, 4], %pads: i64[4]) -> (%y) {
  %y = onnx.Pad(%x, %pads) {mode = "MODE"}
}""".replace("MODE", mode), [f32(3, 4), i64([1, 0, 2, 3])], [f32(3, 4), i64([0, 2, 0, 0])])
case("Pad by less than nothing", """
graph main(%x: f32[5, 4]) -> (%y) {
  const %pads: i64[4] = [-1, 2, 0, -2]
  %y = onnx.Pad(%x, %pads)
}""", [f32(5, 4)])
case("Pad with an integer that no double holds", """
graph main(%x: i64[3]) -> (%y) {
  const %pads: i64[2] = [1, 2]
  const %value: i64[] = 9007199254740993
  %y = onnx.Pad(%x, %pads, %value)
}""", [i64([1, 2, 3])])
case("TopK of a run-time number", """
graph main(%x: f32[3, 6], %k: i64[1]) -> (%y, %places) { %y, %places = onnx.TopK(%x, %k) }""",
     [f32(3, 6), i64([2])], [f32(3, 6), i64([6])])
case("Split into run-time sizes", """
graph main(%x: f32[2, 6], %sizes: i64[3]) -> (%a, %b, %c) {
  %a, %b, %c = onnx.Split(%x, %sizes) {axis = 1}
}""", [f32(2, 6), i64([1, 3, 2])], [f32(2, 6), i64([6, 0, 0])])
case("OneHot of a run-time depth", """
graph main(%x: i64[3], %depth: i64[], %values: f32[2]) -> (%y) {
  %y = onnx.OneHot(%x, %depth, %values)
}""", [i64([0, 2, -1]), i64(4), f32(2)])
case("Trilu of a run-time diagonal", """
graph main(%x: f32[n, 4], %k: i64[]) -> (%y) { %y = onnx.Trilu(%x, %k) {upper = 0} }""",
     [f32(3, 4), i64(1)], [f32(3, 4), i64(-5)])


# What Relax has no operator for.

case("places of maxima, and back to them", """
graph main(%x: f32[n, 2, h, 5]) -> (%y, %places, %back) {
  %y, %places = onnx.MaxPool(%x) {kernel_shape = [2, 3], strides = [2, 1], pads = [0, 1, 0, 1]}
  %z, %at = onnx.MaxPool(%x) {kernel_shape = [2, 1], strides = [2, 1]}
  %back = onnx.MaxUnpool(%z, %at) {kernel_shape = [2, 1], strides = [2, 1]}
}""", [f32(2, 2, 4, 5)])
case("places of maxima of small integers, padded and rounded up", """
graph main(%x: u8[1, 1, 5, 5]) -> (%y, %places) {
  %y, %places = onnx.MaxPool(%x) {kernel_shape = [3, 3], strides = [3, 3], dilations = [1, 2],
                                  pads = [1, 1, 1, 1], ceil_mode = 1, storage_order = 1}
}""", [np.arange(25, dtype=np.uint8).reshape(1, 1, 5, 5) % 3])
case("averages of windows beyond the operand", """
graph main(%x: f32[1, 2, 7, 6]) -> (%a, %b) {
  %a = onnx.AveragePool(%x) {kernel_shape = [3, 3], strides = [3, 2], pads = [1, 0, 1, 1],
                             ceil_mode = 1, count_include_pad = 1}
  %b = onnx.AveragePool(%x) {kernel_shape = [3, 2], dilations = [2, 1], pads = [2, 1, 2, 1]}
}""", [f32(1, 2, 7, 6)])
case("maxima of windows that are rounded up without padding, one of them behind the operand", """
graph main(%x: f32[1, 2, 5, 7]) -> (%valid, %dropped) {
  %valid = onnx.MaxPool(%x) {auto_pad = "VALID", ceil_mode = 1, kernel_shape = [2, 4], strides = [2, 2]}
  %dropped = onnx.MaxPool(%x) {ceil_mode = 1, kernel_shape = [1, 2], strides = [3, 2]}
}""", [f32(1, 2, 5, 7)])

case("a transposed convolution whose kernel leaves gaps", """
graph main(%x: f32[1, 2, 3, 3], %w: f32[2, 1, 2, 1], %b: f32[1]) -> (%y) {
  %y = onnx.ConvTranspose(%x, %w, %b) {auto_pad = "SAME_UPPER", strides = [3, 2]}
}""", [f32(1, 2, 3, 3), f32(2, 1, 2, 1), f32(1)])

case("repeated elements of what is cropped", """
graph main(%x: f32[2, 4, 5], %pads: i64[2]) -> (%y, %z) {
  const %known: i64[4] = [2, -1, 1, 2]
  const %both: i64[2] = [-1, 1]
  const %last: i64[1] = [-1]
  %y = onnx.Pad(%x, %known, _, %both) {mode = "wrap"}
  %z = onnx.Pad(%x, %pads, _, %last) {mode = "wrap"}
}""", [f32(2, 4, 5), i64([-2, 3])])

case("sums with an ellipsis and a diagonal", """
graph main(%x: f32[2, n, n], %y: f32[n, 4]) -> (%a, %b) {
  %a = onnx.Einsum(%x) {equation = "...ii->...i"}
  %b = onnx.Einsum(%x, %y) {equation = "...ij, jk -> k..."}
}""", [f32(2, 3, 3), f32(3, 4)])
case("updates whose sizes follow from another shape", """
graph main(%x: f32[2, n], %i: i64[2, k], %u: f32[2, m]) -> (%y) {
  %y = onnx.ScatterElements(%x, %i, %u) {axis = 1}
}""", [f32(2, 5), i64([[0, 3, 1], [4, 2, 0]]), f32(2, 3)], holds=["R.match_cast(u, R.Tensor((2, k)"])
for mode, padding in (("linear", "zeros"), ("cubic", "reflection"), ("nearest", "border")):
    case(f"samples at a grid, {mode}, {padding}", """
graph main(%x: f32[n, 2, h, w], %grid: f32[n, 3, 2, 2]) -> (%y) {
  %y = onnx.GridSample(%x, %grid) {mode = "MODE", padding_mode = "PADDING"}
}""".replace("MODE", mode).replace("PADDING", padding), [f32(2, 2, 4, 5), f32(2, 3, 2, 2)])
case("boxes chosen by their scores", """
graph main(%boxes: f32[1, n, 4], %scores: f32[1, 2, n]) -> (%chosen) {
  const %limit: i64[] = 2
  const %overlap: f32[] = 0.4
  %chosen = onnx.NonMaxSuppression(%boxes, %scores, %limit, %overlap) {center_point_box = 1}
}""", [np.abs(f32(1, 6, 4)), f32(1, 2, 6)], holds=["R.match_cast("])

case("sequences of known elements", """
graph main(%x: f32[3, 4]) -> (%y, %n, %stacked) {
  const %last: i64[] = -1
  const %first: i64[] = 0
  %rows = onnx.SplitToSequence(%x) {keepdims = 0}
  %minus = onnx.Neg(%x)
  %row = onnx.SequenceAt(%rows, %last)
  %more = onnx.SequenceInsert(%rows, %row, %first)
  %less = onnx.SequenceErase(%more)
  %n = onnx.SequenceLength(%less)
  %stacked = onnx.ConcatFromSequence(%less) {axis = 1, new_axis = 1}
  %both = onnx.SequenceConstruct(%minus, %x)
  %y = onnx.ConcatFromSequence(%both) {axis = 0}
}""", [f32(3, 4)])
case("an element of as many as there are rows", """
graph main(%x: f32[n, 2], %i: i64[]) -> (%y) {
  %rows = onnx.SplitToSequence(%x)
  %y = onnx.SequenceAt(%rows, %i)
}""", [f32(4, 2), i64(-3)])
case("parts of a symbolic size", """
graph main(%x: f32[n]) -> (%a, %b, %c) { %a, %b, %c = onnx.Split(%x) {num_outputs = 3} }""",
     [f32(7)], [f32(3)])
case("normalisations of float64, which TVM has as formulas only", """
graph main(%x: f64[2, 4, 3], %s: f64[3], %c: f64[4]) -> (%layer, %rms, %group) {
  %layer = onnx.LayerNormalization(%x, %s, %s)
  %rms = onnx.RMSNormalization(%x, %s)
  %group = onnx.GroupNormalization(%x, %c, %c) {num_groups = 2}
}""", [np.linspace(-2, 3, 24).reshape(2, 4, 3), np.array([1, -2, 0.5]), np.array([1, -2, 3, 0.5])],
     holds=["R.sqrt("])
LEAST = [np.array([-2**31, -2**31, 7, -7, 7, -7], np.int32),
         np.array([0, -1, 0, -1, -2, 2], np.int32)]
case("integers by 0 and -1, which processors do not divide by", """
graph main(%x: i32[6], %y: i32[6], %u: u8[3], %v: u8[3]) -> (%div, %mod, %fmod, %udiv, %half) {
  const %two: i32[] = 2
  %div = onnx.Div(%x, %y)
  %mod = onnx.Mod(%x, %y)
  %fmod = onnx.Mod(%x, %y) {fmod = 1}
  %udiv = onnx.Div(%u, %v)
  %half = onnx.Div(%x, %two)
}""", [*LEAST, np.array([9, 255, 200], np.uint8), np.array([0, 255, 7], np.uint8)],
     holds=["R.floor_mod(", "R.divide(x, R.const(2"])
case("statistics of halves in float32", """
graph main(%x: f16[2, 4, 3], %s: f16[3]) -> (%y, %mean, %inverse) {
  %y, %mean, %inverse = onnx.LayerNormalization(%x, %s)
}""", [np.linspace(-2, 3, 24).reshape(2, 4, 3).astype(np.float16), np.ones(3, np.float16)])
case("LayerNormalization with a scale that broadcasts", """
graph main(%x: f32[2, n, 4], %scale: f32[4], %bias: f32[]) -> (%y) {
  %y = onnx.LayerNormalization(%x, %scale, %bias) {axis = 1}
}""", [f32(2, 3, 4), f32(4), scalar(0.5)])
case("extremes of nothing", """
graph main(%x: f32[0, 2], %i: i8[2, 0]) -> (%least, %most) {
  const %axis: i64[1] = [1]
  %least = onnx.ReduceMin(%x)
  %most = onnx.ReduceMax(%i, %axis)
}""", [f32(0, 2), np.zeros((2, 0), np.int8)])
case("automatic padding of symbolic sizes", """
graph main(%x: f32[1, 2, h, w], %k: f32[3, 2, 3, 2]) -> (%y) {
  %y = onnx.Conv(%x, %k) {auto_pad = "SAME_UPPER"}
}""", [f32(1, 2, 4, 5), f32(3, 2, 3, 2)])

case("Fourier transforms of lengths that run time knows", """
graph main(%x: f32[2, n, 1], %z: f32[n, 3, 2], %length: i64[], %short: i32[1]) -> (%a, %b, %c) {
  const %zero: i64[] = 0
  %a = onnx.DFT(%x, %length)
  %b = onnx.DFT(%x, %short) {onesided = 1}
  %c = onnx.DFT(%z, %length, %zero) {inverse = 1}
}""", [f32(2, 6, 1), f32(6, 3, 2), i64(9), np.array([4], np.int32)],
     [f32(2, 5, 1), f32(5, 3, 2), i64(5), np.array([1], np.int32)])

for ends in ("inverse = 1", "onesided = 1"):
    parts = 2 if ends.startswith("inverse") else 1
    case("a Fourier transform, " + ends, """
graph main(%x: f32[n, m, PARTS]) -> (%y) {
  const %axis: i64[] = 1
  %y = onnx.DFT(%x, _, %axis) {ENDS}
}""".replace("PARTS", str(parts)).replace("ENDS", ends), [f32(2, 5, parts)], [f32(1, 6, parts)])
case("distinct elements and rows", """
graph main(%x: f32[n, 2]) -> (%y, %at, %from, %count, %rows) {
  %y, %at, %from, %count = onnx.Unique(%x) {sorted = 0}
  %rows = onnx.Unique(%x) {axis = 0}
}""", [np.array([[2, 1], [1, 1], [2, 1], [1, 3]], np.float32)])
case("an input and a size of the same name", """
graph main(%n: f32[n]) -> (%y) { %y = onnx.Concat(%n, %n) {axis = 0} }""", [f32(3)],
     holds=['def main(n: R.Tensor(("n_2",)'])
case("a recurrence over inputs that each name their sizes", """
graph main(%x: f32[t, b, 3], %lengths: i32[c]) -> (%y) {
  const %w: f32[1, 4, 3] = [[[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.5, 0.1, 0.1], [0.2, 0.2, 0.4]]]
  const %r: f32[1, 4, 4] = [[[0.1, 0.2, 0.3, 0.1], [0.3, 0.1, 0.2, 0.5], [0.5, 0.1, 0.1, 0.2],
                             [0.2, 0.2, 0.4, 0.1]]]
  %y = onnx.RNN(%x, %w, %r, _, %lengths) {hidden_size = 4}
}""", [f32(5, 2, 3), np.array([5, 3], np.int32)], [f32(1, 1, 3), np.array([1], np.int32)])

case("kernels of symbolic sizes", """
graph main(%x: f32[1, 2, 5, 5], %k: f32[2, 1, p, q]) -> (%y, %z) {
  %y = onnx.ConvTranspose(%x, %k) {strides = [2, 1]}
  %z = onnx.Conv(%x, %k) {group = 2, pads = [1, 0, 0, 1]}
}""", [f32(1, 2, 5, 5), f32(2, 1, 3, 2)])

case("Resize of symbolic sizes by scales", """
graph main(%x: f32[1, 2, h, w]) -> (%y) {
  const %scales: f32[4] = [1.0, 1.0, 2.0, 0.5]
  %y = onnx.Resize(%x, _, %scales) {mode = "linear"}
}""", [f32(1, 2, 3, 6)], [f32(1, 2, 4, 4)])
case("Resize to run-time sizes", """
graph main(%x: f16[2, w], %sizes: i64[2]) -> (%y) {
  %y = onnx.Resize(%x, _, _, %sizes) {mode = "cubic", exclude_outside = 1,
                                      coordinate_transformation_mode = "align_corners"}
}""", [f32(2, 5).astype(np.float16), i64([2, 9])], [f32(2, 4).astype(np.float16), i64([4, 1])])
case("Resize of TensorFlow's half pixels, of axes that turn out to stay", """
graph main(%x: f32[n, h, w], %sizes: i64[3]) -> (%y) {
  %y = onnx.Resize(%x, _, _, %sizes)
       {mode = "linear", coordinate_transformation_mode = "tf_half_pixel_for_nn"}
}""", [f32(2, 3, 4), i64([2, 3, 7])])
case("Resize with antialiasing by scales that run time knows", """
graph main(%x: f32[1, 2, h, w], %sizes: i64[2], %scales: f32[2]) -> (%y, %z, %e) {
  %y = onnx.Resize(%x, _, _, %sizes) {mode = "linear", antialias = 1, axes = [2, 3]}
  %z = onnx.Resize(%x, _, %scales) {mode = "cubic", antialias = 1, axes = [3, 2]}
  %e = onnx.Resize(%x, _, _, %sizes) {mode = "cubic", antialias = 1, exclude_outside = 1, axes = [2, 3]}
}""", [f32(1, 2, 9, 7), i64([4, 11]), np.float32([0.3, 1.5])],
     [f32(1, 2, 3, 8), i64([3, 2]), np.float32([1, 0.7])])
for policy in ("not_larger", "not_smaller"):
    case("Resize by the one scale that is " + policy, """
graph main(%x: f32[1, 1, h, w], %sizes: i64[2]) -> (%y, %z) {
  %y = onnx.Resize(%x, _, _, %sizes) {mode = "linear", keep_aspect_ratio_policy = "POLICY",
                                      axes = [2, 3]}
  %z = onnx.Resize(%x, _, _, %sizes) {keep_aspect_ratio_policy = "POLICY", axes = [3, 2],
                                      mode = "linear", antialias = 1}
}""".replace("POLICY", policy), [f32(1, 1, 6, 4), i64([5, 9])], [f32(1, 1, 6, 5), i64([3, 4])])
case("Resize with antialiasing, of integers", """
graph main(%x: i32[7, 9]) -> (%y) {
  const %sizes: i64[2] = [3, 4]
  %y = onnx.Resize(%x, _, _, %sizes) {mode = "linear", antialias = 1}
}""", [(f32(7, 9) * 100).astype(np.int32)])
case("quantisation by blocks, and to halves", """
graph main(%x: f32[2, 5], %scale: f32[2, 2]) -> (%y, %z) {
  const %small: f16[1] = [0.5]
  %q = onnx.QuantizeLinear(%x, %scale) {axis = 1, block_size = 3, output_dtype = 5}
  %y = onnx.DequantizeLinear(%q, %scale) {axis = 1, block_size = 3}
  %z = onnx.DequantizeLinear(%q, %small)
}""", [f32(2, 5), np.array([[0.1, 0.2], [0.3, 0.4]], np.float32)])
case("a product of integers by rows and columns", """
graph main(%a: u8[3, 4], %b: i8[4, 2], %p: u8[3], %q: i8[2]) -> (%y) {
  %y = onnx.MatMulInteger(%a, %b, %p, %q)
}""", [np.arange(12, dtype=np.uint8).reshape(3, 4), np.arange(8, dtype=np.int8).reshape(4, 2),
       np.array([1, 2, 3], np.uint8), np.array([-1, 5], np.int8)])
case("whether any and all hold", """
graph main(%x: bool[n, 3]) -> (%any, %all) {
  const %axis: i64[1] = [1]
  %any = onnx.ReduceMax(%x, %axis) {keepdims = 0}
  %all = onnx.ReduceMin(%x, %axis) {keepdims = 0}
}""", [np.array([[True, False, False], [True, True, True], [False, False, False]])])
case("powers of integers", """
graph main(%x: i64[3], %n: i32[3], %f: f32[3]) -> (%square, %power, %root) {
  const %two: i64[] = 3
  %square = onnx.Pow(%x, %two)
  %power = onnx.Pow(%x, %n)
  %root = onnx.Pow(%x, %f)
}""", [i64([2, -3, 10]), np.array([5, 3, 9], np.int32), np.array([0.5, 2, 1], np.float32)])
case("all elements of a symbolic size in order", """
graph main(%x: f32[2, n]) -> (%y, %places) {
  const %axis: i64[] = 1
  %sizes = onnx.Shape(%x)
  %n = onnx.Gather(%sizes, %axis)
  const %one: i64[1] = [1]
  %k = onnx.Reshape(%n, %one)
  %y, %places = onnx.TopK(%x, %k) {largest = 0}
}""", [f32(2, 5)], [f32(2, 1)], holds=["R.argsort("])
case("writes at index tuples into symbolic sizes", """
graph main(%x: f32[n, m], %at: i64[k, 2], %v: f32[k]) -> (%y) {
  %y = onnx.ScatterND(%x, %at, %v)
}""", [f32(3, 4), i64([[0, 1], [-1, -2]]), f32(2)])
case("nothing, of other sizes", """
graph main(%x: f32[0, 3]) -> (%y) {
  const %sizes: i64[2] = [5, 0]
  %y = onnx.Reshape(%x, %sizes) {allowzero = 1}
}""", [f32(0, 3)])
case("an input of sizes without a name", """
graph main(%x: f32[?, 3]) -> (%y) {
  const %axis: i64[1] = [1]
  %z = onnx.Unsqueeze(%x, %axis)
  %y = onnx.Concat(%z, %z) {axis = 0}
}""", [f32(2, 3)], holds=['R.Tensor(("x_0", 3)', 'R.Tensor(("2 * x_0", 1, 3)'])

case("corners of regions just below a half", """
graph main(%x: f32[1, 1, 5, 5], %rois: f32[1, 5]) -> (%y) {
  %y = onnx.MaxRoiPool(%x, %rois) {pooled_shape = [2, 2]}
}""", [f32(1, 1, 5, 5), np.array([[0, 0.49999997, 1.4999999, 2.5, 3.4999998]], np.float32)])


# Halves.

case("squares of halves, which need not fit one", """
graph main(%x: f16[n, 4, 8]) -> (%rms, %layer, %instance, %pool, %all) {
  const %two: f16[1] = [2.0]
  const %scale: f16[4] = [1.0, 2.0, 0.5, 1.0]
  const %none: f16[4] = [0.0, 0.0, 0.0, 0.0]
  %rms = onnx.RMSNormalization(%x, %two)
  %layer = onnx.LayerNormalization(%x, %two)
  %instance = onnx.InstanceNormalization(%x, %scale, %none)
  %pool = onnx.LpPool(%x) {kernel_shape = [2]}
  %all = onnx.GlobalLpPool(%x)
}""", [(300 * f32(2, 4, 8)).astype(np.float16)], holds=['R.astype(x, dtype="float32")'])

if __name__ == "__main__":
    sys.exit(run_cases(CASES))
