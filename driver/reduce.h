// SPDX-License-Identifier: Apache-2.0
// Makes a model that shows a fault smaller (delta debugging).
#ifndef DRAGOMAN_DRIVER_REDUCE_H_
#define DRAGOMAN_DRIVER_REDUCE_H_

#include <functional>
#include <string_view>

#include "core/ir/model.h"

namespace dragoman {

struct ReduceOptions {
  // Whether a candidate, a well-formed model of the same level and dialect, shows the fault.
  std::function<bool(const Model& candidate)> shows;
  // Told of progress, a line at a time; may be empty.
  std::function<void(std::string_view)> report = nullptr;
};

// A smaller model that shows what `model` shows: without entries, nodes, outputs, inputs, states,
// attributes and metadata that the fault does not need, with zeros in place of weights and smaller
// sizes, as far as each such step alone leads. The same `shows` gives the same result.
Model Reduce(Model model, const ReduceOptions& options);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_REDUCE_H_
