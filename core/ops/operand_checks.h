// SPDX-License-Identifier: Apache-2.0
// What kernels trust of their operands' sizes. Each check passes over an omitted operand; what is
// certainly wrong is an error, and what is not known is left open.
#ifndef DRAGOMAN_CORE_OPS_OPERAND_CHECKS_H_
#define DRAGOMAN_CORE_OPS_OPERAND_CHECKS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "core/ops/infer_context.h"

namespace dragoman {

// A condition on the sizes of an operand that its kernel trusts and that is left open. Who runs the
// node where nothing is inferred any more, a generated program, has to ask.
struct OpenCheck {
  enum class Kind { kOneElement, kMinRank, kSizes, kOneElementOrSizes, kBroadcastsTo };

  Kind kind = Kind::kOneElement;
  std::size_t operand = 0;
  Shape sizes = {};                      // expected
  std::optional<std::size_t> like = {};  // in place of `sizes`: those of this operand
  int rank = 0;                          // kMinRank
};

// Collects what the rules that this thread applies leave open while it lives; scopes do not nest.
class OpenCheckScope {
 public:
  OpenCheckScope();
  ~OpenCheckScope();
  OpenCheckScope(const OpenCheckScope&) = delete;
  OpenCheckScope& operator=(const OpenCheckScope&) = delete;

  const std::vector<OpenCheck>& checks() const { return checks_; }

 private:
  friend void LeaveOpen(const InferContext& context, OpenCheck check);

  std::vector<OpenCheck> checks_;
};

// Leaves `check` open, unless its operand is omitted.
void LeaveOpen(const InferContext& context, OpenCheck check);

// Operand `i` has one element, of whatever rank.
Status CheckScalar(const InferContext& context, std::size_t i);
// Operand `i` has at least rank `rank`.
Status CheckMinRank(const InferContext& context, std::size_t i, int rank);
// Operand `i` has rank 1 and `size` elements.
Status CheckVector(const InferContext& context, std::size_t i, const Dim& size);
// Operand `i` has one element, of whatever rank, or rank 1 and `size` elements.
Status CheckScalarOrVector(const InferContext& context, std::size_t i, const Dim& size);
// Operand `i` has sizes `expected`.
Status CheckShape(const InferContext& context, std::size_t i, const Shape& expected);
// Operand `i` has the shape of operand `j`.
Status CheckSameShape(const InferContext& context, std::size_t i, std::size_t j);
// Operand `i` broadcasts to the shape of operand `j`, which stays as it is.
Status CheckBroadcastsTo(const InferContext& context, std::size_t i, std::size_t j);
// Operand `i` broadcasts to sizes `to`, which stay as they are.
Status CheckBroadcastsTo(const InferContext& context, std::size_t i, const Shape& to);

// The channels of operand 0: its size on axis 1, 1 for rank 1, unknown if its rank is.
Dim ChannelsOf(const InferContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_OPERAND_CHECKS_H_
