// SPDX-License-Identifier: Apache-2.0
// What gives a value. An omitted operand, nullptr, is given by nothing.
#ifndef DRAGOMAN_CORE_IR_PRODUCER_H_
#define DRAGOMAN_CORE_IR_PRODUCER_H_

#include <string_view>

#include "core/ir/graph.h"

namespace dragoman {

// The node of operator `type` that gives `value`; nullptr if another does.
const Node* ProducerOf(const Value* value, std::string_view type);

bool AnyResultUsed(const Node& node);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_PRODUCER_H_
