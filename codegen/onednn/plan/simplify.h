// SPDX-License-Identifier: Apache-2.0
// Rewrites of the common graph that suit a generated program: what one step computes better than
// several.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_SIMPLIFY_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_SIMPLIFY_H_

#include <span>

#include "core/ir/model.h"
#include "core/rewrite/pass_context.h"
#include "core/support/result.h"

namespace dragoman::onednn {

// Applies all patterns below, and those of core/rewrite that find normalisations and padding, to
// every graph of `model` until none applies. The meaning stays, up to
// the order of sums and products.
Status SimplifyForCpp(Model& model);

// BatchNormalization becomes a product and a sum, which fuse with their neighbours.
std::span<const Pattern> SplittingPatterns();
// ConvTranspose of an image of one element becomes a Linear; without a stride, of an image of known
// size, a Conv.
std::span<const Pattern> TransposedConvPatterns();
// Einsum of two operands, of more one pair after the other, and Gemm that is more than a product by
// packed weights and a bias, become a product of matrices, which may turn out to be one of
// attention.
std::span<const Pattern> ProductPatterns();
// GatherElements and ScatterElements whose indices are the same for all elements of a row, as graph
// networks have them, become Gather and ScatterND, which move whole rows.
std::span<const Pattern> RowPatterns();

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_SIMPLIFY_H_
