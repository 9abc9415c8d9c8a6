#include "core/rewrite/passes.h"
#include "core/rewrite/patterns/linear_patterns.h"

namespace dragoman {

Result<bool> FuseLinear(Graph& graph, PassContext& context) {
  return ApplyPatterns(graph, context, LinearPatterns());
}

}  // namespace dragoman
