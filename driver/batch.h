// SPDX-License-Identifier: Apache-2.0
// Lowers a model for another number of samples in a batch.
#ifndef DRAGOMAN_DRIVER_BATCH_H_
#define DRAGOMAN_DRIVER_BATCH_H_

#include <optional>

#include "core/resize/resize_batch.h"
#include "driver/session.h"

namespace dragoman {

// What facts state of a model with known sizes: the sizes that differ from these, and all else.
struct SizesOfShapes {
  Facts declared;
  std::vector<ShapeFact> sizes;  // nullopt where a size stays
};

// nullopt: no size above 1 that `source` declares is to be another, or something else is stated.
std::optional<SizesOfShapes> OtherSizesOf(const Model& source, const Facts& facts);

// `source` as a common model, with the facts, for request.size samples: what it computes for those
// whose number its inputs state, or for any where they leave it open, is made one for each.
// `report` is what was done.
Result<Model> LowerForBatch(const Session& session, const Model& source, const Facts& facts,
                            const BatchRequest& request, const Note& note, BatchReport& report);

// Facts that state nothing but another number of samples: along axis 0 of inputs of which the file
// states it. nullopt: they state something else.
std::optional<BatchRequest> BatchOfShapes(const Model& source, const Facts& facts);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_BATCH_H_
