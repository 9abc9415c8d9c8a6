// SPDX-License-Identifier: Apache-2.0
// The struct behind the model's class: what it is made of, and how it is constructed.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_IMPL_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_IMPL_H_

#include <string>

#include "codegen/onednn/emit/emit_steps.h"
#include "codegen/onednn/emit/text.h"
#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

// Whether a program has prepared operators.
bool UsesOneDnn(const Plan& plan);
// Whether a program runs steps on threads: loops of runtime/fast run on as many as its primitives.
bool UsesThreads(const Plan& plan);
bool DrawsRandomNumbers(const Plan& plan);

// What stands before a value that is given, whether or not a step reads it.
std::string UnusedMark(const Buffer& buffer);

// "(const rt::TensorView<const float> x, rt::Tensor<float>* y)": the parameters of an entry behind
// the public method, which has checked their sizes.
std::string ImplParameters(const Plan& plan, const PlanEntry& entry);

// Headers of all that the members and steps use.
void EmitImplIncludes(const Plan& plan, CodeWriter& code);

// The declaration: methods, a further one for each part of a long entry, and members.
void EmitImplStruct(const Plan& plan, const Members& members, CodeWriter& code);

// Constructor, Prepare() and Reset().
void EmitImplConstruction(const Plan& plan, const Members& members, CodeWriter& code);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_IMPL_H_
