// SPDX-License-Identifier: Apache-2.0
// Nodes before an input, which then takes data as they come, and after an output. Of operators
// that ONNX has had in this form since operator set 7.
#ifndef DRAGOMAN_CORE_EDIT_PROCESSING_H_
#define DRAGOMAN_CORE_EDIT_PROCESSING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// What is done with an input, in this order: the axes are put as the model has them, the elements
// become floats, are multiplied, a mean is subtracted, and they are divided.
struct Preprocessing {
  std::string input;
  std::optional<DType> dtype;         // of the data
  std::optional<std::string> layout;  // of the data: "nhwc", where the model's is nchw
  std::optional<float> scale;
  std::vector<float> mean;  // one, or one per channel
  std::vector<float> std;
};
Status Preprocess(Model& model, const Preprocessing& wanted);

enum class Postprocessing { kArgMax, kSoftmax };
Status Postprocess(Model& model, const std::string& output, Postprocessing what, std::int64_t axis);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_EDIT_PROCESSING_H_
