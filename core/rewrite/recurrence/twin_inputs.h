// SPDX-License-Identifier: Apache-2.0
// The input of an LSTM for both directions whose projected initial states are further inputs
// (emit_operator.h): each direction has its own, and weights of 0 for the other's.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_TWIN_INPUTS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_TWIN_INPUTS_H_

#include <cstdint>
#include <optional>

#include "core/ir/graph.h"

namespace dragoman {

// What two sequence nodes read: `shared`, and after it, if `own` of each is not nullptr, values of
// the sizes of their initial states at one step and zeros at the others.
struct TwinInputs {
  Value* shared = nullptr;
  Value* own[2] = {nullptr, nullptr};
};
// The Concat of `shared` and one of `own` that a node reads, or nullptr.
const Node* WideInput(const Node& node);
std::optional<TwinInputs> ReadTwinInputs(const Node& a, const Node& b);
// The `shared` of a node.
const Value* SharedInput(const Node& node);

// (…, columns) with `count` columns of zeros from column `at` on.
Tensor WithZeroColumns(const Tensor& matrix, std::int64_t at, std::int64_t count);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_TWIN_INPUTS_H_
