// SPDX-License-Identifier: Apache-2.0
// Random numbers that are a function of a seed: the same ones that TensorFlow draws on processors
// (its random_distributions.h says how distributions are made of words).
#include "importers/tensorflow/ops/op_rows.h"

#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/random_state.h"

namespace dragoman::tf {
namespace {

// How many bits of a word are the digits of a number of [0, 1).
int BitsOf(DType type) {
  if (type == DType::kF16) return 10;
  return type == DType::kBF16 ? 7 : 23;
}

// Each other element of the last axis: the first ones, the second ones.
Value* Alternate(Call& c, Value* x, std::int64_t first) {
  const int last = c.Rank(x) - 1;
  return c.failed() ? nullptr : c.Slice(x, last, first, kEnd, 2);
}

// Words along the last axis of four, or pairs of them along one of two, as numbers of [0, 1).
Value* Fractions(Call& c, Value* words, DType type) {
  const auto low_bits = [&](Value* x, int bits) {
    return c.Op("BitwiseAnd", {x, c.Int((std::int64_t{1} << bits) - 1)});
  };
  if (type != DType::kF64) {
    const int bits = BitsOf(type);
    return c.Mul(c.Cast(low_bits(words, bits), type), std::ldexp(1.0, -bits));
  }
  Value* high = low_bits(Alternate(c, words, 0), 20);
  Value* digits = c.Add(c.Mul(high, c.Int(std::int64_t{1} << 32)), Alternate(c, words, 1));
  return c.Mul(c.Cast(digits, DType::kF64), std::ldexp(1.0, -52));
}

// Pairs of numbers of [0, 1) along the last axis as pairs of the normal distribution (Box, Muller).
Value* Normals(Call& c, Value* words, DType type) {
  const DType computed = type == DType::kF64 ? type : DType::kF32;
  Value* uniform = Fractions(c, words, computed);
  const auto least = static_cast<double>(1.0e-7F);
  Value* share = c.Max(Alternate(c, uniform, 0), computed == DType::kF64 ? 1.0e-7 : least);
  Value* turn = c.Cast(Alternate(c, uniform, 1), DType::kF64);
  Value* angle = c.Cast(c.Mul(turn, 2 * std::numbers::pi), computed);
  Value* radius = c.Sqrt(c.Mul(c.Log(share), -2));
  const int rank = c.Rank(radius);
  if (c.failed()) return nullptr;
  const auto side = [&](std::string_view function) {
    return c.Unsqueeze(c.Mul(c.Op(function, {angle}), radius), {rank});
  };
  Value* pairs = c.Concat({side("Sin"), side("Cos")}, rank);
  Value* sizes = c.ConcatSizes({c.SizeVector(pairs, 0, rank - 1), c.Ints({-1})});
  return c.Cast(c.Reshape(pairs, sizes), type);
}

// How the result, whose sizes operand 0 gives, is drawn in groups of so many elements.
struct Groups {
  Value* sizes = nullptr;  // int64, rank 1
  Value* total = nullptr;  // 0-d
  Value* count = nullptr;
};

Groups TakeGroups(Call& c, int per_group) {
  Groups groups;
  groups.sizes = c.Index(0);
  groups.total = c.ReduceAll("ReduceProd", groups.sizes);
  groups.count = c.Div(c.Add(groups.total, per_group - 1), per_group);
  return groups;
}

// Blocks of the generator one after the other, `blocks` (int64) of them: (…, 4) words.
Value* Draw(Call& c, const RandomState& state, Value* blocks) {
  const PhiloxWords words = PhiloxBlock(c, PhiloxSkip(c, state.counter, blocks), state.key);
  const int rank = c.Rank(blocks);
  if (c.failed()) return nullptr;
  std::vector<Value*> columns;
  for (Value* word : words) columns.push_back(c.Unsqueeze(word, {rank}));
  return c.Concat(std::move(columns), rank);
}

Value* Shaped(Call& c, const Groups& groups, Value* numbers) {
  Value* flat = c.Flatten(numbers);
  flat = c.Slice(flat, 0, c.Ints({0}), c.Vector(groups.total), c.Ints({1}));
  return c.Reshape(flat, groups.sizes);
}

bool Is64Bit(DType type) {
  return type == DType::kF64 || type == DType::kI64 || type == DType::kU64;
}

int NumbersPerBlock(DType type) { return Is64Bit(type) ? 2 : 4; }

struct Drawn {
  Groups groups;
  Value* words = nullptr;  // (groups, 4)
};

// A block for each group.
Drawn DrawBlocks(Call& c, DType type) {
  const Groups groups = TakeGroups(c, NumbersPerBlock(type));
  return {groups, Draw(c, TakeRandomState(c), c.Iota(groups.count))};
}

// Words, or pairs of them, as whole numbers of [0, 2³²) or [0, 2⁶⁴), int64 or uint64.
Value* WholeNumbers(Call& c, Value* words, DType type) {
  if (!Is64Bit(type)) return words;
  return FromWords(c, Alternate(c, words, 0), Alternate(c, words, 1), DType::kU64);
}

// The first `count` elements along axis 1 for which `inside` holds: (groups, count).
Value* FirstInside(Call& c, Value* numbers, Value* inside, int count) {
  Value* place = c.Op("CumSum", {c.Cast(inside, DType::kI64), c.Int(1)});
  std::vector<Value*> columns;
  for (int i = 1; i <= count; ++i) {
    Value* here = c.And(inside, c.Equal(place, i));
    columns.push_back(c.ReduceSum(c.Where(here, numbers, 0), {1}, true));
  }
  return c.Concat(std::move(columns), 1);
}

Value* LowerStatelessUniform(Call& c) {
  const DType type = c.TypeAttribute("dtype");
  const Drawn drawn = DrawBlocks(c, type);
  return Shaped(c, drawn.groups, Fractions(c, drawn.words, type));
}

Value* LowerStatelessUniformFullInt(Call& c) {
  const DType type = c.TypeAttribute("dtype");
  const Drawn drawn = DrawBlocks(c, type);
  return Shaped(c, drawn.groups, c.Cast(WholeNumbers(c, drawn.words, type), type));
}

// Whole numbers of [least, most): a remainder more than the least.
Value* LowerStatelessUniformInt(Call& c) {
  const DType type = c.TypeAttribute("dtype");
  const Drawn drawn = DrawBlocks(c, type);
  const std::size_t first = c.num_operands() - 2;
  Value* least = c.Index(first);
  Value* range = c.Sub(c.Index(first + 1), least);
  Value* whole = WholeNumbers(c, drawn.words, type);
  Value* offset = c.Op("Mod", {whole, c.CastLike(range, whole)});
  return Shaped(c, drawn.groups, c.Cast(c.Add(c.Cast(offset, DType::kI64), least), type));
}

Value* LowerStatelessNormal(Call& c) {
  const DType type = c.TypeAttribute("dtype");
  const Drawn drawn = DrawBlocks(c, type);
  return Shaped(c, drawn.groups, Normals(c, drawn.words, type));
}

// Of the normal distribution, what lies within two standard deviations. A group has 256 blocks for
// each of its numbers; of so few of its 32 numbers beyond is none that eight blocks do not suffice.
Value* LowerStatelessTruncatedNormal(Call& c) {
  constexpr std::int64_t kBlocks = 8;
  constexpr double kMost = 2;
  const DType type = c.TypeAttribute("dtype");
  const int per_group = NumbersPerBlock(type);
  const Groups groups = TakeGroups(c, per_group);
  Value* first = c.Mul(c.Iota(groups.count), c.Int(256 * per_group / 4));
  Value* blocks = c.Add(c.Unsqueeze(first, {1}), c.Iota(c.Int(kBlocks)));
  Value* words = Draw(c, TakeRandomState(c), blocks);
  const DType computed = type == DType::kF64 ? type : DType::kF32;
  Value* numbers = Normals(c, words, computed);
  Value* flat = c.Reshape(numbers, c.ConcatSizes({c.Vector(groups.count), c.Ints({-1})}));
  Value* inside = c.Less(c.Abs(flat), kMost);
  Value* enough = c.GreaterOrEqual(c.ReduceSum(c.Cast(inside, DType::kI64), {1}), per_group);
  c.Assert(c.Equal(c.ReduceAll("ReduceMin", c.Cast(enough, DType::kI64)), 1),
           "'" + c.node().name() + "' draws too few numbers within two standard deviations");
  return Shaped(c, groups, c.Cast(FirstInside(c, flat, inside, per_group), type));
}

}  // namespace

std::span<const OpRow> StatelessRandomRows() {
  static constexpr OpRow kRows[] = {
      {"StatelessRandomNormal", LowerStatelessNormal},
      {"StatelessRandomNormalV2", LowerStatelessNormal},
      {"StatelessRandomUniform", LowerStatelessUniform},
      {"StatelessRandomUniformFullInt", LowerStatelessUniformFullInt},
      {"StatelessRandomUniformFullIntV2", LowerStatelessUniformFullInt},
      {"StatelessRandomUniformInt", LowerStatelessUniformInt},
      {"StatelessRandomUniformIntV2", LowerStatelessUniformInt},
      {"StatelessRandomUniformV2", LowerStatelessUniform},
      {"StatelessTruncatedNormal", LowerStatelessTruncatedNormal},
      {"StatelessTruncatedNormalV2", LowerStatelessTruncatedNormal},
  };
  return kRows;
}

}  // namespace dragoman::tf
