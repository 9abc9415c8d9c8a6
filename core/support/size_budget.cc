// SPDX-License-Identifier: Apache-2.0
#include "core/support/size_budget.h"

#include <utility>

#include <fmt/format.h>

namespace dragoman {
namespace {

thread_local SizeBudget* current = nullptr;

// A step takes about a microsecond, so that kAtLeast is a few seconds.
constexpr std::uint64_t kBytesOfStep = 64;

}  // namespace

Status SizeBudget::Take(std::uint64_t bytes) {
  if (bytes > limit_ - taken_) {
    return Unsupported(
        fmt::format("a small part of the file stands for so much that expanding it takes more than "
                    "{} MB; --expand-limit raises that",
                    limit_ / 1'000'000));
  }
  taken_ += bytes;
  return {};
}

SizeBudgetScope::SizeBudgetScope(SizeBudget& budget) : outer_(std::exchange(current, &budget)) {}
SizeBudgetScope::~SizeBudgetScope() { current = outer_; }

Status TakeExpanded(std::uint64_t stored, std::uint64_t bytes) {
  if (bytes <= stored) return {};
  SizeBudget alone(SizeBudget::kAtLeast);
  return (current != nullptr ? *current : alone).Take(bytes - stored);
}

Status TakeSteps(std::uint64_t count) {
  return TakeExpanded(0, count > UINT64_MAX / kBytesOfStep ? UINT64_MAX : count * kBytesOfStep);
}

}  // namespace dragoman
