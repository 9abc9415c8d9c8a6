// SPDX-License-Identifier: Apache-2.0
// Constants that nothing reads, which count at the source level.
#ifndef DRAGOMAN_CORE_COMPARE_UNUSED_CONSTANTS_H_
#define DRAGOMAN_CORE_COMPARE_UNUSED_CONSTANTS_H_

#include <string>
#include <vector>

#include "core/compare/constant_table.h"
#include "core/ir/graph.h"

namespace dragoman::compare {

// An unused constant with what stands for it on the other side; null: nothing does.
struct UnusedPair {
  const Value* a = nullptr;
  const Value* b = nullptr;
};

// The unused constants of either graph, and of all below it, to which no constant of the other side
// is equal. Those of equal names are paired, then those of equal types, in their order.
std::vector<UnusedPair> FindChangedUnusedConstants(const Graph& a, const Graph& b,
                                                   ConstantTable& constants);

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_UNUSED_CONSTANTS_H_
