// SPDX-License-Identifier: Apache-2.0
// The families of patterns that remove nodes which give unchanged what there is already.
#ifndef DRAGOMAN_CORE_REWRITE_PATTERNS_IDENTITY_PATTERNS_H_
#define DRAGOMAN_CORE_REWRITE_PATTERNS_IDENTITY_PATTERNS_H_

#include <span>

#include "core/rewrite/pass_context.h"

namespace dragoman {

// `x` in place of what `node` gives; a copy of it where that gives an output its name.
Result<bool> ReplaceByCopy(Node& node, PassContext& context, Value* x);

std::span<const Pattern> CopyPatterns();     // Identity, Dropout, Cast, operators of one operand
std::span<const Pattern> ReshapePatterns();  // Reshape, Flatten, Squeeze, Unsqueeze
std::span<const Pattern> RegionPatterns();   // Slice, Pad, Expand, Tile, Transpose
std::span<const Pattern> RowPatterns();      // Concat of what is put together row by row
std::span<const Pattern> CutPatterns();      // elementwise operators on a Concat
std::span<const Pattern> PartPatterns();     // Slice, Gather, Split of a Concat
std::span<const Pattern> BranchPatterns();   // If with a known condition
std::span<const Pattern> ListPatterns();     // what is read of sequences
std::span<const Pattern> AxisPatterns();     // axes joined and split around a Transpose
std::span<const Pattern> SortedPatterns();   // the first of what is in order

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_PATTERNS_IDENTITY_PATTERNS_H_
