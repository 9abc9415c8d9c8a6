// SPDX-License-Identifier: Apache-2.0
// Random numbers. A key says where TVM's generator goes on; here every draw stands for itself,
// and keys pass through.
#include "importers/relay/ops/op_rows.h"

#include <vector>

namespace dragoman::relay {
namespace {

// Two keys for one.
std::vector<Value*> LowerSplitKey(Call& c) {
  Value* key = c.Tensor(0);
  return {c.Op("Identity", {key}), c.Op("Identity", {key})};
}

// (key, numbers): a standard draw, scaled and moved by the operands after the key.
std::vector<Value*> LowerRandom(Call& c) {
  Value* key = c.Tensor(0);
  Value* first = c.Tensor(1);
  Value* second = c.Tensor(2);
  const Ints shape = c.RequiredInts("out_shape");
  const DType dtype = c.Type("out_dtype", DType::kF32);
  if (c.failed()) return {};
  Value* drawn = c.Op(c.target(), {c.Full(c.Ints(shape), 0, dtype)});
  Value* a = c.Cast(first, dtype);
  Value* b = c.Cast(second, dtype);
  // Between both, or around the first with the second as deviation.
  Value* scale = c.target() == "RandomUniformLike" ? c.Sub(b, a) : b;
  return {c.Op("Identity", {key}), c.Add(c.Mul(drawn, scale), a)};
}

// (key, classes drawn by their probabilities).
std::vector<Value*> LowerMultinomial(Call& c) {
  Value* key = c.Tensor(0);
  Value* probabilities = c.Tensor(1);
  const std::int64_t count = c.Int("num_samples", 1);
  const int rank = c.Rank(probabilities);
  if (c.failed()) return {};
  if (rank < 1) {
    c.Fail(InvalidInput("probabilities without an axis"));
    return {};
  }
  // Draws by logarithms of rows.
  Value* rows = c.Log(c.Reshape(
      probabilities, c.ConcatSizes({c.Ints({-1}), c.SizeVector(probabilities, rank - 1, 1)})));
  Value* drawn = c.Op("Multinomial", {rows}, {{"sample_size", count}});
  Value* shape = rank > 1
                     ? c.ConcatSizes({c.SizeVector(probabilities, 0, rank - 1), c.Ints({count})})
                     : c.Ints({count});
  return {c.Op("Identity", {key}), c.Reshape(drawn, shape)};
}

}  // namespace

std::span<const OpRow> RandomRows() {
  static constexpr OpRow kRows[] = {
      {"random.multinomial", LowerMultinomial},
      {"random.normal", LowerRandom, "RandomNormalLike"},
      {"random.threefry_split", LowerSplitKey},
      {"random.uniform", LowerRandom, "RandomUniformLike"},
  };
  return kRows;
}

}  // namespace dragoman::relay
