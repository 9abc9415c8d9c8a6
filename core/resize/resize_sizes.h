// SPDX-License-Identifier: Apache-2.0
// Other sizes of images, sequences and the like, all the way through a model.
//
// Sizes are inferred twice: those that the model is for, and those that are asked for as symbols.
// Where the second are not the first once the symbols have their old numbers, a constant stood for
// a size. It is replaced where the sizes around it show which:
//
//   Reshape   the axes before and after it fall into groups of the same product; one axis of the
//             result is the product of its group, several are the axes that were put together
//             before
//   operands  that broadcast, or are put together, beside an operand of an open size, have that
//   size:
//             elements that are equal along the axis, numbers s, s + 1, … along it, a triangle of
//             a mask, rows of a table by such numbers, the beginning of a table, what elementwise
//             operators make of these, the result of a Resize
//   Resize    to the sizes of an input follows it
//
// A node of which the sizes cannot fit is refused. What is not proven is reported: a Resize that
// follows another value, numbers that begin at one that may stand for a size, a triangle, which may
// have been a band as wide as the mask or wider, and constants that may stand for a size, and fit
// without: bounds of a Slice, sizes of another Resize, windows over a whole axis, constant
// positions and counts in Gather, Scatter and TopK, single numbers equal to a size, one less, or
// one over it. Floats that stand for a size below 16 occur by chance, and are reported only
// beside a sum over an open size. Others, such as a size in a table or an attribute, or computed by
// several steps, are not noticed.
#ifndef DRAGOMAN_CORE_RESIZE_RESIZE_SIZES_H_
#define DRAGOMAN_CORE_RESIZE_RESIZE_SIZES_H_

#include <string>
#include <vector>

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/resize/constant_changes.h"
#include "core/support/result.h"

namespace dragoman {

struct SizesReport {
  ConstantChanges changes;            // what stood for a size
  std::vector<std::string> unproven;  // what may stand for one, or for another
};

// Makes the common `model`, of one entry, whose inputs have known sizes, one for `sizes`: symbols
// or numbers in place of known sizes above 1; and for `open`, in place of numbers for which no
// constant stands. Errors: every node that cannot work with them; a symbol for two sizes.
Result<SizesReport> ResizeInputs(Model& model, const std::vector<ShapeFact>& sizes,
                                 const std::vector<ShapeFact>& open = {});

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_RESIZE_RESIZE_SIZES_H_
