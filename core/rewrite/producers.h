// What gives a value, as patterns ask. An omitted operand, nullptr, is given by nothing.
#ifndef DRAGOMAN_CORE_REWRITE_PRODUCERS_H_
#define DRAGOMAN_CORE_REWRITE_PRODUCERS_H_

#include <optional>
#include <string_view>

#include "core/ir/graph.h"

namespace dragoman {

// The node of operator `type` that gives `value`; nullptr if another does.
const Node* Maker(const Value* value, std::string_view type);
// The number in a constant of one f32 element.
std::optional<float> ScalarOf(const Value* value);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_PRODUCERS_H_
