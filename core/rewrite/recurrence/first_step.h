// SPDX-License-Identifier: Apache-2.0
// The first cell of a run where states start at zero and an exporter has folded away what zeros
// take no part in: it has no product with the old state, no forget gate, no reset, or these only as
// factors of zeros.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_FIRST_STEP_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_FIRST_STEP_H_

#include <memory>
#include <optional>

#include "core/rewrite/recurrence/cell_chain.h"

namespace dragoman {

struct FirstStep {
  std::unique_ptr<RecurrentCell> cell;
  CellStep step;  // of `cell`, with the weights of the cell that follows
};

// The cell that yields what `second` reads as its states, if it is what remains of a cell with the
// weights of `second` whose own states are zero.
std::optional<FirstStep> MatchFirstStep(const CellStep& second, WeightComparer& comparer,
                                        AffineForms& forms);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_FIRST_STEP_H_
