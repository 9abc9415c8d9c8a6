// SPDX-License-Identifier: Apache-2.0
// The passes that make a Plan of one step a node into one that is fast, in the order in which
// MakePlan runs them. Each leaves the meaning of the Plan as it was.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_PASSES_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_PASSES_H_

#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

// What only reads the result of a product of 8-bit integers becomes part of its epilogue
// (runtime/fast/int8_epilogue.h): scales, biases, limits, quantisation, a residual. Results stay
// equal to the last bit.
void FuseInt8Epilogues(Plan& plan);

// Elementwise steps in f32 become loops of one term each (MapStep).
void MakeMaps(Plan& plan);

// A loop over the result of a prepared operator alone becomes its post-op. Which function it is,
// its values decide, not its spelling.
void FuseActivations(Plan& plan);

// Loops over the same sizes, of which one reads what the other makes, become one.
void FuseMaps(Plan& plan);

// As FuseActivations, and also loops that add a further tensor before or after the activation.
void FusePostOps(Plan& plan);

// Forms layout groups of what convolutions, pools, loops and concatenations of channels make and
// only those read. Where another step reads such a tensor too, it reads a row-major copy.
void FormLayoutGroups(Plan& plan);

// In programs of bf16, tensors between products that are computed in it, and what else reads and
// writes such (convolutions, products, pools, loops, normalisations of rows), are in bf16. All else
// is an island of f32: what a step that handles nothing else reads or makes, residual sums, inputs
// and outputs.
void NarrowActivations(Plan& plan);

// Images of 8-bit integers between convolutions lie channels last. Where another step reads such an
// image too, it reads a row-major copy.
void PutChannelsLast(Plan& plan);

// Operands of concatenations are made where they end up, what splits and slices take in one piece
// is read where it lies, and results are made over operands that are not needed any more. Lifetimes
// are known.
void ShareMemory(Plan& plan);

// Operators with an activation need not look for NaN in operands that come of others that did.
void TrustOperands(Plan& plan);

// Names what loops compute. Those that compute the same get one body: compilers take their time for
// each.
void ShareLoops(Plan& plan);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_PASSES_H_
