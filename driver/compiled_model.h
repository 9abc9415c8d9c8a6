// SPDX-License-Identifier: Apache-2.0
// A model that is compiled and loaded into this process: the native engine for calls one by one.
#ifndef DRAGOMAN_DRIVER_COMPILED_MODEL_H_
#define DRAGOMAN_DRIVER_COMPILED_MODEL_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "codegen/onednn/plan/plan.h"
#include "core/interpreter/interpreter.h"
#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/data.h"

namespace dragoman {

class CompiledModel {
 public:
  // Compiles the common `model`, or finds it in the cache. Errors: those of BuildNative.
  static Result<std::unique_ptr<CompiledModel>> Load(const Model& model,
                                                     const onednn::PlanOptions& plan,
                                                     std::uint64_t seed);
  // The library `NAME_loadable` of a generated folder (CodegenOptions::loadable), which this
  // release has written, with its weights file. Runs what is in it.
  static Result<std::unique_ptr<CompiledModel>> Open(const std::filesystem::path& library,
                                                     const std::filesystem::path& weights,
                                                     std::uint64_t seed);
  CompiledModel(const CompiledModel&) = delete;
  CompiledModel& operator=(const CompiledModel&) = delete;
  ~CompiledModel();

  // One call of `entry`, or of the first one if it is empty, with arrays by the names of its
  // inputs, on whose memory it computes; keeps the new states. After an error the states are what
  // they were. Errors: arrays that do not fit; what the model refuses.
  Result<FlatArrays> Run(const std::string& entry, const std::vector<NamedArray>& inputs);
  Status Reset();  // to the initial states; random numbers start over from the seed

  // The states that are tensors, by name.
  Result<FlatArrays> States() const;
  // The others stay as they are. Each has the element type of its state. Errors: other sizes than
  // the state's; then all states are what they were.
  Status SetStates(const FlatArrays& states);

 private:
  struct Loaded;
  explicit CompiledModel(std::unique_ptr<Loaded> loaded);

  std::unique_ptr<Loaded> loaded_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_COMPILED_MODEL_H_
