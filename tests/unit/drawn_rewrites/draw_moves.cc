// SPDX-License-Identifier: Apache-2.0
// Chains of operators that move elements, or none.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

// A tensor on its way through a chain.
struct Moved {
  std::string value;
  Sizes sizes;
};

// Reshape to `sizes`, if the numbers that say so are there; else the same.
void ReshapeTo(Drawing& d, Moved& x, const Sizes& sizes) {
  std::vector<std::int64_t> numbers;
  bool copies = false, infers = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool kept = i < x.sizes.size() && x.sizes[i] == sizes[i];
    if (kept && (sizes[i] <= 0 || d.Chance(25))) {
      numbers.push_back(0);
      copies = true;
    } else if ((sizes[i] < 0 || (sizes[i] > 0 && d.Chance(15))) && !infers) {
      numbers.push_back(-1);
      infers = true;
    } else if (sizes[i] < 0) {
      return;
    } else {
      numbers.push_back(sizes[i]);
    }
  }
  const bool allows_zero = !copies && d.Chance(15);
  x.value = d.Node("Reshape", {x.value, d.Ints(numbers)}, allows_zero ? "allowzero = 1" : "");
  x.sizes = sizes;
}

void Reshape(Drawing& d, Moved& x, const Sizes& begin) {
  Sizes sizes = x.sizes;
  const auto rank = std::ssize(sizes);
  switch (d.Between(0, 5)) {
    case 0:
      sizes = begin;
      break;
    case 1: {  // two axes become one
      if (rank < 2) break;
      const std::int64_t i = d.Between(0, rank - 2);
      std::int64_t& size = sizes[static_cast<std::size_t>(i)];
      const std::int64_t next = sizes[static_cast<std::size_t>(i + 1)];
      size = size == 1 ? next : next == 1 ? size : size < 0 || next < 0 ? kOther : size * next;
      sizes.erase(sizes.begin() + i + 1);
      break;
    }
    case 2: {  // one becomes two
      if (rank < 1) break;
      const std::int64_t i = d.Between(0, rank - 1);
      const std::int64_t size = sizes[static_cast<std::size_t>(i)];
      const std::int64_t factor = size > 0 && size % 2 == 0 ? 2 : size > 0 && size % 3 == 0 ? 3 : 1;
      if (size > 0) sizes[static_cast<std::size_t>(i)] = size / factor;
      sizes.insert(sizes.begin() + i + d.Between(0, 1), factor);
      break;
    }
    case 3:
      std::ranges::reverse(sizes);
      break;
    case 4:
      sizes = {
          std::ranges::any_of(sizes, [](auto size) { return size < 0; })
              ? kOther
              : std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>())};
      break;
    default:
      break;
  }
  ReshapeTo(d, x, sizes);
}

void Unsqueeze(Drawing& d, Moved& x) {
  const std::int64_t axis = d.Between(0, std::ssize(x.sizes));
  x.value = d.Node("Unsqueeze",
                   {x.value, d.Ints({d.Chance(25) ? axis - std::ssize(x.sizes) - 1 : axis})});
  x.sizes.insert(x.sizes.begin() + axis, 1);
}

void Squeeze(Drawing& d, Moved& x) {
  std::vector<std::int64_t> axes;
  Sizes left;
  for (std::size_t i = 0; i < x.sizes.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    if (x.sizes[i] == 1 && d.Chance(70)) {
      axes.push_back(d.Chance(25) ? axis - std::ssize(x.sizes) : axis);
    } else {
      left.push_back(x.sizes[i]);
    }
  }
  if (axes.empty()) return;
  const bool all = std::ranges::find(left, 1) == left.end();
  x.value = all && d.Chance(15) ? d.Node("Squeeze", {x.value})
                                : d.Node("Squeeze", {x.value, d.Ints(axes)});
  x.sizes = left;
}

void Flatten(Drawing& d, Moved& x) {
  const std::int64_t axis = d.Between(0, std::ssize(x.sizes));
  const auto product = [&](std::size_t from, std::size_t to) {
    std::int64_t count = 1;
    for (std::size_t i = from; i < to; ++i) {
      const std::int64_t size = x.sizes[i];
      count = size == 1 ? count : count == 1 ? size : size < 0 || count < 0 ? kOther : count * size;
    }
    return count;
  };
  const auto at = static_cast<std::size_t>(axis);
  const Sizes sizes = {product(0, at), product(at, x.sizes.size())};
  x.value = d.Node("Flatten", {x.value}, fmt::format("axis = {}", axis));
  x.sizes = sizes;
}

