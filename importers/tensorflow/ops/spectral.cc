// SPDX-License-Identifier: Apache-2.0
// Fourier transforms along the last axes.
#include "core/lowering/complex.h"
#include "core/lowering/fourier.h"
#include "importers/tensorflow/ops/lowerings.h"

namespace dragoman::tf {
namespace {

// Of the row's target: "2" or "2i", the number of axes and whether it is the inverse.
struct Kind {
  int axes = 1;
  bool inverse = false;
};

Kind KindOf(Call& c) { return {c.target().front() - '0', c.target().ends_with('i')}; }

// The last axes, outer ones first, with the lengths that operand 1 tells, if there is one.
std::vector<Line> Lines(Call& c, Value* x, int count) {
  const int rank = c.Rank(x);
  if (!c.failed() && rank < count) c.Fail(InvalidInput("a transform of more axes than there are"));
  Value* lengths = c.num_operands() > 1 ? c.Index(1) : nullptr;
  const std::optional<Ints> known =
      lengths != nullptr ? c.MaybeKnownInts(1) : std::optional<Ints>();
  if (c.failed()) return {};
  if (known && known->size() != static_cast<std::size_t>(count)) {
    c.Fail(InvalidInput("fft_length does not have an entry an axis"));
    return {};
  }
  std::vector<Line> lines;
  for (int i = 0; i < count; ++i) {
    Line line{rank - count + i, nullptr};
    if (known) {
      line.length = c.Int((*known)[static_cast<std::size_t>(i)]);
    } else if (lengths != nullptr) {
      line.length = c.Select(lengths, 0, i);
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

Value* LowerFft(Call& c) {
  const Kind kind = KindOf(c);
  Value* x = c.Tensor(0);
  for (const Line& line : Lines(c, x, kind.axes)) x = Transform(c, x, line, kind.inverse, {});
  return x;
}

// Half of the spectrum of a real signal.
Value* LowerRealFft(Call& c) {
  Value* x = c.Tensor(0);
  std::vector<Line> lines = Lines(c, x, KindOf(c).axes);
  if (c.failed()) return nullptr;
  x = Transform(c, x, lines.back(), false, {}, Spectrum::kHalf);
  lines.pop_back();
  for (const Line& line : lines) x = Transform(c, x, line, false, {});
  return x;
}

Value* LowerInverseRealFft(Call& c) {
  Value* x = c.Tensor(0);
  std::vector<Line> lines = Lines(c, x, KindOf(c).axes);
  if (c.failed()) return nullptr;
  const Line last = lines.back();
  lines.pop_back();
  for (const Line& line : lines) x = Transform(c, x, line, true, {});
  return RealSignal(c, x, last, true, {});
}

}  // namespace dragoman::tf
