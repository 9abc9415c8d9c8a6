// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/op_rows.h"

#include "importers/torch/ops/math.h"
#include "importers/torch/ops/packed.h"

namespace dragoman::torch {
namespace {

Value* CountTrue(Composer& c, Value* mask, int axis) {
  return c.ReduceSum(c.Cast(mask, DType::kI64), {axis});
}

}  // namespace

Padded Unpack(Composer& c, Value* data, Value* batch_sizes) {
  Value* sequences = c.Unsqueeze(c.Iota(c.Select(batch_sizes, 0, 0)), {0});
  Padded padded;
  padded.mask = c.Less(sequences, c.Unsqueeze(batch_sizes, {1}));
  Value* starts = c.Op("CumSum", {batch_sizes, c.Int(0)}, {{"exclusive", std::int64_t{1}}});
  Value* places = c.Add(c.Unsqueeze(starts, {1}), sequences);
  padded.steps = c.Gather(data, c.Where(padded.mask, places, 0), 0);
  padded.lengths = CountTrue(c, padded.mask, 0);
  return padded;
}

Value* Pack(Composer& c, Value* steps, Value* mask) {
  const int rank = c.Rank(steps);
  if (c.failed()) return nullptr;
  Value* shape = c.ConcatSizes({MergedSize(c, steps, 0, 2), c.SizeVector(steps, 2, rank - 2)});
  return c.Op("Compress", {c.Reshape(steps, shape), c.Flatten(mask)}, {{"axis", std::int64_t{0}}});
}

namespace {

Result<Results> LowerPackPaddedSequence(Call& call) {
  CallComposer c(call);
  Value* steps = c.Tensor("input");
  if (c.Bool("batch_first")) steps = c.SwapAxes(steps, 0, 1);
  Value* lengths = c.Tensor("lengths");
  Value* longest = c.ReduceAll("ReduceMax", lengths);
  Value* mask = c.Less(c.Unsqueeze(c.Iota(longest), {1}), c.Unsqueeze(lengths, {0}));
  Value* used = c.Slice(steps, 0, c.Ints({0}), c.Vector(longest), c.Ints({1}));
  return c.Done({Pack(c, used, mask), CountTrue(c, mask, 1)});
}

Result<Results> LowerPadPackedSequence(Call& call) {
  CallComposer c(call);
  Value* data = c.Tensor("data");
  Value* batch_sizes = c.Tensor("batch_sizes");
  Value* padding = c.As("padding_value", c.dtype(data));
  const Padded padded = Unpack(c, data, batch_sizes);
  const int rank = c.Rank(padded.steps);
  std::vector<std::int64_t> further;
  for (int axis = 2; axis < rank; ++axis) further.push_back(axis);
  Value* steps = c.Where(c.Unsqueeze(padded.mask, further), padded.steps, padding);
  const dragoman::Number total = c.Take(call.Scalar("total_length"));
  if (!total.known() || total.AsInt() > 0) {
    Value* missing = c.Max(c.Sub(c.Take(call.IntValue("total_length")), c.Size(steps, 0)), 0);
    Value* pads = c.ConcatSizes({c.Ints({0}), c.Vector(missing)});
    steps = c.Op("Pad", {steps, pads, padding, c.Ints({0})});
  }
  if (c.Bool("batch_first")) steps = c.SwapAxes(steps, 0, 1);
  return c.Done({steps, padded.lengths});
}

}  // namespace

std::span<const OpRow> PackedRows() {
  static constexpr OpRow kRows[] = {
      {"aten._pack_padded_sequence", LowerPackPaddedSequence},
      {"aten._pad_packed_sequence", LowerPadPackedSequence},
  };
  return kRows;
}

}  // namespace dragoman::torch
