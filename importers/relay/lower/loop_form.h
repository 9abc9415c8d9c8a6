// Functions that are loops: a condition at the end of the body, on one side of which the function
// calls itself, and nothing else does.
//
//     fn (%i, %s) { if (less(%i, 7)) { %while_loop(add(%i, 1), tanh(%s)) } else { (%i, %s) } }
#ifndef DRAGOMAN_IMPORTERS_RELAY_LOWER_LOOP_FORM_H_
#define DRAGOMAN_IMPORTERS_RELAY_LOWER_LOOP_FORM_H_

#include <optional>
#include <string_view>

#include "core/ir/graph.h"

namespace dragoman::relay {

struct LoopForm {
  const Node* condition = nullptr;  // relay.If
  bool continues = true;            // what the condition is where the loop goes on
  const Node* call = nullptr;       // of itself

  const Graph& Side(bool holds) const;
};

// Of a function whose body is `body`, and which is called by relay.Self of name `self` or by
// relay.GlobalVar of name `global`; one of them is empty.
std::optional<LoopForm> FindLoopForm(const Graph& body, std::string_view self,
                                     std::string_view global);

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_LOWER_LOOP_FORM_H_
