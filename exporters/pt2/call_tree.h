// SPDX-License-Identifier: Apache-2.0
// How a program is called: its arguments and results as trees of Python's containers.
#ifndef DRAGOMAN_EXPORTERS_PT2_CALL_TREE_H_
#define DRAGOMAN_EXPORTERS_PT2_CALL_TREE_H_

#include <cstddef>
#include <functional>
#include <vector>

#include "core/ir/model.h"
#include "exporters/pt2/json.h"

namespace dragoman::pt2 {

// The calling convention of the entry, and its flat inputs and outputs in the order of the leaves:
// those that `is_argument` and `is_result` let pass. Errors: as JsonText.
Result<Json> CallSignature(const Entry& entry, const std::function<bool(std::size_t)>& is_argument,
                           const std::function<bool(std::size_t)>& is_result,
                           std::vector<std::size_t>& flat_inputs,
                           std::vector<std::size_t>& flat_outputs);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_CALL_TREE_H_
