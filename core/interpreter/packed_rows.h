// SPDX-License-Identifier: Apache-2.0
// Products by a constant matrix of few bits, which DequantizeLinear makes real numbers of: some
// rows of it are widened at a time, and the whole matrix never.
#ifndef DRAGOMAN_CORE_INTERPRETER_PACKED_ROWS_H_
#define DRAGOMAN_CORE_INTERPRETER_PACKED_ROWS_H_

#include <map>
#include <vector>

#include "core/interpreter/array.h"
#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// Whether `constant` has no other use than in nodes whose rows PackedRows widens.
bool IsWidenedByRows(const Value& constant);

// The matrices of a running graph whose rows wait for the Linear that reads them.
class PackedRows {
 public:
  // Whether `node` gives such a matrix, with `operands`; the first of them is not read.
  bool Keep(const Node& node, const std::vector<RuntimeValue>& operands);

  // Whether `node` is a Linear by one of them.
  bool Has(const Node& node) const;
  // The result of that Linear with `operands`, of which the second is not read.
  Result<std::vector<RuntimeValue>> Multiply(const Node& node,
                                             const std::vector<RuntimeValue>& operands);

 private:
  struct Factors {
    Array scales, zeros;
  };
  std::map<const Node*, Factors> kept_;  // by the DequantizeLinear
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_PACKED_ROWS_H_
