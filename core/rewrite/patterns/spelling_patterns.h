// SPDX-License-Identifier: Apache-2.0
// Patterns that give what can be said in several ways one spelling.
#ifndef DRAGOMAN_CORE_REWRITE_PATTERNS_SPELLING_PATTERNS_H_
#define DRAGOMAN_CORE_REWRITE_PATTERNS_SPELLING_PATTERNS_H_

#include <span>

#include "core/rewrite/pass_context.h"

namespace dragoman {

std::span<const Pattern> AttributePatterns();  // what changes nothing; axes; sizes
std::span<const Pattern> OperandPatterns();    // bounds of Slice and Clip, fill of Pad
std::span<const Pattern> OperatorPatterns();   // operators that others say; operands that are idle
std::span<const Pattern> ChoicePatterns();     // by masks, of one row, of the only element
std::span<const Pattern> PaddingPatterns();    // Pad in front of a window
std::span<const Pattern> WrapPatterns();       // Pad by the other end of an axis
std::span<const Pattern> MirrorPatterns();     // Pad by elements of an axis that are read again
std::span<const Pattern> WindowPatterns();     // of images that are one row
std::span<const Pattern> TrianglePatterns();   // of matrices, by masks
std::span<const Pattern> ElementwisePatterns();    // between Reshapes
std::span<const Pattern> NumberPatterns();         // of tensors that are one number
std::span<const Pattern> IndexPatterns();          // of GatherND
std::span<const Pattern> JoinedSizePatterns();     // of several axes of a tensor
std::span<const Pattern> SizePatterns();           // of inputs, and places along open axes
std::span<const Pattern> ReferringSizePatterns();  // of Reshape, where none is 0

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_PATTERNS_SPELLING_PATTERNS_H_
