// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "importers/tensorflow/ops/op_table.h"

namespace dragoman::tf {
namespace {

// Those that the evaluator runs by itself.
constexpr std::string_view kOfEvaluator[] = {
    "BatchFunction",
    "Case",
    "Const",
    "Enter",
    "Exit",
    "HashTable",
    "HashTableV2",
    "IdentityN",
    "If",
    "LoopCond",
    "Merge",
    "MutableDenseHashTable",
    "MutableDenseHashTableV2",
    "MutableHashTable",
    "MutableHashTableOfTensors",
    "MutableHashTableOfTensorsV2",
    "MutableHashTableV2",
    "NextIteration",
    "PartitionedCall",
    "Placeholder",
    "PlaceholderV2",
    "RefEnter",
    "RefExit",
    "RefIdentity",
    "RefMerge",
    "RefNextIteration",
    "RefSwitch",
    "StatefulPartitionedCall",
    "StatelessCase",
    "StatelessIf",
    "StatelessWhile",
    "Switch",
    "VarHandleOp",
    "Variable",
    "VariableV2",
    "While",
    "_SwitchN",
};

}  // namespace

std::vector<std::string_view> SupportedOperators() {
  std::vector<std::string_view> names(std::begin(kOfEvaluator), std::end(kOfEvaluator));
  for (const OpRow& row : OpRows()) names.push_back(row.name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace dragoman::tf
