// SPDX-License-Identifier: Apache-2.0
// Lowers a model for sizes of its inputs that the user states.
#ifndef DRAGOMAN_DRIVER_SIZES_H_
#define DRAGOMAN_DRIVER_SIZES_H_

#include "driver/session.h"

namespace dragoman {

// Whether the facts state a number or symbol in place of a number that `source` declares of an
// input.
bool StateOtherSizes(const Model& source, const Facts& facts);

// `source` as a common model, with the facts. Constants that stood for sizes follow where the facts
// state others: those of a batch if the model keeps its samples apart, else those of each size that
// is proven (resize_sizes.h); session.report_resized receives them. `note` receives a line for each
// constant that stays. Errors: what cannot be lowered; nodes that cannot work with the sizes.
Result<Model> LowerForSizes(const Session& session, const Model& source, const Facts& facts,
                            const Note& note);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_SIZES_H_
