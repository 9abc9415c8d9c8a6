// SPDX-License-Identifier: Apache-2.0
// What Relax and Relay share on the way from a common graph.
#ifndef DRAGOMAN_CODEGEN_TVM_PREPARE_H_
#define DRAGOMAN_CODEGEN_TVM_PREPARE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/op_support.h"
#include "core/support/result.h"

namespace dragoman::tvm {

// The key of the extra of a dragoman.Fused that holds the attributes of its function in TVM.
inline constexpr std::string_view kGroupAttributes = "tvm.attributes";

// How TVM has an operator without an emitter, whose label `has` denies: lowered to others before,
// or not at all.
OpSupport SupportWithoutEmitter(const OpDef& def);

// Errors: unsupported, an input or output that is a map (runtime/program/map.h).
Status RefuseMaps(const Graph& entry);

// Which operands of a Concat along `axis` have elements there, as far as is known; if none has, the
// first. ONNX Runtime lets the others have any sizes, TVM does not.
std::vector<std::size_t> JoinedOperands(const Node& concat, std::size_t axis);

std::vector<Finding> FindingsOf(Status status);

// Those of `first`, and those of `second` about other places.
Error Joined(std::vector<Finding> first, Status second);

// Of a group of nodes, what each was and came from, in order:
// "onnx.Split @parts {axis = 1} from aten::chunk @gates {dim = 1}".
std::vector<std::string> MembersOf(const Graph& group);

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_CODEGEN_TVM_PREPARE_H_
