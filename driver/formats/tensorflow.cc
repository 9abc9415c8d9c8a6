// SPDX-License-Identifier: Apache-2.0
#include "driver/formats/rows.h"

#include "driver/describe_tensorflow.h"
#include "exporters/tensorflow/write_model.h"
#include "importers/tensorflow/graph/cut.h"
#include "importers/tensorflow/graph/detect.h"
#include "importers/tensorflow/graph/read_model.h"
#include "importers/tensorflow/lower/lower.h"
#include "importers/tensorflow/ops/op_table.h"

namespace dragoman {
namespace {

// What a GraphDef is has no signature, but hardly anything else has its structure.
Likeness DetectTensorFlow(const Candidate& candidate) {
  if (candidate.is_folder) return CertainIf(IsSavedModelFolder(candidate.path));
  const TensorFlowFile kind = TensorFlowFileKind(candidate.bytes);
  if (kind == TensorFlowFile::kNone) return Likeness::kNone;
  return kind >= TensorFlowFile::kChunkedSavedModel ? Likeness::kCertain : Likeness::kLikely;
}

Result<Model> ReadTensorFlowFile(const std::string& path, const ReadOptions& options) {
  return ReadTensorFlow(path, {.tags = options.tags});
}

}  // namespace

Format TensorFlowFormat() {
  return {.name = "tf",
          .suffixes = {".pb", ".pbtxt", ".meta"},
          .what = "TensorFlow GraphDef, MetaGraphDef or SavedModel",
          .detect = DetectTensorFlow,
          .read = ReadTensorFlowFile,
          .has_tagged_graphs = true,
          .dialect = "tf",
          .lower = LowerTensorFlow,
          .cut = CutTensorFlow,
          .describe = DescribeTensorFlow,
          .vocabularies = {"tf"},
          .operators =
              [](std::string_view) {
                // An entry is a call of it.
                static constexpr std::string_view kConstructs[] = {"graph.main"};
                return OperatorsNamed(tf::SupportedOperators(), kConstructs);
              },
          .write = [](const Model& model, const std::string& path,
                      const WriteOptions&) { return WriteTensorFlow(model, path); }};
}

}  // namespace dragoman
