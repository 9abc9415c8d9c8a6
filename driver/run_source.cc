// SPDX-License-Identifier: Apache-2.0
#include "driver/run_source.h"

#include <utility>

#include "core/interpreter/interpreter.h"
#include "core/ir/for_each_value.h"
#include "core/ops/op_def.h"
#include "importers/torch/lower/lower.h"

namespace dragoman {
namespace {

// Errors: results of which the sizes are not known, or that take too much memory; random numbers.
Status CheckCost(const Model& model) {
  double bytes = 0;
  bool random = false, unknown = false;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      const OpDef* def = FindOp(node);
      random = random || (def != nullptr && def->random);
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        const Value* result = node.result(i);
        if (result == nullptr || !result->type().is_tensor()) continue;
        double size = 16;
        if (result->type().shape() == nullptr) unknown = true;
        for (const Dim& dim : result->type().shape() != nullptr ? *result->type().shape() : Shape())
          dim.known() ? size *= static_cast<double>(dim.value()) : unknown = true;
        bytes += size;
      }
    }
  });
  if (random) return Unsupported("random numbers");
  if (unknown) return Unsupported("a result whose sizes depend on data");
  if (bytes > static_cast<double>(kMostKnownBytes))
    return Unsupported("more memory than is used for what is known");
  return {};
}

}  // namespace

Result<std::vector<Tensor>> RunTorchSource(const Model& source) {
  DRAGOMAN_ASSIGN(const Model model, LowerTorchScript(source));
  DRAGOMAN_TRY(CheckCost(model));
  DRAGOMAN_ASSIGN(Interpreter interpreter, Interpreter::Make(model));
  interpreter.set_node_limit(kMostKnownNodes);
  DRAGOMAN_ASSIGN(const std::vector<RuntimeValue> outputs,
                  interpreter.Run(model.entries.front(), {}));
  std::vector<Tensor> results;
  for (const RuntimeValue& output : outputs) {
    if (output.kind != RuntimeValue::Kind::kTensor)
      return Unsupported("a result that is not a tensor");
    results.push_back(output.array.ToTensor());
  }
  return results;
}

}  // namespace dragoman
