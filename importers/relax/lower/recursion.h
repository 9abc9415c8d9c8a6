// SPDX-License-Identifier: Apache-2.0
// Functions that call themselves and are loops.
//
//   - At the end of one side of a condition, as people write them:
//
//         c = R.less(i, n)
//         if c:
//             j = R.add(i, R.const(1, "int64"))
//             r = cls.loop(j, R.exp(s))
//         else:
//             r = (i, s)
//         return r
//
//   - By halves, as codegen/relax/recursion.h writes them: the function is passed the number of
//     iterations to make, and calls itself for the first half of them and for the rest.
#ifndef DRAGOMAN_IMPORTERS_RELAX_LOWER_RECURSION_H_
#define DRAGOMAN_IMPORTERS_RELAX_LOWER_RECURSION_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/graph.h"

namespace dragoman::tvmscript {

// The function of a name; nullptr: there is none.
using FindFunction = std::function<const Graph*(const std::string& name)>;
// Whether a node is a call of the function that is asked for.
using IsOwnCall = std::function<bool(const Node& node)>;

struct TailRecursion {
  const Node* condition = nullptr;  // relax.if
  bool continues = true;            // what the condition is where the function calls itself
  const Node* call = nullptr;       // of itself

  const Graph& Side(bool holds) const;
};

// What `is_own` accepts has the arguments after `first_argument`.
std::optional<TailRecursion> FindTailRecursion(const Graph& function, const IsOwnCall& is_own);

// NAME(index, count, carried…, fixed…) -> (carried…, collected…): iterations index … index + count
// - 1 of STEP(index, carried…, fixed…), which gives a row of each that is collected.
struct HalvedIterations {
  const Graph* step = nullptr;
  std::size_t carried = 0;
  std::size_t fixed = 0;
  std::size_t collected = 0;
  bool has_condition = false;  // carried[0]: whether there is a next iteration
  bool may_stop = false;       // no iteration is made if count is less than 1; else at least one is
};

// `name`: of `function`.
std::optional<HalvedIterations> FindHalvedIterations(const Graph& function, const std::string& name,
                                                     const FindFunction& find);

// What a graph returns, through other names of it; nullptr: not one value.
const Value* ResultOf(const Graph& graph);
// The name of the function that a relax.call calls.
std::string CalleeOf(const Node& call);

}  // namespace dragoman::tvmscript

#endif  // DRAGOMAN_IMPORTERS_RELAX_LOWER_RECURSION_H_
