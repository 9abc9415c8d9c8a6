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
  std::vector<ShapeFact> sizes;  // of axes above 1; nullopt where a size stays
  std::vector<ShapeFact> ones;   // of axes of size 1
};

// nullopt: no size that `source` declares is to be another, or it is that of data.
std::optional<SizesOfShapes> OtherSizesOf(const Model& source, const Facts& facts);

// Makes the common `model`, for one sample, one for a number of them that stands for the size that
// `ones` state of it, along one axis of each input; returns that size, by inputs that follow.
// Errors: several sizes; nodes that do not keep the samples apart.
Result<std::vector<ShapeFact>> ResizeOnes(Model& model, const std::vector<ShapeFact>& ones);

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
