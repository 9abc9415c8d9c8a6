// SPDX-License-Identifier: Apache-2.0
// The passes that are functions, and those families of patterns that have a file in passes/;
// pipeline.cc lists and describes them.
#ifndef DRAGOMAN_CORE_REWRITE_PASSES_H_
#define DRAGOMAN_CORE_REWRITE_PASSES_H_

#include <span>

#include "core/rewrite/pass_context.h"

namespace dragoman {

Result<bool> EliminateDeadCode(Graph& graph, PassContext& context);
Result<bool> MergeCommonSubexpressions(Graph& graph, PassContext& context);
Result<bool> FuseRecurrences(Graph& graph, PassContext& context);
Result<bool> OpenGroups(Graph& graph, PassContext& context);
Result<bool> InferTripCounts(Graph& graph, PassContext& context);
Result<bool> RerollLoops(Graph& graph, PassContext& context);
Result<bool> FuseLoopCells(Graph& graph, PassContext& context);
Result<bool> FuseGates(Graph& graph, PassContext& context);
Result<bool> SplitSlices(Graph& graph, PassContext& context);
Result<bool> OmitGuards(Graph& graph, PassContext& context);
Result<bool> HideByInfinity(Graph& graph, PassContext& context);
// Both, where inputs of the entry are numbers of at most kUsualInput, of either sign, and no mask
// hides a whole row.
Result<bool> AssumeUsualInputs(Graph& graph, PassContext& context);
inline constexpr double kUsualInput = 1e6;

std::span<const Pattern> KnownSizePatterns();
std::span<const Pattern> FunctionPatterns();
std::span<const Pattern> ConstantPatterns();
std::span<const Pattern> LargeConstantPatterns();
std::span<const Pattern> WeightPatterns();
std::span<const Pattern> SinkingPatterns();
std::span<const Pattern> AnyOrderPatterns();  // those that move any Transpose
std::span<const Pattern> TransposePatterns();
std::span<const Pattern> BatchNormalizationPatterns();
std::span<const Pattern> DequantizationPatterns();
// Of use-integer-products, in the order in which it applies them.
std::span<const Pattern> QuantizedConstantPatterns();
std::span<const Pattern> QuantizedResultPatterns();
std::span<const Pattern> IntegerSumPatterns();

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_PASSES_H_
