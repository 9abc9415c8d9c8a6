// SPDX-License-Identifier: Apache-2.0
#include "core/ir/model_symbols.h"

#include "core/ir/for_each_value.h"
#include "core/ir/type_algebra.h"

namespace dragoman {

std::set<std::string> SymbolsOf(const Model& model) {
  std::set<std::string> symbols;
  ForEachGraph(model, [&](const Graph& graph) {
    ForEachValue(graph, [&](const Value& value) { AddSymbols(value.type(), symbols); });
  });
  return symbols;
}

}  // namespace dragoman
