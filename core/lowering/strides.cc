// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/strides.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace dragoman {
namespace {

// Whether a and b are equal in a tensor that has elements: its sizes are 1 at least.
Truth EqualIfAny(const Dim& a, const Dim& b) {
  const Truth always = Equal(a, b);
  if (always != Truth::kUnknown || a.unknown() || b.unknown()) return always;
  std::map<std::string, Dim> positive;
  for (const Dim* dim : {&a, &b}) {
    for (const std::string& name : dim->Symbols()) positive.emplace(name, Dim::Symbol(name) + 1);
  }
  return Equal(a.Substitute(positive), b.Substitute(positive));
}

bool MayBeOne(const Dim& size) { return Equal(size, 1) != Truth::kNo; }

Truth And(Truth a, Truth b) {
  if (a == Truth::kNo || b == Truth::kNo) return Truth::kNo;
  return a == Truth::kYes && b == Truth::kYes ? Truth::kYes : Truth::kUnknown;
}

// Axes [from, from_end) of the old sizes that become axes [to, to_end) of the new ones.
struct AxisGroup {
  std::size_t from = 0;
  std::size_t from_end = 0;
  std::size_t to = 0;
  std::size_t to_end = 0;
};

// The next axes, as few as possible, that have as many elements in the new sizes as in the old.
AxisGroup NextGroup(const Shape& from, const Shape& to, std::size_t first, std::size_t first_to) {
  AxisGroup group{first, first + 1, first_to, first_to};
  Dim before = from[first];
  Dim after = 1;
  while (Equal(before, after) != Truth::kYes) {
    const bool grows_after = LessEqual(after, before) == Truth::kYes;
    if (grows_after && group.to_end < to.size()) {
      after = after * to[group.to_end++];
    } else if (LessEqual(before, after) == Truth::kYes && group.from_end < from.size()) {
      before = before * from[group.from_end++];
    } else {
      return {first, from.size(), first_to, to.size()};
    }
  }
  return group;
}

// Whether the old axes of `group` lie as if they were one.
Truth LiesAsOne(const std::vector<Dim>& steps, const Shape& from, const AxisGroup& group) {
  Truth all = Truth::kYes;
  bool is_known = true;
  for (std::size_t i = group.from; i < group.from_end; ++i) {
    is_known = is_known && from[i].known();
    if (i + 1 < group.from_end) all = And(all, EqualIfAny(steps[i], from[i + 1] * steps[i + 1]));
  }
  // Sizes that only run time knows may part the group further, or be 1.
  return all == Truth::kNo && !is_known ? Truth::kUnknown : all;
}

}  // namespace

Truth IsRowMajor(const Strides& strides, const Shape* sizes) {
  if (strides.row_major) return Truth::kYes;
  if (sizes == nullptr) return Truth::kUnknown;
  if (strides.steps.empty() && !sizes->empty()) {
    const bool is_small =
        std::all_of(sizes->begin(), sizes->end(), [](const Dim& size) { return size == Dim(1); });
    return is_small ? Truth::kYes : Truth::kUnknown;
  }
  return SameSteps(strides.steps, StepsOf(Strides(), *sizes), *sizes);
}

Truth SameSteps(const std::vector<Dim>& a, const std::vector<Dim>& b, const Shape& sizes) {
  Truth all = Truth::kYes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == Dim(1)) continue;
    const Truth same = EqualIfAny(a[i], b[i]);
    all = And(all, same == Truth::kNo && MayBeOne(sizes[i]) ? Truth::kUnknown : same);
  }
  return all;
}

Strides MakeStrides(std::vector<Dim> steps, const Shape& sizes) {
  Strides strides{false, std::move(steps)};
  return IsRowMajor(strides, &sizes) == Truth::kYes ? Strides() : strides;
}

std::vector<Dim> StepsOf(const Strides& strides, const Shape& sizes) {
  if (!strides.row_major) {
    return strides.steps.size() == sizes.size() ? strides.steps : std::vector<Dim>(sizes.size());
  }
  std::vector<Dim> steps(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;) steps[i - 1] = steps[i] * sizes[i];
  return steps;
}

Strides JoinStrides(const Strides& a, const Strides& b) {
  if (a.row_major && b.row_major) return a;
  const bool same = a.row_major == b.row_major && a.steps == b.steps;
  return same ? a : Strides::Unknown();
}

Resized Resize(const std::vector<Dim>& steps, const Shape& from, const Shape& to) {
  Shape sizes;
  std::vector<Dim> apart;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == Dim(1)) continue;
    sizes.push_back(from[i]);
    apart.push_back(steps[i]);
  }
  Resized resized{Truth::kYes, std::vector<Dim>(to.size())};
  std::size_t next_to = 0;
  for (std::size_t next = 0; next < sizes.size();) {
    const AxisGroup group = NextGroup(sizes, to, next, next_to);
    const Truth as_one = LiesAsOne(apart, sizes, group);
    resized.shares = And(resized.shares, as_one);
    Dim step = as_one == Truth::kYes ? apart[group.from_end - 1] : Dim();
    for (std::size_t i = group.to_end; i-- > group.to;) {
      resized.steps[i] = step;
      step = step * to[i];
    }
    next = group.from_end;
    next_to = group.to_end;
  }
  return resized;
}

}  // namespace dragoman
