// SPDX-License-Identifier: Apache-2.0
// Elementwise operators in f32 as terms of a loop (runtime/fast/map.h).
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_SCALAR_OPS_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_SCALAR_OPS_H_

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

// A function of up to kMaxScalarArguments numbers.
struct ScalarOp {
  std::string_view name;
  std::string_view text;  // C++: "rt::fast::Clip({0}, {1}, {2})"
  double (*compute)(const double* arguments);
};

inline constexpr int kMaxScalarArguments = 3;

// nullptr if there is none of that name.
const ScalarOp* FindScalarOp(std::string_view name);

// The name of the scalar operator that computes an activation, of its alpha and beta where it has
// these. There is one of every activation but kNone.
std::string_view ScalarNameOf(rt::FusedActivation activation);

// A node as a function of some of its operands and of numbers.
struct ScalarCall {
  const ScalarOp* op = nullptr;
  // An operand's index, or a number.
  struct Argument {
    int operand = -1;
    float number = 0.0f;
  };
  std::vector<Argument> arguments;
};

// What an elementwise node of f32 tensors computes; nullopt if it is none, or none of these.
std::optional<ScalarCall> ToScalarCall(const Node& node);

// The value of the last of `terms`, all of whose buffers have the values that `inputs` gives to
// `operands`.
double Evaluate(std::span<const MapTerm> terms, std::span<const BufferId> operands,
                std::span<const double> inputs);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_SCALAR_OPS_H_
