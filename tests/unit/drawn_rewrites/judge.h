// SPDX-License-Identifier: Apache-2.0
// Runs a drawn model before and after a rewrite, on several data, and says how they differ.
#ifndef DRAGOMAN_TESTS_UNIT_DRAWN_REWRITES_JUDGE_H_
#define DRAGOMAN_TESTS_UNIT_DRAWN_REWRITES_JUDGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/ir/model.h"
#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {

class Judge {
 public:
  // Runs `before` on data drawn from `seed`. Open sizes are `least_size` or more; infinities and
  // the like are among the data if `edges`.
  Judge(const Model& before, const Drawing& drawing, std::uint64_t seed, std::int64_t least_size,
        bool edges);

  // Whether the model can be run on any of the data.
  bool HasRuns() const { return !runs_.empty(); }
  // What `after` gives otherwise; empty if it is the same.
  std::string FindDifference(const Model& after, Exactness exactness) const;

 private:
  struct Run {
    std::string sizes;  // "n = 2, m = 3"
    std::vector<RuntimeValue> inputs, outputs;
  };

  std::vector<Run> runs_;
};

}  // namespace dragoman::drawn

#endif  // DRAGOMAN_TESTS_UNIT_DRAWN_REWRITES_JUDGE_H_
