// SPDX-License-Identifier: Apache-2.0
// Lowers a model for another number of samples in a batch.
#ifndef DRAGOMAN_DRIVER_BATCH_H_
#define DRAGOMAN_DRIVER_BATCH_H_

#include <optional>

#include "core/resize/resize_batch.h"
#include "driver/session.h"

namespace dragoman {

// `source` as a common model, with the facts, for request.size samples: what it computes for those
// whose number its inputs state, or for any where they leave it open, is made one for each.
// `report` is what was done.
Result<Model> LowerForBatch(const Session& session, const Model& source, const Facts& facts,
                            const BatchRequest& request, const Note& note, BatchReport& report);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_BATCH_H_
