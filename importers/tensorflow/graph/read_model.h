// SPDX-License-Identifier: Apache-2.0
// Reads TensorFlow's GraphDef, MetaGraphDef and SavedModel into source models, losing nothing
// (README.md of importers/tensorflow says what stands where).
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_READ_MODEL_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_READ_MODEL_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

struct ReadTensorFlowOptions {
  // Which graph of a SavedModel: the one with just these tags. nullopt: the only one, or the one
  // for serving.
  std::optional<std::vector<std::string>> tags;
};

// `path` is a folder with a SavedModel, or a file, binary or text. Values of variables come from
// the SavedModel's checkpoint, or from that beside a MetaGraphDef ("model.meta", "model.index");
// their elements stay in the mapped files. Errors: damaged files; names that nothing has; assets
// outside of the folder; by name, formats of Keras and TensorFlow that are none of these.
Result<Model> ReadTensorFlow(const std::string& path, const ReadTensorFlowOptions& options = {});

// A GraphDef or MetaGraphDef, binary or text, in memory, without a checkpoint.
Result<Model> ReadTensorFlowBytes(std::span<const std::byte> file);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_READ_MODEL_H_
