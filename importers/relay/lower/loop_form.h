// SPDX-License-Identifier: Apache-2.0
// Functions that are loops: all calls of themselves stand at the end of the body, after
// conditions.
//
//     fn (%i, %s) { if (less(%i, 7)) { %while_loop(add(%i, 1), tanh(%s)) } else { (%i, %s) } }
#ifndef DRAGOMAN_IMPORTERS_RELAY_LOWER_LOOP_FORM_H_
#define DRAGOMAN_IMPORTERS_RELAY_LOWER_LOOP_FORM_H_

#include <optional>
#include <string_view>
#include <unordered_set>

#include "core/ir/graph.h"

namespace dragoman::relay {

struct LoopForm {
  std::unordered_set<const Node*> calls;  // of itself
  // The condition on one side of which all ways call the function again, and on the other side
  // none: it is asked in front of every iteration. nullptr: iterations end in several places.
  const Node* condition = nullptr;
  bool continues = true;  // what the condition is where the loop goes on

  const Graph& Side(bool holds) const;
};

// What gives `value`, through names that it was given; nullptr: an input or a constant.
const Node* ProducerBehindNames(const Value* value);
// The same of the output of `graph`, if it lies in it; else nullptr.
const Node* TailOf(const Graph& graph);

// Of a function whose body is `body`, and which is called by relay.Self of name `self` or by
// relay.GlobalVar of name `global`; one of them is empty.
std::optional<LoopForm> FindLoopForm(const Graph& body, std::string_view self,
                                     std::string_view global);

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_LOWER_LOOP_FORM_H_
