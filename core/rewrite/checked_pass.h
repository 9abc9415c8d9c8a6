// SPDX-License-Identifier: Apache-2.0
// Runs a pass whose work is judged, and undoes what of it is wrong.
#ifndef DRAGOMAN_CORE_REWRITE_CHECKED_PASS_H_
#define DRAGOMAN_CORE_REWRITE_CHECKED_PASS_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/rewrite/pass_context.h"

namespace dragoman {

// A wrong change of an entry: a bug of the pass.
struct UndoneChange {
  std::string fault;  // "changes what entry 'main' computes (output 'y' is …)"
  std::string site;   // where (rewrite_sites.h); empty: all that the pass does
};

struct CheckedRun {
  bool changed = false;
  // If there are any, the entry has a graph that the given context is not about.
  std::vector<UndoneChange> undone;
};

// Runs `pass` on `entry` of the common `model`, except for the sites `left_out`. The pass is wrong
// if it returns an error, if types cannot be inferred after it, or, where one run of the entry
// takes at most about `max_work` elementary operations, if outputs on random data differ
// (random_check.h). Then it is run again without the site that is at fault, which is added to
// `left_out`, or if there is none, the graph is as it was.
CheckedRun RunChecked(const std::function<Result<bool>(Graph&, PassContext&)>& pass,
                      const Model& model, Entry& entry, std::int64_t max_work, PassContext& context,
                      std::set<std::string>& left_out);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_CHECKED_PASS_H_
