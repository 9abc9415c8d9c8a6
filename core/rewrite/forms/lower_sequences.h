// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals of known length, for targets that have tensors only.
#ifndef DRAGOMAN_CORE_REWRITE_FORMS_LOWER_SEQUENCES_H_
#define DRAGOMAN_CORE_REWRITE_FORMS_LOWER_SEQUENCES_H_

#include <cstddef>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// Outputs from `first` on, `count` of them, that are one list of the entry.
struct ListOutput {
  std::size_t first = 0;
  std::size_t count = 0;
  bool is_optional = false;  // else a sequence
};

// What is read of a sequence whose elements are known one by one (SequenceAt, SequenceLength,
// ConcatFromSequence), or of an optional, reads the elements instead; what made the sequence goes
// where nothing reads it any more. Sequences that loops carry, and places that only run time knows,
// stay. Outputs that are such lists become their elements, as `lists` says; nullptr: they stay,
// too.
Status LowerSequences(Graph& entry, std::vector<ListOutput>* lists = nullptr);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_FORMS_LOWER_SEQUENCES_H_
