// SPDX-License-Identifier: Apache-2.0
// Numbers at equal distances.
#include "importers/tensorflow/ops/op_rows.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/dtype_kinds.h"

namespace dragoman::tf {
namespace {

// start, start + delta, … before limit.
template <class T>
struct Progression {
  T start = 0;
  T limit = 0;
  T delta = 1;

  // As TensorFlow counts, in T: the quotient is rounded before what is left counts as one more.
  double Count() const { return std::ceil((limit - start) / delta); }

  // As it computes them: each from the one before.
  std::vector<T> Elements() const {
    std::vector<T> elements;
    T next = start;
    for (double i = 0; i < Count(); i += 1) {
      elements.push_back(next);
      next += delta;
    }
    return elements;
  }

  // Range counts in float64, and makes each element from the first one.
  bool IsThatOf(const std::vector<T>& elements) const {
    const double count = std::ceil((double{limit} - double{start}) / double{delta});
    if (count != static_cast<double>(elements.size())) return false;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (elements[i] != start + static_cast<T>(i) * delta) return false;
    }
    return true;
  }
};

// nullptr: it is what Range gives, or nothing, or too long.
template <class T>
Value* KnownElements(Call& c, double start, double limit, double delta) {
  constexpr double kMost = 1 << 16;
  const Progression<T> progression{static_cast<T>(start), static_cast<T>(limit),
                                   static_cast<T>(delta)};
  if (delta == 0) return c.Fail(InvalidInput("the distance of a range is 0"));
  if (!(progression.Count() > 0 && progression.Count() <= kMost)) return nullptr;
  const std::vector<T> elements = progression.Elements();
  if (progression.IsThatOf(elements)) return nullptr;
  return c.builder().Constant(
      dragoman::Tensor::Of<T>({static_cast<std::int64_t>(elements.size())}, elements));
}

// Float32 or float64.
Value* FloatingRange(Call& c, Value* start, Value* limit, Value* delta, DType type) {
  const std::optional<double> from = c.KnownFloat(0);
  const std::optional<double> to = c.KnownFloat(1);
  const std::optional<double> by = c.KnownFloat(2);
  if (c.failed()) return nullptr;
  if (from && to && by) {
    Value* elements = type == DType::kF64 ? KnownElements<double>(c, *from, *to, *by)
                                          : KnownElements<float>(c, *from, *to, *by);
    if (elements != nullptr || c.failed()) return elements;
    return c.Op("Range", {start, limit, delta});
  }
  // Nothing is rounded.
  if (from == 0.0 && by && std::abs(*by) == 1) return c.Op("Range", {start, limit, delta});
  Value* count = c.Op("Ceil", {c.Max(c.Div(c.Sub(limit, start), delta), 0)});
  Value* numbers = c.Cast(c.Iota(c.Reshape(c.Cast(count, DType::kI64), Ints())), type);
  return c.Add(start, c.Mul(numbers, delta));
}

Value* LowerRange(Call& c) {
  const DType type = c.dtype(c.Tensor(0));
  DType computed = type;
  if (IsHalf(type)) computed = DType::kF32;
  if (IsInteger(type) && type != DType::kI16 && type != DType::kI32) computed = DType::kI64;
  Value* parts[3];
  for (std::size_t i = 0; i < 3; ++i) parts[i] = c.Cast(c.Tensor(i), computed);
  if (c.failed()) return nullptr;
  Value* range = IsFloating(computed) ? FloatingRange(c, parts[0], parts[1], parts[2], computed)
                                      : c.Op("Range", {parts[0], parts[1], parts[2]});
  return c.Cast(range, type);
}

// The last element is `stop` itself.
Value* LowerLinSpace(Call& c) {
  Value* start = c.Tensor(0);
  Value* stop = c.Tensor(1);
  Value* count = c.Index(2);
  Value* steps = c.Iota(count);
  Value* last = c.Sub(count, 1);
  Value* step = c.Div(c.Sub(stop, start), c.CastLike(c.Max(last, 1), start));
  Value* line = c.Add(start, c.Mul(c.CastLike(steps, start), step));
  Value* ends = c.And(c.Equal(steps, last), c.Greater(last, 0));
  return c.Where(ends, stop, line);
}

}  // namespace

std::span<const OpRow> RangesRows() {
  static constexpr OpRow kRows[] = {
      {"LinSpace", LowerLinSpace},
      {"Range", LowerRange},
  };
  return kRows;
}

}  // namespace dragoman::tf
