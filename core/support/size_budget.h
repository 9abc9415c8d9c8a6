// SPDX-License-Identifier: Apache-2.0
// How much memory and time a model may take beyond what its files hold. A few bytes of a file can
// stand for many: sparse tensors, one value for all elements, views that share a storage,
// containers that hold the same container many times, functions that call one another twice, loops.
// Whoever expands such a form, or runs a part of a program to read or lower it, draws on the budget
// first.
#ifndef DRAGOMAN_CORE_SUPPORT_SIZE_BUDGET_H_
#define DRAGOMAN_CORE_SUPPORT_SIZE_BUDGET_H_

#include <algorithm>
#include <cstdint>

#include "core/support/result.h"

namespace dragoman {

class SizeBudget {
 public:
  static constexpr std::uint64_t kAtLeast = std::uint64_t{256} << 20;
  static constexpr std::uint64_t kTimes = 64;

  // All that is expanded may take `limit` bytes.
  explicit SizeBudget(std::uint64_t limit) : limit_(limit) {}
  // kTimes the bytes of the files, and kAtLeast in any case.
  static constexpr std::uint64_t LimitOf(std::uint64_t file_bytes) {
    return std::max(kAtLeast, file_bytes > UINT64_MAX / kTimes ? UINT64_MAX : file_bytes * kTimes);
  }

  // Errors: unsupported; it is used up.
  Status Take(std::uint64_t bytes);

 private:
  std::uint64_t limit_;
  std::uint64_t taken_ = 0;
};

// While it lives, what this thread expands draws on `budget`.
class SizeBudgetScope {
 public:
  explicit SizeBudgetScope(SizeBudget& budget);
  SizeBudgetScope(const SizeBudgetScope&) = delete;
  SizeBudgetScope& operator=(const SizeBudgetScope&) = delete;
  ~SizeBudgetScope();

 private:
  SizeBudget* outer_;
};

// Draws the memory of something that takes `bytes` and of which the file holds `stored`. Outside of
// all scopes each is judged alone, by SizeBudget::kAtLeast.
Status TakeExpanded(std::uint64_t stored, std::uint64_t bytes);

// Draws what `count` nodes take that are run, or written out, while a program is read or lowered.
Status TakeSteps(std::uint64_t count);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_SIZE_BUDGET_H_
