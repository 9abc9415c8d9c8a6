// SPDX-License-Identifier: Apache-2.0
// torchaudio's own operators: filters each of whose results depends on those before.
#include "importers/torch/ops/op_rows.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/steps.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

// How many coefficients each channel of a filter has; 0 if that is not known, which fails.
std::int64_t OrderOf(CallComposer& c, Value* coefficients) {
  if (c.failed()) return 0;
  const std::int64_t order =
      c.Rank(coefficients) == 2 ? c.KnownSize(coefficients, 1).value_or(0) : 0;
  if (order < 1)
    c.Fail("coefficients (channels, order) whose sizes are not known; state them with --shape");
  return order;
}

// y[t] = x[t] - the sum of `weights` (channels, order) times the last results up to what
// `initial` has at t; (batch, channels, time). `history`: the results before the first, order - 1.
Value* Recursion(Composer& c, Value* x, Value* weights, Value* initial, Value* history) {
  const Step step = [=](Composer& inner, Value* at, Values& state) -> Values {
    Value* start = inner.Unsqueeze(inner.Gather(initial, at, 2), {2});
    Value* window = inner.Concat({state[0], start}, 2);
    Value* sum = inner.ReduceSum(inner.Mul(window, weights), {2});
    Value* y = inner.Sub(inner.Gather(x, at, 2), sum);
    state[0] = inner.Concat({inner.Slice(state[0], 2, 1, kEnd), inner.Unsqueeze(y, {2})}, 2);
    return {y};
  };
  const Values results = RunSteps(c, c.Size(x, 2), {history}, step);
  return c.failed() ? nullptr : StepsLast(c, results[1]);
}

// The results of the recursion, written after `order - 1` that `padded` begins with.
Value* Filtered(Composer& c, Value* x, Value* weights, Value* padded, std::int64_t order) {
  if (order == 1) return c.Sub(x, c.Mul(padded, weights));
  Value* history = c.Slice(padded, 2, 0, order - 1);
  Value* initial = c.Slice(padded, 2, order - 1, kEnd);
  return c.Concat({history, Recursion(c, x, weights, initial, history)}, 2);
}

Value* Reversed(Composer& c, Value* coefficients) {
  return c.Slice(coefficients, 1, -1, std::numeric_limits<std::int64_t>::min(), -1);
}

Result<Results> LowerFilterLoop(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("input_signal_windows");
  Value* weights = c.Tensor("a_coeff_flipped");
  Value* padded = c.Tensor("padded_output_waveform");
  const std::int64_t order = OrderOf(c, weights);
  if (c.failed()) return c.DoneWith({});
  Value* written = Filtered(c, x, weights, padded, order);
  if (!c.failed()) c.Check(call.Write("padded_output_waveform", written));
  return LowerAlias(c, "padded_output_waveform");
}

// sum over k of a[k] y[t - k] = sum over k of b[k] x[t - k], for each channel.
Value* LowerFilter(CallComposer& c) {
  Value* x = c.Tensor("waveform");
  Value* a = c.Tensor("a_coeffs");
  Value* b = c.Tensor("b_coeffs");
  const std::int64_t order = OrderOf(c, b);
  if (c.failed()) return nullptr;
  const std::int64_t channels = c.KnownSize(b, 0).value_or(0);
  if (channels < 1 || OrderOf(c, a) != order)
    c.Fail("coefficients whose sizes differ, or are not known; state them with --shape");
  if (c.failed()) return nullptr;
  Value* first = c.Slice(a, 1, 0, 1);
  Value* kernel = c.Unsqueeze(Reversed(c, c.Div(b, first)), {1});
  Value* driven =
      c.Op("Conv", {x, kernel}, {{"group", channels}, {"pads", Attribute::Ints{order - 1, 0}}});
  Value* weights = Reversed(c, c.Div(a, first));
  Value* before =
      c.Full(c.ConcatSizes({c.SizeVector(driven, 0, 2), c.Ints({order - 1})}), 0, c.dtype(driven));
  Value* zeros = c.Full(c.Shape(driven), 0, c.dtype(driven));
  Value* padded = order == 1 ? zeros : c.Concat({before, zeros}, 2);
  Value* whole = Filtered(c, driven, weights, padded, order);
  return c.Slice(whole, 2, order - 1, kEnd);
}

// Along time: out = x[t] - before + 0.995 out, before = x[t], y[t] = 0.5 waveform[t] + 0.75 out.
Result<Results> LowerOverdriveLoop(Call& call) {
  CallComposer c(call);
  Value* waveform = c.Tensor("waveform");
  Value* x = c.Tensor("temp");
  const Values first = {c.Tensor("last_in"), c.Tensor("last_out")};
  if (c.failed()) return c.DoneWith({});
  const Step step = [=](Composer& inner, Value* at, Values& state) -> Values {
    Value* now = inner.Gather(x, at, 1);
    state[1] = inner.Add(inner.Sub(now, state[0]), inner.Mul(state[1], 0.995));
    state[0] = now;
    return {inner.Add(inner.Mul(inner.Gather(waveform, at, 1), 0.5), inner.Mul(state[1], 0.75))};
  };
  const Values results = RunSteps(c, c.Size(waveform, 1), first, step);
  if (c.failed()) return c.DoneWith({});
  Value* written = StepsLast(c, results[2]);
  c.Check(call.Write("last_in", results[0]));
  if (!c.failed()) c.Check(call.Write("last_out", results[1]));
  if (!c.failed()) c.Check(call.Write("output_waveform", written));
  return c.DoneWith({c.Take(call.Argument("last_in")), c.Take(call.Argument("last_out")),
                     c.Take(call.Argument("output_waveform"))});
}

}  // namespace

std::span<const OpRow> TorchaudioRows() {
  static constexpr OpRow kRows[] = {
      {"torchaudio._lfilter", LowerFilter},
      {"torchaudio._lfilter_core_loop", LowerFilterLoop},
      {"torchaudio._overdrive_core_loop", LowerOverdriveLoop},
  };
  return kRows;
}

}  // namespace dragoman::torch
