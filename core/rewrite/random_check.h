// SPDX-License-Identifier: Apache-2.0
// Judges a rewrite: runs an entry before and after it on random data.
//
// Symbolic sizes are small and at least 1. Integers are small too, since most are lengths or
// indices. Data that the entry refuses before the rewrite prove nothing; others are drawn instead.
#ifndef DRAGOMAN_CORE_REWRITE_RANDOM_CHECK_H_
#define DRAGOMAN_CORE_REWRITE_RANDOM_CHECK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/ir/model.h"

namespace dragoman {

class RandomCheck {
 public:
  // Keeps a copy of `entry` of the common `model`, whose types are inferred, to compare with.
  // nullopt: it cannot be run on random data (unknown ranks, inputs other than numbers, random
  // operators, operators without a kernel), or one run takes more than about `max_work` elementary
  // operations.
  static std::optional<RandomCheck> Make(const Model& model, const Entry& entry,
                                         std::int64_t max_work);

  // What the graph of the entry gives otherwise than before: "output 'y' is 0.5 at [0, 1], was
  // 0.25, for batch = 3". Empty if no difference was found that rounding does not explain; one draw
  // that no other confirms may be due to a comparison of rounded numbers and does not count.
  // Deterministic.
  std::string FindDifference(const Graph& after) const;
  // The graph of the entry as it was.
  const Graph& before() const { return *before_.entries.front().graph; }

 private:
  explicit RandomCheck(Model before) : before_(std::move(before)) {}

  Model before_;  // with one entry
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RANDOM_CHECK_H_
