// The functions of the passes; pipeline.cc lists and describes them.
#ifndef DRAGOMAN_CORE_REWRITE_PASSES_H_
#define DRAGOMAN_CORE_REWRITE_PASSES_H_

#include "core/rewrite/pass_context.h"

namespace dragoman {

Result<bool> EliminateDead(Graph& graph, PassContext& context);
Result<bool> EliminateIdentities(Graph& graph, PassContext& context);
Result<bool> FoldConstants(Graph& graph, PassContext& context);
Result<bool> FoldSizes(Graph& graph, PassContext& context);
Result<bool> MergeCommon(Graph& graph, PassContext& context);
Result<bool> ReadFunctions(Graph& graph, PassContext& context);
Result<bool> ReadProducts(Graph& graph, PassContext& context);
Result<bool> FuseRecurrences(Graph& graph, PassContext& context);
Result<bool> FuseLinear(Graph& graph, PassContext& context);
Result<bool> FoldTransposes(Graph& graph, PassContext& context);
Result<bool> FoldBatchNormalization(Graph& graph, PassContext& context);
Result<bool> RollChains(Graph& graph, PassContext& context);
Result<bool> FuseGates(Graph& graph, PassContext& context);
Result<bool> MoveDequantization(Graph& graph, PassContext& context);
Result<bool> UseIntegerProducts(Graph& graph, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_PASSES_H_
