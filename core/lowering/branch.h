// SPDX-License-Identifier: Apache-2.0
// A condition known only at run time: both ways are run, each in a stretch of the heap, and what
// they give or leave in cells is merged (merge.h) by an If.
//
// Where one way raises an exception, the condition becomes a dragoman.Assert and the other way is
// taken.
#ifndef DRAGOMAN_CORE_LOWERING_BRANCH_H_
#define DRAGOMAN_CORE_LOWERING_BRANCH_H_

#include <functional>
#include <string>
#include <vector>

#include "core/lowering/entry_builder.h"

namespace dragoman {

// The two ways of a program at a condition.
struct Branches {
  // Runs the way that is taken where the condition `holds`. `for_good`: it is the only one that can
  // be taken, so that what follows may rely on the condition.
  std::function<Flow(bool holds, bool for_good, std::vector<Abstract>& results)> run;
  std::vector<std::string> names;  // of the results, as far as they have some
};

// Runs both ways of `condition` (bool, rank 0). kRaised: both raise. Errors: what they give or
// leave has no common form.
Result<Flow> RunBranches(EntryBuilder& entry, Value* condition, const Branches& branches,
                         std::vector<Abstract>& results);

// What stands for the results of two ways that were run, and for the cells that they changed.
Result<std::vector<Abstract>> MergeSides(EntryBuilder& entry, Value* condition, Side& then_side,
                                         Side& else_side, const std::vector<std::string>& names);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_BRANCH_H_
