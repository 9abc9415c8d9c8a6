// SPDX-License-Identifier: Apache-2.0
// How a Scan's operands and results divide, and along which axes it goes.
#ifndef DRAGOMAN_CORE_OPS_SCAN_H_
#define DRAGOMAN_CORE_OPS_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// Operands are `states` states, then what is scanned; results are the final states, then what the
// iterations gave, stacked.
struct ScanLayout {
  std::size_t states = 0;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::vector<std::int64_t> input_axes;   // negative: from the end
  std::vector<std::int64_t> output_axes;  // in the rank with the stacked axis
  std::vector<bool> input_reversed;
  std::vector<bool> output_reversed;
};

// Reads the attributes of a Scan, whose body is `body`. Errors: counts that do not fit the operands
// or the body.
Result<ScanLayout> ReadScan(const Node& node, const Graph& body);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_SCAN_H_
