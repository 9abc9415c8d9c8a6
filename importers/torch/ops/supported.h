// SPDX-License-Identifier: Apache-2.0
// Which operators of torch have a lowering.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_SUPPORTED_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_SUPPORTED_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman::torch {

// "add" of "add_": the operator that an in-place form is derived from; empty if `type` is none.
std::string InPlaceBase(std::string_view type);

// Whether some arguments of `op` have a lowering, of its own or of what it is the in-place form of.
bool IsSupported(const OpName& op);

// One overload: "aten.add.Tensor" and torch's schema, which operators of scripts may lack.
struct SupportedOverload {
  std::string name;
  std::string schema;
};

// The overloads of the operators of `dialect` ("aten", "prim", "torchvision", …) that have a
// lowering, sorted by name.
std::vector<SupportedOverload> SupportedOverloads(std::string_view dialect);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_SUPPORTED_H_
