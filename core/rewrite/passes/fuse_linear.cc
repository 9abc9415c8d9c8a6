#include "core/rewrite/passes.h"
#include "core/rewrite/patterns/linear_patterns.h"

namespace dragoman {

Result<bool> FuseLinear(Graph& graph, PassContext& context) {
  return ApplyPatterns(graph, context, LinearPatterns());
}

Result<bool> ReadProducts(Graph& graph, PassContext& context) {
  return ApplyPatterns(graph, context, ProductPatterns());
}

}  // namespace dragoman
