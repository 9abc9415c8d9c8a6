// SPDX-License-Identifier: Apache-2.0
// Another number of samples in a batch, all the way through a model.
#ifndef DRAGOMAN_CORE_RESIZE_RESIZE_BATCH_H_
#define DRAGOMAN_CORE_RESIZE_RESIZE_BATCH_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/dim.h"
#include "core/ir/model.h"
#include "core/resize/constant_changes.h"
#include "core/support/result.h"

namespace dragoman {

struct BatchRequest {
  Dim size;                         // a number, or a symbol
  std::map<std::string, int> axes;  // by input, where stated; else axis 0 of those that agree
};

// An input or output, and the axis of its samples; nullopt: it has none.
struct BatchedValue {
  std::string name;
  std::optional<int> axis;
};

struct BatchReport {
  std::vector<BatchedValue> inputs;
  std::vector<BatchedValue> outputs;
  ConstantChanges changes;  // what stood for the number of samples, by node
};

// How many samples the inputs of `graph` are for, by the request. nullopt: their number is not
// stated. Errors: an input or axis that does not exist; inputs that disagree.
Result<std::optional<std::int64_t>> SamplesOf(const Graph& graph, const BatchRequest& request);

// Makes the common `model`, whose types are for a known number of samples, one for request.size of
// them: for each sample it gives what `model` gives. States and inputs that are not stated follow.
// Errors: every node that does not keep the samples apart, or of which that is not known.
Result<BatchReport> ResizeBatch(Model& model, const BatchRequest& request);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_RESIZE_RESIZE_BATCH_H_
