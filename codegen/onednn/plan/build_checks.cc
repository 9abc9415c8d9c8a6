// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "codegen/onednn/plan/build.h"
#include "core/ops/infer_context.h"
#include "core/ops/operand_checks.h"

namespace dragoman::onednn {
namespace {

std::string_view FunctionOf(OpenCheck::Kind kind) {
  switch (kind) {
    case OpenCheck::Kind::kOneElement:
      return "CheckOneElement";
    case OpenCheck::Kind::kMinRank:
      return "CheckMinRank";
    case OpenCheck::Kind::kSizes:
      return "CheckOperand";
    case OpenCheck::Kind::kOneElementOrSizes:
      return "CheckOneElementOr";
    case OpenCheck::Kind::kBroadcastsTo:
      return "CheckBroadcastsTo";
  }
  return "";
}

// What the operator's own rule cannot decide from the types of the operands. A rule asks for its
// operands' sizes before it turns to bodies, which were inferred with the rest of the model.
Result<std::vector<OpenCheck>> FindOpenChecks(const Node& node, const OpDef& def) {
  std::vector<Knowledge> operands;
  for (const Use& use : node.operands()) {
    Knowledge& known = operands.emplace_back();
    if (use.value() == nullptr) continue;
    known.type = use.value()->type();
    known.tensor = use.value()->tensor();
  }
  auto no_body = [](Graph&, std::span<const Knowledge>) -> Result<std::vector<Knowledge>> {
    return Internal("bodies are not inferred again");
  };
  auto no_symbol = [](std::string_view) { return Dim::Unknown(); };
  DRAGOMAN_ASSIGN(InferContext context,
                  InferContext::Make(node, def, std::move(operands), no_body, no_symbol));
  const OpenCheckScope scope;
  const Status status = def.infer(context);
  if (!status.ok() && node.subgraphs().empty()) return status.error();
  return scope.checks();
}

}  // namespace

Status PlanBuilder::AddChecks(const Node& node, const OpDef& def, Step& step) {
  const bool is_static =
      std::ranges::all_of(node.operands(), [](const Use& use) { return IsStatic(use.value()); });
  if (is_static) return {};
  const bool has_function = step.sizes.kind == SizeRule::Kind::kFunction;
  DRAGOMAN_ASSIGN(const std::vector<OpenCheck> open, FindOpenChecks(node, def));
  for (const OpenCheck& check : open) {
    if (has_function && def.size_function.SeesOperand(check.operand)) continue;
    OperandCheck& made = step.checks.emplace_back();
    made.function = FunctionOf(check.kind);
    made.buffer = Get(node.operand(check.operand));
    made.rank = check.rank;
    if (check.like) made.like = Get(node.operand(*check.like));
    if (check.like || check.kind == OpenCheck::Kind::kOneElement || check.rank != 0) continue;
    made.sizes = check.sizes;
    if (!std::ranges::all_of(check.sizes, [&](const Dim& dim) { return IsKnown(dim); })) {
      return Unsupported("no C++ for it: nothing in it determines whether the sizes of '" +
                         node.operand(check.operand)->name() + "' fit");
    }
  }
  return {};
}

}  // namespace dragoman::onednn
