// SPDX-License-Identifier: Apache-2.0
// How many products of two elements an operator adds up.
#ifndef DRAGOMAN_CORE_ANALYSIS_MULTIPLY_ADDS_H_
#define DRAGOMAN_CORE_ANALYSIS_MULTIPLY_ADDS_H_

#include <cstdint>
#include <optional>

#include "core/ir/model.h"

namespace dragoman {

// Of convolutions, matrix products and recurrent operators; 0 of all other operators. nullopt: a
// size is not known.
std::optional<std::int64_t> MultiplyAdds(const Node& node);
// The same where `open` stands for every size that is not a number, unless it is nullopt.
std::optional<std::int64_t> MultiplyAddsOf(const Node& node, std::optional<std::int64_t> open);

// The elements of a value, likewise.
std::optional<std::int64_t> CountElements(const Value* value,
                                          std::optional<std::int64_t> open = std::nullopt);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_ANALYSIS_MULTIPLY_ADDS_H_
