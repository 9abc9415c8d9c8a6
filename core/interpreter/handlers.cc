// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/handlers.h"

#include <string_view>

#include "core/ops/op_def.h"
#include "core/support/find_by_key.h"

namespace dragoman {
namespace {

struct Row {
  std::string_view label;
  NodeHandler handler;
};

// Sorted by label.
constexpr Row kHandlers[] = {
    {"ConcatFromSequence", RunConcatFromSequence},
    {"Identity", RunIdentity},
    {"If", RunIf},
    {"Loop", RunLoop},
    {"Optional", RunOptional},
    {"OptionalGetElement", RunOptionalGetElement},
    {"OptionalHasElement", RunOptionalHasElement},
    {"Scan", RunScan},
    {"SequenceAt", RunSequenceAt},
    {"SequenceConstruct", RunSequenceConstruct},
    {"SequenceEmpty", RunSequenceEmpty},
    {"SequenceErase", RunSequenceErase},
    {"SequenceInsert", RunSequenceInsert},
    {"SequenceLength", RunSequenceLength},
    {"SplitToSequence", RunSplitToSequence},
    {"dragoman.Assert", RunAssert},
    {"dragoman.Fused", RunFused},
    {"dragoman.Print", RunPrint},
};
static_assert(IsSortedBy(kHandlers, &Row::label));

}  // namespace

NodeHandler FindHandler(const Node& node) {
  const OpDef* def = FindOp(node);
  return def != nullptr ? FindHandler(*def) : nullptr;
}

NodeHandler FindHandler(const OpDef& def) {
  const std::string label = def.Label();
  const Row* row = FindByKey(kHandlers, label, &Row::label);
  return row != nullptr ? row->handler : nullptr;
}

}  // namespace dragoman