void Transpose(Drawing& d, Moved& x) {
  std::vector<std::int64_t> perm(x.sizes.size());
  std::iota(perm.begin(), perm.end(), 0);
  std::ranges::reverse(perm);
  const bool stated = d.Chance(85);
  if (stated && !perm.empty()) {
    if (d.Chance(50)) std::ranges::reverse(perm);
    if (d.Chance(70))
      std::swap(perm[static_cast<std::size_t>(d.Axis(perm.size()) & 1) % perm.size()], perm.back());
    if (d.Chance(30)) std::swap(perm.front(), d.Chance(50) ? perm[perm.size() / 2] : perm.back());
  }
  Sizes sizes;
  for (std::int64_t axis : perm) sizes.push_back(x.sizes[static_cast<std::size_t>(axis)]);
  x.value = d.Node("Transpose", {x.value},
                   stated && !perm.empty() ? fmt::format("perm = [{}]", List(perm)) : "");
  x.sizes = sizes;
}

Sizes SizesToMove(Drawing& d) {
  Sizes sizes = d.AnySizes(0, 4);
  for (std::int64_t& size : sizes) {
    if (d.Chance(20)) size = d.Chance(50) ? 4 : 6;
    if (d.Chance(25)) size = 1;
  }
  return sizes;
}

void Chain(Drawing& d, int transposes) {
  const Sizes begin = SizesToMove(d);
  const std::string dtype = d.Chance(80) ? "f32" : d.NumberType();
  Moved x{d.Input(dtype, begin), begin};
  if (d.Chance(30)) x.value = d.Node("Neg", {x.value});
  for (std::int64_t i = d.Between(1, 5); i > 0; --i) {
    if (d.Chance(transposes)) {
      Transpose(d, x);
      continue;
    }
    switch (d.Between(0, 5)) {
      case 0:
        Unsqueeze(d, x);
        break;
      case 1:
        Squeeze(d, x);
        break;
      case 2:
        d.Chance(50) ? Flatten(d, x) : Unsqueeze(d, x);
        break;
      default:
        Reshape(d, x, begin);
    }
  }
  if (d.Chance(40)) ReshapeTo(d, x, begin);
  d.MaybeRead(x.value);
}

void Reshapes(Drawing& d) { Chain(d, 5); }
void MovesOfOnes(Drawing& d) { Chain(d, 45); }

void TransposeChain(Drawing& d) {
  Moved x{"", SizesToMove(d)};
  const bool known = std::ranges::all_of(x.sizes, [](std::int64_t size) { return size >= 0; });
  const std::string dtype = d.NumberType();
  x.value = known && d.Chance(50) ? d.Weight(dtype, x.sizes) : d.Input(dtype, x.sizes);
  for (std::int64_t i = d.Between(1, 3); i > 0; --i) {
    Transpose(d, x);
    if (d.Chance(15)) x.value = d.Node("Neg", {x.value});
  }
  d.MaybeRead(x.value);
}

void Slice(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  const std::string x = d.Input(d.NumberType(), sizes);
  std::vector<std::int64_t> starts, ends, axes, steps;
  bool states_steps = false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!axes.empty() && d.Chance(40)) continue;
    const auto axis = static_cast<std::int64_t>(i);
    const std::int64_t size = sizes[i] < 0 ? 3 : sizes[i];
    axes.push_back(d.Chance(25) ? axis - std::ssize(sizes) : axis);
    const bool reversed = d.Chance(15);
    states_steps = states_steps || reversed;
    steps.push_back(reversed ? -1 : d.Chance(8) ? 2 : 1);
    states_steps = states_steps || steps.back() != 1;
    starts.push_back(reversed       ? (d.Chance(50) ? kFar : -1)
                     : d.Chance(75) ? (d.Chance(70) ? 0 : -size)
                                    : d.Between(-3, 3));
    ends.push_back(reversed       ? (d.Chance(70) ? -kFar : d.Between(-4, 0))
                   : d.Chance(75) ? (d.Chance(50) ? size : kFar)
                                  : d.Between(-3, 4));
  }
  Names operands = {x, d.Ints(starts), d.Ints(ends)};
  const bool in_order = axes.front() == 0 && axes.size() == 1;
  if (!in_order || d.Chance(70) || states_steps) operands.push_back(d.Ints(axes));
  if (states_steps || (operands.size() == 4 && d.Chance(30))) operands.push_back(d.Ints(steps));
  d.MaybeRead(d.Node("Slice", operands));
}

