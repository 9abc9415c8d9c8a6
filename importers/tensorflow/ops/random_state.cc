// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include "importers/tensorflow/ops/random_state.h"

#include <vector>

namespace dragoman::tf {
namespace {

// The numbers of algorithms.
constexpr std::int64_t kPhilox = 1;
constexpr std::int64_t kAutomatic = 3;  // Philox on processors

void CheckAlgorithm(Call& c, std::size_t i) {
  const std::int64_t algorithm = c.KnownInt(i, "an algorithm of random numbers");
  if (!c.failed() && algorithm != kPhilox && algorithm != kAutomatic)
    c.Fail("random numbers of algorithm " + std::to_string(algorithm) + ", not Philox");
}

// Operand `i`, two numbers, scrambled so that each bit of the seed counts.
RandomState OfSeed(Call& c, std::size_t i) {
  Value* seed = c.Index(i);
  const auto words = [&](std::int64_t part) { return WordsOf(c, c.Select(seed, 0, part)); };
  const auto [first, second] = words(0);
  const auto [third, fourth] = words(1);
  const PhiloxWords mixed =
      PhiloxBlock(c, {first, second, third, fourth}, {c.Int(0x3ec8f720), c.Int(0x02461e29)});
  return {{c.Int(0), c.Int(0), mixed[2], mixed[3]}, {mixed[0], mixed[1]}};
}

// Numbers of 64 bits, 0-d.
RandomState OfNumbers(Call& c, Value* low_counter, Value* high_counter, Value* key) {
  const auto [first, second] = WordsOf(c, low_counter);
  const auto [third, fourth] = WordsOf(c, high_counter);
  return {{first, second, third, fourth}, WordsOf(c, key)};
}

}  // namespace

RandomState TakeRandomState(Call& c) {
  const bool has_key = c.node().op().type.ends_with("V2");
  if (!has_key) return OfSeed(c, 1);
  CheckAlgorithm(c, 3);
  Value* key = c.Tensor(1);
  Value* counter = c.Tensor(2);
  if (c.failed()) return {};
  return OfNumbers(c, c.Select(counter, 0, 0), c.Select(counter, 0, 1), c.Select(key, 0, 0));
}

namespace {

// key, counter and, with StatelessRandomGetKeyCounterAlg, the algorithm.
std::vector<Value*> LowerStatelessGetKeyCounter(Call& c) {
  const RandomState state = OfSeed(c, 0);
  const auto number = [&](Value* low, Value* high) {
    return c.Unsqueeze(FromWords(c, low, high, DType::kU64), {0});
  };
  Value* counter = c.Concat(
      {number(state.counter[0], state.counter[1]), number(state.counter[2], state.counter[3])}, 0);
  std::vector<Value*> results = {number(state.key[0], state.key[1]), counter};
  if (c.num_results() > 2) results.push_back(c.Number(kPhilox, DType::kI32));
  return results;
}

Value* LowerStatelessGetAlg(Call& c) { return c.Number(kPhilox, DType::kI32); }

// The state of a generator (counter, key), which then skips what so many numbers may need.
std::vector<Abstract> LowerRngReadAndSkip(Call& c) {
  constexpr double kBlocksPerNumber = 256;
  Value* state = c.Tensor(0);
  CheckAlgorithm(c, 1);
  Value* count = c.Index(2);
  if (c.failed()) return {};
  const RandomState before =
      OfNumbers(c, c.Select(state, 0, 0), c.Select(state, 0, 1), c.Select(state, 0, 2));
  const PhiloxWords after = PhiloxSkip(c, before.counter, c.Mul(count, kBlocksPerNumber));
  const auto number = [&](std::size_t i) {
    return c.Unsqueeze(FromWords(c, after[i], after[i + 1], DType::kI64), {0});
  };
  AssignTo(c, 0, c.Concat({number(0), number(2), c.Slice(state, 0, 2, kEnd)}, 0));
  if (c.failed()) return {};
  return {c.NewTensor(state)};
}

}  // namespace

std::span<const OpRow> RandomStateRows() {
  static constexpr OpRow kRows[] = {
      {"RngReadAndSkip", LowerRngReadAndSkip},
      {"StatelessRandomGetAlg", LowerStatelessGetAlg},
      {"StatelessRandomGetKeyCounter", LowerStatelessGetKeyCounter},
      {"StatelessRandomGetKeyCounterAlg", LowerStatelessGetKeyCounter},
  };
  return kRows;
}

}  // namespace dragoman::tf
