// SPDX-License-Identifier: Apache-2.0
// Entries that a model has twice, as SavedModels of Keras have `serve` beside `serving_default`.
#ifndef DRAGOMAN_CORE_COMPARE_REPEATED_ENTRIES_H_
#define DRAGOMAN_CORE_COMPARE_REPEATED_ENTRIES_H_

#include <string>
#include <vector>

#include "core/ir/model.h"

namespace dragoman {

struct RepeatedEntry {
  std::string name;
  std::string earlier;  // the entry that it repeats, which stays
};

// Drops the entries of a common model that compute what an earlier one does, by inputs and outputs
// of the same names and on the same states. Returns what was dropped, in order.
std::vector<RepeatedEntry> DropRepeatedEntries(Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_COMPARE_REPEATED_ENTRIES_H_
