// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/simplify.h"

#include "core/rewrite/passes.h"
#include "core/rewrite/patterns/function_patterns.h"
#include "core/rewrite/patterns/spelling_patterns.h"

namespace dragoman::onednn {
namespace {

constexpr int kMaxRounds = 16;  // a pattern never undoes another: few are needed

Result<bool> SimplifyGraph(Graph& graph, PassContext& context) {
  bool changed = false;
  for (std::span<const Pattern> patterns :
       {PaddingPatterns(), SplittingPatterns(), TransposedConvPatterns(), ProductPatterns(),
        NormalizationPatterns(), RowPatterns()}) {
    DRAGOMAN_ASSIGN(const bool applied, ApplyPatterns(graph, context, patterns));
    changed = changed || applied;
  }
  return changed;
}

Result<bool> SimplifyEntry(Graph& entry, PassContext& context) {
  std::vector<Graph*> graphs;
  ForEachGraph(entry, [&](Graph& graph) { graphs.push_back(&graph); });
  bool changed = false;
  for (Graph* graph : graphs) {
    DRAGOMAN_ASSIGN(const bool simplified, SimplifyGraph(*graph, context));
    changed = changed || simplified;
  }
  if (changed) {
    DRAGOMAN_ASSIGN(const bool removed, EliminateDeadCode(entry, context));
    static_cast<void>(removed);
  }
  return changed;
}

}  // namespace

Status SimplifyForCpp(Model& model) {
  for (Entry& entry : model.entries) {
    bool changed = true;
    for (int round = 0; changed && round < kMaxRounds; ++round) {
      DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(*entry.graph, nullptr));
      DRAGOMAN_ASSIGN(changed, SimplifyEntry(*entry.graph, context));
    }
  }
  return {};
}

}  // namespace dragoman::onednn
