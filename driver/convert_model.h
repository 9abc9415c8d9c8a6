// SPDX-License-Identifier: Apache-2.0
// A model as it is to be written in a format: a plain copy of its source where nothing asks for
// more, else lowered and rewritten.
#ifndef DRAGOMAN_DRIVER_CONVERT_MODEL_H_
#define DRAGOMAN_DRIVER_CONVERT_MODEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/formats.h"
#include "driver/session.h"

namespace dragoman {

struct ConversionOptions {
  Facts facts;
  std::vector<std::string> cut_inputs;
  std::vector<std::string> cut_outputs;
  // nullopt: the default ones, none for a container.
  std::optional<std::string> passes;
  std::optional<Level> level;         // nullopt: the source if it can be written as it is
  bool unroll = false;                // sequence operators become cells, one per step
  std::optional<BatchRequest> batch;  // another number of samples
  bool keep_reference = false;        // of what is computed, for a check of what is written
  WriteOptions write;                 // but for kept_opset

  bool has_facts() const {
    return !facts.shapes.empty() || !facts.dims.empty() || facts.entry || batch;
  }
  bool has_cut() const { return !cut_inputs.empty() || !cut_outputs.empty(); }
};

// Errors: `target` cannot be written; what CheckWriteOptions refuses.
Status CheckConversion(const Format& target, const ConversionOptions& options);

// The operator set to write a common model in that was made from `source`; nullopt: any.
std::optional<std::int64_t> KeptOpset(const Model& source);

// Whether the file can hold the source graph as it is, and nothing asks for more.
bool IsPlainCopy(const Model& source, const Format& target, const ConversionOptions& options);

struct ConvertedModel {
  Model model;
  std::optional<std::int64_t> kept_opset;  // of an ONNX file that becomes another
  std::optional<std::int64_t> products;    // of such a file before the passes, if all of it is left
  std::optional<BatchReport> batch;        // what was done for another number of samples
  std::optional<Model> reference;          // the model before the passes, if it is to be kept
};
// Errors: those of Session::ToCommon; options that go with no source graph.
Result<ConvertedModel> ConvertModel(const Session& session, Model source, const Format& target,
                                    const ConversionOptions& options);

// What to write it with, by Session::Write or Session::Print.
WriteOptions WriteOptionsOf(const ConvertedModel& converted, const ConversionOptions& options);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_CONVERT_MODEL_H_
