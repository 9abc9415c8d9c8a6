// SPDX-License-Identifier: Apache-2.0
#include "core/resize/rules.h"

#include <string>
#include <unordered_map>

#include "core/ops/op_def.h"

namespace dragoman {
namespace {

std::unordered_map<std::string, const RowRule*> AllRowRules() {
  std::unordered_map<std::string, const RowRule*> rules;
  for (const auto& family : {BodyRowRules(), MovementRowRules(), ProductRowRules(),
                             ReshapeRowRules(), WindowRowRules()}) {
    for (const RowRule& rule : family) rules.emplace(rule.label, &rule);
  }
  return rules;
}

}  // namespace

Status TraceElementwiseRows(Node& node, RowTracer& tracer) {
  const auto rank = static_cast<int>(tracer.OldShape(node.result())->size());
  Rows rows;
  for (std::size_t i = 0; i < node.num_operands() && !rows.is_axis(); ++i) {
    const Rows& own = tracer.RowsOf(node.operand(i));
    if (!own.is_axis()) continue;
    if (i > 0 && IsUnary(node)) return tracer.Refuse(node, "a number of it depends on the sample");
    const auto own_rank = static_cast<int>(tracer.OldShape(node.operand(i))->size());
    rows = own.Moved(own.axis + rank - own_rank);
  }
  for (std::size_t i = 1; IsUnary(node) && i < node.num_operands(); ++i) {
    if (!tracer.RowsOf(node.operand(i)).is_shared())
      return tracer.Refuse(node, "a number of it depends on the samples");
  }
  const std::size_t broadcast = IsUnary(node) ? 1 : node.num_operands();
  for (std::size_t i = 0; i < broadcast; ++i)
    DRAGOMAN_TRY(tracer.AlignBroadcast(node, i, rows, rank));
  tracer.SetRows(node.result(), rows);
  return {};
}

const RowRule* FindRowRule(const Node& node) {
  static const auto* const kRules =
      new std::unordered_map<std::string, const RowRule*>(AllRowRules());
  static constexpr RowRule kElementwise = {"", TraceElementwiseRows};
  const OpDef* def = FindOp(node);
  if (def == nullptr) return nullptr;
  const auto found = kRules->find(def->Label());
  if (found != kRules->end()) return found->second;
  return IsElementwise(node) ? &kElementwise : nullptr;
}

}  // namespace dragoman
