
#include "core/rewrite/passes.h"
#include "core/rewrite/patterns/identity_patterns.h"

namespace dragoman {

Result<bool> EliminateIdentities(Graph& graph, PassContext& context) {
  bool changed = false;
  for (std::span<const Pattern> family :
       {BranchPatterns(), CopyPatterns(), ReshapePatterns(), RegionPatterns(), RowPatterns(),
        CutPatterns(), PartPatterns(), ListPatterns()}) {
    DRAGOMAN_ASSIGN(const bool applied, ApplyPatterns(graph, context, family));
    changed = changed || applied;
  }
  return changed;
}

}  // namespace dragoman