void Pad(Drawing& d) {
  const Sizes sizes = d.AnySizes(0, 3);
  const std::string dtype = d.NumberType();
  std::vector<std::int64_t> pads(2 * sizes.size(), 0);
  for (std::int64_t& pad : pads) {
    if (d.Chance(8)) pad = d.Between(-1, 1);
  }
  Names operands = {d.Input(dtype, sizes), d.Ints(pads)};
  if (d.Chance(30)) operands.push_back(d.Numbers(dtype, {}));
  const std::string mode = d.Of({"constant", "edge", "reflect", "wrap"});
  d.MaybeRead(d.Node("Pad", operands, d.Chance(50) ? "mode = \"" + mode + "\"" : ""));
}

void Expand(Drawing& d) {
  const Sizes sizes = d.AnySizes(0, 3);
  const std::string x = d.Input(d.NumberType(), sizes);
  std::string target;
  if (d.Chance(40)) {
    const Sizes other = d.Chance(60) ? sizes : d.AnySizes(0, 3);
    target = d.Node("Shape", {d.Input("f32", other)});
  } else {
    std::vector<std::int64_t> numbers;
    for (std::int64_t size : sizes) {
      numbers.push_back(size < 0 || d.Chance(30) ? 1 : d.Chance(90) ? size : d.Between(1, 3));
    }
    if (d.Chance(10)) numbers.insert(numbers.begin(), d.Between(1, 2));
    if (d.Chance(20) && !numbers.empty()) numbers.erase(numbers.begin());
    target = d.Ints(numbers);
  }
  d.MaybeRead(d.Node("Expand", {x, target}));
}

// A product of which one operand, or both, may be repeated in front of its matrices, or within.
void ProductOfExpanded(Drawing& d) {
  const std::string dtype = d.FloatType();
  const Sizes batch = d.AnySizes(0, 2);
  const std::int64_t inner = d.KnownSize();
  std::vector<std::string> operands;
  for (const bool is_left : {true, false}) {
    Sizes sizes = d.Chance(70) ? batch : d.AnySizes(0, 2);
    sizes.push_back(is_left ? d.Size() : inner);
    sizes.push_back(is_left ? inner : d.KnownSize());
    if (d.Chance(50)) {
      operands.push_back(d.Input(dtype, sizes));
      continue;
    }
    std::vector<std::int64_t> target;
    for (std::int64_t size : sizes) target.push_back(size < 0 ? 2 : size);
    const bool keeps = d.Chance(80);
    Sizes own = keeps ? Sizes(sizes.end() - 2, sizes.end()) : Sizes{1, sizes.back()};
    for (std::size_t i = sizes.size() - 2; i-- > 0 && d.Chance(50);)
      own.insert(own.begin(), d.Chance(50) ? 1 : sizes[i]);
    if (own[own.size() - 2] < 0) own[own.size() - 2] = target[target.size() - 2] = d.KnownSize();
    operands.push_back(d.Node("Expand", {d.Weight(dtype, own), d.Ints(target)}));
  }
  d.MaybeRead(d.Node("MatMul", {operands[0], operands[1]}));
}

void SumOfExpanded(Drawing& d) {
  const std::string dtype = d.NumberType();
  const Sizes sizes = d.AnySizes(1, 3);
  Names operands;
  for (int i = 0; i < 2; ++i) {
    Sizes own = sizes;
    for (std::int64_t& size : own) size = d.Chance(40) ? 1 : size;
    if (d.Chance(30)) own.erase(own.begin());
    if (d.Chance(40)) {
      operands.push_back(d.Input(dtype, d.Chance(70) ? sizes : own));
      continue;
    }
    std::vector<std::int64_t> target;
    for (const std::int64_t size : sizes) target.push_back(size < 0 ? 2 : size);
    operands.push_back(d.Node("Expand", {d.Input(dtype, own), d.Ints(target)}));
  }
  d.MaybeRead(d.Node(d.Of({"Add", "Sub", "Greater", "Max"}), operands));
}

