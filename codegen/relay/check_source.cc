// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/check_source.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/find_by_key.h"

namespace dragoman::relay::emit {
namespace {

// What a node needs that is not the call of an operator.
struct Form {
  std::string_view type;
  bool has_operand = false;
  bool has_result = false;
  std::string_view bodies[2] = {};  // attributes that are graphs
};

constexpr Form kForms[] = {
    {.type = "Call", .has_operand = true},
    {.type = "Function", .bodies = {"body"}},
    {.type = "If", .has_operand = true, .bodies = {"then_branch", "else_branch"}},
    {.type = "Let", .has_operand = true, .has_result = true},
    {.type = "Match", .has_operand = true},
    {.type = "TupleGetItem", .has_operand = true},
};
static_assert(IsSortedBy(kForms, &Form::type));

// What is wrong with a node; "" if nothing is.
std::string FaultOf(const Node& node) {
  if (node.num_results() > 1) return "has more than one result";
  const bool is_special = node.op().domain.empty();
  const Form* form = is_special ? FindByKey(kForms, node.op().type, &Form::type) : nullptr;
  if (form == nullptr) return "";
  if (form->has_operand && (node.num_operands() == 0 || node.operand(0) == nullptr))
    return "has no operand";
  if (form->has_result && node.result() == nullptr) return "has no result";
  for (const std::string_view name : form->bodies) {
    const Attribute* body = name.empty() ? nullptr : node.attribute(name);
    if (!name.empty() && (body == nullptr || body->graph() == nullptr))
      return "has no graph '" + std::string(name) + "'";
  }
  return "";
}

}  // namespace

Status CheckSource(const Model& model) {
  std::vector<Finding> findings;
  ForEachGraph(model, [&](const Graph& graph) {
    if (graph.num_outputs() != 1) {
      findings.push_back({ErrorKind::kInvalidInput,
                          {},
                          "graph '" + graph.name() + "'",
                          std::to_string(graph.num_outputs()) + " outputs, expected one"});
    }
    for (const Node& node : graph.nodes()) {
      std::string fault = FaultOf(node);
      if (!fault.empty())
        findings.push_back({ErrorKind::kInvalidInput, {}, node.Describe(), std::move(fault)});
    }
  });
  if (!findings.empty()) return Error(std::move(findings));
  return {};
}

}  // namespace dragoman::relay::emit
