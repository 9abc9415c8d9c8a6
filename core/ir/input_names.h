// SPDX-License-Identifier: Apache-2.0
// Inputs of a graph by their names.
#ifndef DRAGOMAN_CORE_IR_INPUT_NAMES_H_
#define DRAGOMAN_CORE_IR_INPUT_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman {

std::vector<std::string> InputNames(const Graph& graph);

// The first input that is called `name`; nullptr if there is none.
Value* InputCalled(const Graph& graph, std::string_view name);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_INPUT_NAMES_H_