void Reduction(Drawing& d) {
  Sizes sizes = d.AnySizes(0, 3);
  for (std::int64_t& size : sizes) size = d.Chance(50) ? 1 : size;
  const auto rank = std::ssize(sizes);
  if (rank == 3 && d.Chance(25)) {
    const Names operands = {d.Input(d.FloatType(), sizes)};
    d.MaybeRead(d.Node(d.Of({"GlobalAveragePool", "GlobalMaxPool"}), operands));
    return;
  }
  std::vector<std::int64_t> axes;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const bool is_one = sizes[static_cast<std::size_t>(axis)] == 1;
    if (d.Chance(is_one ? 70 : 10)) axes.push_back(d.Chance(25) ? axis - rank : axis);
  }
  Names operands = {d.Input(d.NumberType(), sizes)};
  if (!axes.empty() || d.Chance(30)) operands.push_back(d.Ints(axes));
  const std::string type = d.Of(
      {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2"});
  d.MaybeRead(d.Node(type, operands, d.Chance(20) ? "keepdims = 0" : ""));
}

void Tile(Drawing& d) {
  const Sizes sizes = d.AnySizes(0, 3);
  std::vector<std::int64_t> times(sizes.size(), 1);
  for (std::int64_t& count : times) {
    if (d.Chance(10)) count = d.Between(0, 2);
  }
  d.MaybeRead(d.Node("Tile", {d.Input(d.NumberType(), sizes), d.Ints(times)}));
}

void Identical(Drawing& d) {
  Moved x{"", d.AnySizes(0, 3)};
  x.value = d.Input(d.NumberType(), x.sizes);
  if (d.Chance(30)) {
    Transpose(d, x);
  } else {
    std::vector<std::int64_t> perm(x.sizes.size());
    std::iota(perm.begin(), perm.end(), 0);
    const bool stated = d.Chance(70) && !perm.empty();
    x.value = d.Node("Transpose", {x.value}, stated ? fmt::format("perm = [{}]", List(perm)) : "");
  }
  d.MaybeRead(x.value);
}

void UnsqueezeBetweenTransposes(Drawing& d) {
  Moved x{"", d.AnySizes(1, 3)};
  x.value = d.Input(d.NumberType(), x.sizes);
  if (d.Chance(60)) Transpose(d, x);
  const auto rank = std::ssize(x.sizes);
  const std::int64_t count = d.Between(1, 2);
  std::vector<std::int64_t> axes;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t axis = d.Between(0, rank + count - 1);
    if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
  }
  for (std::int64_t& axis : axes) {
    if (d.Chance(20)) axis -= rank + std::ssize(axes);
  }
  const std::string wide = d.Node("Unsqueeze", {x.value, d.Ints(axes)});
  if (d.Chance(8)) d.Node("Neg", {wide});
  std::vector<std::int64_t> perm(static_cast<std::size_t>(rank + std::ssize(axes)));
  std::iota(perm.begin(), perm.end(), 0);
  for (std::size_t i = perm.size(); i > 1; --i)
    std::swap(perm[i - 1],
              perm[static_cast<std::size_t>(d.Between(0, static_cast<std::int64_t>(i) - 1))]);
  d.MaybeRead(d.Node("Transpose", {wide}, fmt::format("perm = [{}]", List(perm))));
}

// A Reshape, and axes of size 1 that go or come after it.
void SplitBySqueeze(Drawing& d) {
  const std::int64_t rows = d.Chance(80) ? d.Between(1, 3) : kN, columns = 2 * d.Between(1, 3);
  Moved x{"", {rows, columns}};
  x.value = d.Input("f32", x.sizes);
  ReshapeTo(d, x, d.Chance(80) ? Sizes{rows, 1, columns / 2, 2} : Sizes{rows, columns, 1, 1});
  if (d.Chance(10)) d.Node("Neg", {x.value});
  const std::string axes = d.Ints({d.Chance(90) ? 1 : 2});
  d.MaybeRead(d.Node(d.Chance(60) ? "Squeeze" : "Unsqueeze", {x.value, axes}));
}

