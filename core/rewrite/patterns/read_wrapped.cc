// SPDX-License-Identifier: Apache-2.0
// Padding by the other end of an axis, as decomposed programs spell it: the ends are cut out of a
// tensor with room for them, and joined to it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/spelling_patterns.h"

namespace dragoman {
namespace {

using IntList = std::vector<std::int64_t>;

// Elements `begin` to `end` of a value along an axis.
struct AxisPart {
  Value* value = nullptr;
  std::int64_t begin = 0, end = 0;

  std::int64_t size() const { return end - begin; }
};

// The begin of a Slice that takes a part of `axis` alone, one element after the other.
std::optional<std::int64_t> BeginOfSlice(const Node& node, int axis, const PassContext& context) {
  const auto begins = IntsOf(context, node.operand(1)), axes = IntsOf(context, node.operand(3));
  if (!node.Is("Slice") || node.operand(4) != nullptr || !begins || !axes) return std::nullopt;
  const bool fits = axes->size() == 1 && FromFront(axes->front(), *node.operand(0)) == axis;
  return fits && begins->front() >= 0 ? std::optional(begins->front()) : std::nullopt;
}

// A value along one axis as parts of others, by Concats and Slices along that axis.
class PartReader {
 public:
  PartReader(int axis, const PassContext& context) : axis_(axis), context_(context) {}

  // nullopt: too many parts, or of unknown sizes.
  std::optional<std::vector<AxisPart>> Read(Value& value) {
    const auto size = SizeAlong(value, axis_);
    if (!size) return std::nullopt;
    std::vector<AxisPart> open = {{&value, 0, *size}};  // the next one last
    for (std::size_t steps = 0; !open.empty(); ++steps) {
      if (steps == kMaxSteps) return std::nullopt;
      const AxisPart part = open.back();
      open.pop_back();
      if (!Open(part, open)) Add(part);
    }
    return parts_;
  }

 private:
  static constexpr std::size_t kMaxSteps = 64;

  // Whether what `part` consists of was entered, the first part last.
  bool Open(const AxisPart& part, std::vector<AxisPart>& open) const {
    const Node* node = part.value->producer();
    if (node == nullptr) return false;
    if (const auto begin = BeginOfSlice(*node, axis_, context_)) {
      open.push_back({node->operand(0), part.begin + *begin, part.end + *begin});
      return true;
    }
    const auto joined = ReadJoined(*part.value);
    if (!joined || joined->axis != axis_) return false;
    for (std::size_t i = joined->size(); i-- > 0;) {
      const std::int64_t begin = std::max(part.begin, joined->begins[i]) - joined->begins[i];
      const std::int64_t end = std::min(part.end, joined->begins[i + 1]) - joined->begins[i];
      if (begin < end) open.push_back({node->operand(i), begin, end});
    }
    return true;
  }

  void Add(const AxisPart& part) {
    const bool goes_on =
        !parts_.empty() && parts_.back().value == part.value && parts_.back().end == part.begin;
    if (goes_on) {
      parts_.back().end = part.end;
    } else {
      parts_.push_back(part);
    }
  }

  const int axis_;
  const PassContext& context_;
  std::vector<AxisPart> parts_;
};

// What is padded by its own ends; shorter than it is on both sides.
struct Wrapped {
  AxisPart whole;
  std::int64_t before = 0, behind = 0;
};

std::optional<Wrapped> ReadWrapped(const std::vector<AxisPart>& parts) {
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  const auto longest = std::ranges::max_element(parts, {}, &AxisPart::size);
  const auto place = longest - parts.begin();
  if (place > 1 || std::ssize(parts) - place > 2) return std::nullopt;
  Wrapped wrapped{*longest};
  for (const AxisPart& part : parts) {
    if (&part == &*longest) continue;
    const bool is_before = &part < &*longest;
    const bool fits = part.value == longest->value && part.size() < longest->size() &&
                      (is_before ? part.end == longest->end : part.begin == longest->begin);
    if (!fits) return std::nullopt;
    (is_before ? wrapped.before : wrapped.behind) = part.size();
  }
  return wrapped;
}

// Concat(x[-a :], x, x[: b]) = Pad(x, (a, b), mode = wrap), along axes of images: those of
// sequences and batches are read by what looks for recurrences
Result<bool> ReadWrap(Node& node, PassContext& context) {
  if (!node.Is("Concat") || !node.result()->type().rank()) return false;
  constexpr int kFirstSpatial = 2;
  const int axis = AxisIn(node, *node.result());
  if (axis < kFirstSpatial) return false;
  const auto parts = PartReader(axis, context).Read(*node.result());
  const auto wrapped = parts ? ReadWrapped(*parts) : std::nullopt;
  if (!wrapped) return false;
  const auto& [whole, before, behind] = *wrapped;
  Value* x = whole.value;
  if (whole.size() != SizeAlong(*x, axis)) {
    DRAGOMAN_ASSIGN(x, InsertSlice(x, whole.begin, whole.end, axis, node, context));
  }
  const auto constant = [&](IntList numbers, const char* name) {
    return context.AddConstant(*node.graph(), Tensor::Ints(numbers), name, node.origin());
  };
  DRAGOMAN_ASSIGN(
      Value * y,
      context.Insert(node, "Pad",
                     {{x, constant({before, behind}, "pads"), nullptr, constant({axis}, "axes")}},
                     {{"mode", "wrap"}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> WrapPatterns() {
  static constexpr Pattern kPatterns[] = {{"read-wrap", ReadWrap}};
  return kPatterns;
}

}  // namespace dragoman
