// SPDX-License-Identifier: Apache-2.0
// The functions that draw around the patterns of passes, a family a file.
#ifndef DRAGOMAN_TESTS_UNIT_DRAWN_REWRITES_PATTERNS_H_
#define DRAGOMAN_TESTS_UNIT_DRAWN_REWRITES_PATTERNS_H_

#include <span>
#include <string_view>

#include "tests/unit/drawn_rewrites/drawing.h"

namespace dragoman::drawn {

// How what a rewrite leaves may differ from what was there.
enum class Exactness {
  kExact,    // not at all, whatever the data: infinities and NaN are among them
  kRounded,  // sums may be taken in another order, functions computed otherwise
  kNearest,  // also, integers that were rounded from such numbers by 1
};

// Draws around one pattern, or around a pass that has none.
struct DrawnPattern {
  std::string_view name;  // of the pattern or the pass
  void (*draw)(Drawing& d);
  Exactness exactness = Exactness::kExact;
  std::int64_t least_size = 0;  // of open sizes
};

std::span<const DrawnPattern> DrawnCopies();
std::span<const DrawnPattern> DrawnMoves();
std::span<const DrawnPattern> DrawnChannelsLast();
std::span<const DrawnPattern> DrawnRows();
std::span<const DrawnPattern> DrawnLists();
std::span<const DrawnPattern> DrawnSizes();
std::span<const DrawnPattern> DrawnProducts();
std::span<const DrawnPattern> DrawnSpellings();
std::span<const DrawnPattern> DrawnFunctions();
std::span<const DrawnPattern> DrawnMasks();     // of places, and operands of elementwise operators
std::span<const DrawnPattern> DrawnPlaces();    // along open axes, and fills of open sizes
std::span<const DrawnPattern> DrawnOperands();  // bounds, axes, biases, parts
std::span<const DrawnPattern> DrawnChannelNorms();
std::span<const DrawnPattern> DrawnAttention();  // guards of softmax
std::span<const DrawnPattern> DrawnQuantized();
std::span<const DrawnPattern> DrawnGraphs();  // around passes that look at whole graphs
std::span<const DrawnPattern> DrawnLoops();
std::span<const DrawnPattern> DrawnSimplified();  // around rewrites for generated programs

}  // namespace dragoman::drawn

#endif  // DRAGOMAN_TESTS_UNIT_DRAWN_REWRITES_PATTERNS_H_
