// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/fourier.h"

#include <utility>
#include <vector>

#include "core/lowering/complex.h"

namespace dragoman {

Value* Scaling::Divisor(Composer& c, Value* n, bool inverse, DType dtype) const {
  if (norm == "ortho") return c.Cast(c.Sqrt(c.Cast(n, DType::kF64)), dtype);
  return (norm == "forward") != inverse ? c.Cast(n, dtype) : nullptr;
}

namespace {

Value* LengthOf(Composer& c, Value* x, const Line& line) {
  return line.length != nullptr ? line.length : c.Size(x, line.axis);
}

}  // namespace

Value* Transform(Composer& c, Value* x, const Line& line, bool inverse, const Scaling& scaling,
                 Spectrum spectrum) {
  Value* n = LengthOf(c, x, line);
  const bool complex = IsComplex(c.dtype(x));
  Value* pairs = complex ? PairsOf(c, x) : c.Unsqueeze(x, {c.Rank(x)});
  Value* sums = c.Op("DFT", {pairs, line.length, c.Int(line.axis)},
                     {{"inverse", std::int64_t{inverse}},
                      {"onesided", std::int64_t{spectrum == Spectrum::kHalf}}});
  // An inverse DFT divides by n itself.
  if (inverse) sums = scaling.norm == "backward" ? sums : c.Mul(sums, c.CastLike(n, sums));
  const bool divided = inverse && scaling.norm == "backward";
  Value* divisor = divided ? nullptr : scaling.Divisor(c, n, inverse, c.dtype(sums));
  return FromPairs(c, divisor != nullptr ? c.Div(sums, divisor) : sums);
}

namespace {

Value* Reversed(Composer& c, Value* x, int axis) { return c.Slice(x, axis, -1, -kEnd, -1); }

// The whole spectrum of a real signal of `n` elements from its first half: the rest mirrors it.
Value* WholeSpectrum(Composer& c, Value* half, int axis, Value* n) {
  Value* one = c.Ints({1});
  Value* count = c.Vector(c.Add(c.Div(n, 2), 1));
  Value* known = c.Slice(half, axis, c.Ints({0}), count, one);
  Value* missing = c.Max(c.Sub(count, c.SizeVector(known, axis, 1)), 0);
  std::vector<Value*> sizes;
  if (axis > 0) sizes.push_back(c.SizeVector(known, 0, axis));
  sizes.push_back(missing);
  const int rest = c.Rank(known) - axis - 1;
  if (rest > 0) sizes.push_back(c.SizeVector(known, axis + 1, rest));
  Value* zeros = c.Full(c.ConcatSizes(std::move(sizes)), 0, c.dtype(known));
  Value* first = c.Concat({known, zeros}, axis);
  Value* mirrored_end = c.Vector(c.Div(c.Add(n, 1), 2));
  Value* mirrored = c.Slice(first, axis, one, mirrored_end, one);
  return c.Concat({first, Conjugate(c, Reversed(c, mirrored, axis))}, axis);
}

}  // namespace

Value* RealSignal(Composer& c, Value* half, const Line& line, bool inverse,
                  const Scaling& scaling) {
  Value* n = line.length;
  if (n == nullptr) n = c.Mul(c.Sub(c.Size(half, line.axis), 1), 2);
  Value* whole = WholeSpectrum(c, half, line.axis, n);
  return PartsOf(c, Transform(c, whole, {line.axis, nullptr}, inverse, scaling)).re;
}

Value* AsComplex(Composer& c, Value* x) {
  return IsComplex(c.dtype(x)) ? x : FromPairs(c, PairsOf(c, x));
}

}  // namespace dragoman
