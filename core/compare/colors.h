// SPDX-License-Identifier: Apache-2.0
// Colours: hashes of what a node computes and of what uses it, for nodes that no walk reaches.
#ifndef DRAGOMAN_CORE_COMPARE_COLORS_H_
#define DRAGOMAN_CORE_COMPARE_COLORS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman::compare {

// A colour for each of `nodes`, independent of their order, names and addresses. `local` gives
// what nodes are by themselves (op, attributes), `outside` what values are whose producer is not
// among `nodes`.
// Nodes on cycles, and beyond, are seen only a few steps deep.
std::vector<std::uint64_t> ColorNodes(std::span<const Node* const> nodes,
                                      const std::function<std::uint64_t(const Node&)>& local,
                                      const std::function<std::uint64_t(const Value*)>& outside);

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_COLORS_H_