// Axes that are joined, turned and taken apart again, perhaps otherwise.
void SplitBehindTranspose(Drawing& d) {
  const std::int64_t batch = d.Chance(80) ? 2 : kN, heads = d.Chance(80) ? 2 : 1;
  const std::int64_t rows = d.Chance(80) ? d.Between(1, 3) : kM, features = d.Between(1, 3);
  Moved x{"", {batch, heads, rows, features}};
  x.value = d.Input("f32", x.sizes);
  const std::int64_t joined = batch > 0 ? batch * heads : kOther;
  ReshapeTo(d, x, d.Chance(85) ? Sizes{joined, rows, features} : Sizes{batch, heads, -1});
  const auto rank = std::ssize(x.sizes);
  x.value = d.Node("Transpose", {x.value},
                   rank == 3 && d.Chance(80) ? "perm = [0, 2, 1]"
                                             : d.Of({"perm = [1, 0, 2]", "perm = [2, 1, 0]"}));
  if (d.Chance(8)) d.Node("Neg", {x.value});
  ReshapeTo(d, x,
            d.Chance(80)   ? Sizes{batch, heads, features, rows}
            : d.Chance(50) ? Sizes{heads, batch, 1, features, rows}
                           : Sizes{batch, heads * features, rows});
  d.MaybeRead(x.value);
}

// Rows or elements at places that are a grid, or nearly one.
void Places(Drawing& d) {
  const std::int64_t depth = d.Between(1, 3);
  Sizes sizes(static_cast<std::size_t>(depth), 3);
  if (d.Chance(40)) sizes.push_back(2);
  if (d.Chance(10)) sizes[0] = kN;
  Sizes axes;  // of the grid
  for (std::int64_t i = 0; i < depth; ++i) {
    axes.push_back(d.Between(1, 3));
    if (d.Chance(30)) axes.push_back(1);
  }
  const bool turned = d.Chance(10);
  Sizes indexed = axes;
  indexed.push_back(depth);
  // Which axis of the grid counts component i: the i-th that is not an inserted 1, as a rule.
  std::int64_t at = 0;
  const std::int64_t first = d.Between(-2, 0), odd = d.Chance(85) ? -1 : d.Between(0, 6);
  const std::string indices =
      d.Chance(90)
          ? d.Constant("i64", indexed,
                       [&]() -> double {
                         const std::int64_t component = at % depth;
                         std::int64_t row = at++ / depth;
                         std::int64_t along = turned ? depth - 1 - component : component;
                         Sizes places;
                         for (auto size = axes.rbegin(); size != axes.rend(); ++size) {
                           places.insert(places.begin(), row % *size);
                           row /= *size;
                         }
                         along = std::min(along, std::ssize(places) - 1);
                         const std::int64_t place = places[static_cast<std::size_t>(along)];
                         return static_cast<double>(at == odd ? 0 : place + first);
                       })
          : d.Input("i64", indexed, {.low = -1, .high = 1});
  d.MaybeRead(d.Node("GatherND", {d.Input(d.NumberType(), sizes), indices}));
}

}  // namespace

std::span<const DrawnPattern> DrawnMoves() {
  static constexpr DrawnPattern kDrawn[] = {
      {"lift-unsqueeze", UnsqueezeBetweenTransposes},
      {"remove-reshape-back", Reshapes},
      {"merge-reshapes", Reshapes},
      {"reshape-at-once", SplitBySqueeze},
      {"state-reshape-sizes", Reshapes},
      {"split-before-transpose", SplitBehindTranspose},
      {"read-single-places", Places},
      {"read-grid-of-places", Places},
      {"merge-moves-of-ones", MovesOfOnes},
      {"merge-transposes", TransposeChain},
      {"transpose-weight", TransposeChain},
      {"remove-slice", Slice},
      {"remove-pad", Pad},
      {"remove-expand", Expand},
      {"remove-expand-of-product", ProductOfExpanded, Exactness::kRounded},
      {"remove-expand-of-elementwise", SumOfExpanded},
      {"remove-tile", Tile},
      {"remove-reduction", Reduction},
      {"remove-transpose", Identical},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn
