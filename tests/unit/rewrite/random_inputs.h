// SPDX-License-Identifier: Apache-2.0
// Runs a model on random inputs, as the judge of rewrites: before and after must give the same.
#ifndef DRAGOMAN_TESTS_UNIT_REWRITE_RANDOM_INPUTS_H_
#define DRAGOMAN_TESTS_UNIT_REWRITE_RANDOM_INPUTS_H_

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/compare/tensor_differences.h"
#include "core/interpreter/interpreter.h"
#include "core/ir/model.h"
#include "core/rewrite/pipeline.h"

namespace dragoman {

// A tensor of `type`: numbers around 0, bools, integers from 0 to 2. Symbols get sizes from 2 on,
// in the order in which they are met.
inline Tensor RandomTensor(const Type& type, std::map<std::string, std::int64_t>& symbols,
                           std::mt19937& random) {
  std::vector<std::int64_t> sizes;
  std::int64_t count = 1;
  for (const Dim& dim : *type.shape()) {
    for (const std::string& symbol : dim.Symbols()) {
      symbols.try_emplace(symbol, static_cast<std::int64_t>(symbols.size()) + 2);
    }
    sizes.push_back(dim.Evaluate(symbols).value());
    count *= sizes.back();
  }
  if (type.dtype() == DType::kBool) return Tensor::Full(DType::kBool, sizes, 1).value();
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  for (std::int64_t i = 0; i < count; ++i) {
    floats.push_back(std::normal_distribution<float>()(random));
    ints.push_back(std::uniform_int_distribution<std::int64_t>(0, 2)(random));
  }
  if (type.dtype() == DType::kI64) return Tensor::Of<std::int64_t>(sizes, ints);
  return Tensor::Of<float>(sizes, floats);
}

inline std::vector<RuntimeValue> RandomInputs(const Graph& graph) {
  std::mt19937 random(1);
  std::map<std::string, std::int64_t> symbols;
  std::vector<RuntimeValue> inputs;
  for (const auto& input : graph.inputs()) {
    const Tensor tensor = RandomTensor(input->type(), symbols, random);
    inputs.push_back(RuntimeValue::Of(Array::FromTensor(tensor).value()));
  }
  return inputs;
}

// Passes of which none may be undone, as one that changes what is computed would be.
inline PipelineOptions ExactPasses(std::string passes) {
  return {.passes = std::move(passes), .explain = {}, .warn = [](std::string_view message) {
            ADD_FAILURE() << message;
          }};
}

inline std::vector<Tensor> RunOnRandomInputs(const Model& model) {
  Result<Interpreter> interpreter = Interpreter::Make(model);
  if (!interpreter.ok()) {
    ADD_FAILURE() << interpreter.error().ToString();
    return {};
  }
  Result<std::vector<RuntimeValue>> outputs =
      interpreter->Run(model.entries.front(), RandomInputs(model.main()));
  if (!outputs.ok()) {
    ADD_FAILURE() << outputs.error().ToString();
    return {};
  }
  std::vector<Tensor> tensors;
  for (const RuntimeValue& output : *outputs) tensors.push_back(output.array.ToTensor());
  return tensors;
}

inline void ExpectSameResults(const Model& before, const Model& after) {
  const std::vector<Tensor> expected = RunOnRandomInputs(before);
  const std::vector<Tensor> found = RunOnRandomInputs(after);
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(expected[i].type().ToString(), found[i].type().ToString()) << "output " << i;
    const rt::ElementDifferences differences =
        compare::FindDifferences(found[i], expected[i], {.absolute = 1e-5});
    EXPECT_EQ(differences.outside, 0) << "output " << i << " differs by " << differences.largest;
  }
}

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_UNIT_REWRITE_RANDOM_INPUTS_H_
