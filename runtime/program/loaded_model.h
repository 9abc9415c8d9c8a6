// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model in a shared library that another program loads while it runs, compiled with the same
// headers.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_LOADED_MODEL_H_
#define DRAGOMAN_RUNTIME_PROGRAM_LOADED_MODEL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/params/status.h"
#include "runtime/program/any_tensor.h"
#include "runtime/program/infer_main.h"
#include "runtime/program/info.h"

namespace dragoman::rt {

class LoadedTarget : public InferTarget {
 public:
  // The states that are tensors, by the names that the model file gives them.
  using States = std::vector<std::pair<std::string, AnyTensor>>;
  virtual States GetStates() = 0;
  // The others stay as they are. Each has the element type and rank of its state. Errors: other
  // sizes than the state's; then all states are what they were.
  virtual Status SetStates(States& states) = 0;
};

struct LoadedModel {
  const ModelInfo* info;
  // As MakeTarget.
  std::unique_ptr<LoadedTarget> (*make)(const std::string& weights, int threads);
};

// The function that such a library exports, under this name without mangling.
using GetLoadedModel = const LoadedModel* (*)();
inline constexpr char kGetLoadedModel[] = "DragomanLoadedModel";

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_LOADED_MODEL_H_
