// SPDX-License-Identifier: Apache-2.0
// What Relax and Relay share of sliding windows: their pads come in the order of ONNX, and both
// need them as numbers.
#ifndef DRAGOMAN_CODEGEN_TVM_WINDOW_PADS_H_
#define DRAGOMAN_CODEGEN_TVM_WINDOW_PADS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman::tvm {

// `values`, or `count` times `fill` if there are none.
std::vector<std::int64_t> OrFill(std::vector<std::int64_t> values, std::int64_t count,
                                 std::int64_t fill);

// The pads of the `spatial` axes of operand 0, begin… then end…, automatic padding resolved.
// nullopt: automatic padding of a size that only run time knows.
std::optional<std::vector<std::int64_t>> WindowPads(const Node& node, std::int64_t spatial,
                                                    const std::vector<std::int64_t>& kernel);

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_CODEGEN_TVM_WINDOW_PADS_H_
