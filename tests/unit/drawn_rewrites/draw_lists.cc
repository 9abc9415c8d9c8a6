// SPDX-License-Identifier: Apache-2.0
// Sequences, and what is read of them.
#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

struct Split {
  std::string list;
  std::int64_t count = 0;  // of its elements; 0: open
  std::int64_t rank = 0;   // of an element
};

Split SplitTensor(Drawing& d) {
  Sizes sizes = d.AnySizes(1, 3);
  const std::int64_t axis = d.Axis(sizes.size());
  std::int64_t& size = sizes[static_cast<std::size_t>(axis < 0 ? axis + std::ssize(sizes) : axis)];
  if (size >= 0) size = d.Chance(6) ? 0 : d.Between(1, 5);
  Names operands = {d.Input(d.NumberType(), sizes)};
  Split split{"", size < 0 ? 0 : size, std::ssize(sizes)};
  const bool drops = d.Chance(30);
  std::string attributes = fmt::format("axis = {}", axis);
  if (drops || d.Chance(20)) attributes += fmt::format(", keepdims = {}", drops ? 0 : 1);
  if (d.Chance(60)) {
    if (drops) --split.rank;
  } else if (size < 0 || d.Chance(50)) {
    const std::int64_t part = d.Between(1, 3);
    operands.push_back(d.Int(part));
    split.count = size < 0 ? 0 : (size + part - 1) / part;
  } else {
    std::vector<std::int64_t> parts;
    const bool ones = d.Chance(50);
    for (std::int64_t left = size; left > 0; left -= parts.back()) {
      parts.push_back(ones ? 1 : d.Between(0, left));
    }
    split.count = std::ssize(parts);
    operands.push_back(d.Ints(parts));
  }
  if (split.count == 0 && size >= 0) split.count = 0;
  split.list = d.Hidden("SplitToSequence", operands, attributes);
  return split;
}

std::string Place(Drawing& d, std::int64_t count) {
  const std::int64_t known = count > 0 ? count : 2;
  if (d.Chance(15)) return d.Input("i64", {}, {.low = 0, .high = static_cast<double>(known - 1)});
  return d.Int(d.Chance(30) ? -d.Between(1, known) : d.Between(0, known - 1));
}

void ReadJoined(Drawing& d, const std::string& list, std::int64_t rank) {
  const bool fresh = d.Chance(50);
  const std::int64_t axes = rank + (fresh ? 1 : 0);
  std::string attributes = fmt::format("axis = {}", d.Axis(static_cast<std::size_t>(axes)));
  if (fresh || d.Chance(15)) attributes += fmt::format(", new_axis = {}", fresh ? 1 : 0);
  d.MaybeRead(d.Node("ConcatFromSequence", {list}, attributes));
}

void ReadList(Drawing& d, const std::string& list, std::int64_t count, std::int64_t rank) {
  for (std::int64_t i = d.Between(1, 2); i > 0; --i) {
    switch (d.Between(0, 3)) {
      case 0:
        d.Node("SequenceLength", {list});
        break;
      case 1:
        ReadJoined(d, list, rank);
        break;
      default:
        d.MaybeRead(d.Node("SequenceAt", {list, Place(d, count)}));
    }
  }
}

void OfSplit(Drawing& d) {
  const Split split = SplitTensor(d);
  ReadList(d, split.list, split.count, split.rank);
}

void OfElements(Drawing& d) {
  const Sizes sizes = d.AnySizes(0, 3);
  const std::string dtype = d.NumberType();
  const auto element = [&] {
    const std::string x = d.Weight(dtype, d.Chance(93) ? sizes : d.AnySizes(0, 3));
    return d.Chance(30) ? d.Node("Neg", {x}) : x;
  };
  std::int64_t count = d.Chance(20) ? 0 : d.Between(1, 3);
  std::string list;
  if (d.Chance(20)) {
    list = d.Hidden("SplitToSequence", {d.Input(dtype, {-1})}, "keepdims = 0");
    count = 2;
  } else if (count == 0) {
    list = d.Hidden("SequenceEmpty", {}, fmt::format("dtype = {}", TypeNumber(dtype)));
  } else {
    Names elements;
    for (std::int64_t i = 0; i < count; ++i) elements.push_back(element());
    list = d.Hidden("SequenceConstruct", elements);
  }
  for (std::int64_t i = d.Between(0, 3); i > 0; --i) {
    const bool has_place = d.Chance(60);
    if (count > 0 && d.Chance(30)) {
      list = d.Hidden("SequenceErase", has_place ? Names{list, Place(d, count)} : Names{list});
      --count;
    } else {
      const std::string x = element();
      list = d.Hidden("SequenceInsert",
                      has_place ? Names{list, x, Place(d, count + 1)} : Names{list, x});
      ++count;
    }
    if (d.Chance(10)) d.Node("SequenceLength", {list});
  }
  ReadList(d, list, count, std::ssize(sizes));
}

}  // namespace

std::span<const DrawnPattern> DrawnLists() {
  static constexpr DrawnPattern kDrawn[] = {
      {"read-element-of-split", OfSplit}, {"read-part-of-split", OfSplit},
      {"read-length-of-split", OfSplit},  {"join-split", OfSplit},
      {"join-elements", OfElements},      {"read-element", OfElements},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn
