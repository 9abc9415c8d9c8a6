// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/reference_steps.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/analysis/multiply_adds.h"
#include "core/ir/find_as.h"
#include "core/ops/op_def.h"

namespace dragoman::onednn {
namespace {

constexpr std::int64_t kSample = 64;  // in place of a size that is not known

// By name: operators that prepared operators and loops of runtime/fast compute too, for the
// operands that they support. All others have no other kernel.
constexpr std::string_view kOperators[] = {
    "AveragePool", "Conv",        "ConvInteger",   "ConvTranspose",
    "GRU",         "Gemm",        "LSTM",          "LayerNormalization",
    "Linear",      "LogSoftmax",  "MatMul",        "MatMulInteger",
    "MaxPool",     "QLinearConv", "QLinearMatMul", "RMSNormalization",
    "RNN",         "Resize",      "Softmax"};

double WorkOf(const Node& node) {
  double work = static_cast<double>(MultiplyAddsOf(node, kSample).value_or(0));
  for (std::size_t i = 0; i < node.num_results(); ++i)
    work += static_cast<double>(CountElements(node.result(i), kSample).value_or(0));
  return work;
}

double WorkOf(const Model& model) {
  double work = 0;
  for (const Entry& entry : model.entries) {
    ForEachGraph(*entry.graph, [&](const Graph& graph) {
      for (const Node& node : graph.nodes()) work += WorkOf(node);
    });
  }
  return work;
}

// A nearest neighbour is a copy, which no other kernel makes faster.
bool IsNearest(const Node& node) {
  if (!node.Is("Resize")) return false;
  const std::string* name = FindAs<std::string>(node.attributes(), "mode");
  return name == nullptr || *name == "nearest";
}

// Kernels of runtime/kernels are called as their operators.
bool CallsReference(const Step& step) {
  const auto* call = step.As<KernelStep>();
  if (call == nullptr || step.node == nullptr || IsNearest(*step.node)) return false;
  const std::string_view function =
      std::string_view(call->function).substr(0, call->function.find('<'));
  const OpDef* def = FindOp(*step.node);
  const std::string_view kernel =
      def->kernel.function.empty() ? def->name->type : def->kernel.function;
  return function == kernel &&
         std::ranges::find(kOperators, def->name->type) != std::end(kOperators);
}

class Finder {
 public:
  Finder(const Plan& plan, double whole) : plan_(plan), whole_(whole) {}

  void Find(const Block& block) {
    for (const Step& step : block.steps) {
      for (const Block& body : step.bodies()) Find(body);
      if (!CallsReference(step)) continue;
      const std::string& name = plan_.step_names[static_cast<std::size_t>(step.number)];
      found_.push_back({name, whole_ > 0 ? WorkOf(*step.node) / whole_ : 0});
    }
  }
  std::vector<ReferenceStep> found() && { return std::move(found_); }

 private:
  const Plan& plan_;
  double whole_;
  std::vector<ReferenceStep> found_;
};

}  // namespace

std::vector<ReferenceStep> FindReferenceSteps(const Plan& plan, const Model& model) {
  Finder finder(plan, WorkOf(model));
  for (const PlanEntry& entry : plan.entries) finder.Find(entry.body);
  return std::move(finder).found();
}

}  // namespace dragoman::onednn
