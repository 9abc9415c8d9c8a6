// SPDX-License-Identifier: Apache-2.0
// Einsum. TVM has it of floats and of sizes that are known when it compiles; else it is written as
// a sum of products.
#include "codegen/relay/ops/op_rows.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "codegen/relay/ops/sizes.h"
#include "runtime/params/einsum.h"

namespace dragoman::relay::emit {
namespace {

using rt::EinsumSpace;

// The axes over which the sum of products runs, the result's first, and those of each operand; by
// the names that EinsumSpace gives them.
struct Terms {
  Ints space;
  std::size_t result_rank = 0;
  std::vector<Ints> operands;
};

bool Has(const Ints& axes, std::int64_t axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

// Errors: an axis that an operand has twice.
Result<Ints> AxesOf(const RelayOp& op, const rt::EinsumParams& params, std::size_t i) {
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank(i));
  rt::Shape names;
  if (!rt::EinsumOperandAxes(params, static_cast<int>(i), static_cast<int>(rank), &names).ok())
    return op.Refuse("an equation of other ranks");
  Ints axes;
  for (int axis = 0; axis < names.size(); ++axis) {
    if (Has(axes, names[axis]))
      return op.Refuse("a diagonal of integers, or of sizes that are known at run time only");
    axes.push_back(names[axis]);
  }
  return axes;
}

Result<Terms> TermsOf(const RelayOp& op, const std::string& equation) {
  rt::EinsumParams params;
  const auto length = static_cast<std::int64_t>(equation.size());
  if (!rt::ParseEinsum(equation.data(), length, &params).ok()) return op.Refuse("the equation");
  Terms terms;
  Ints all;
  for (std::size_t i = 0; i < op.node.num_operands(); ++i) {
    DRAGOMAN_ASSIGN(Ints axes, AxesOf(op, params, i));
    all.insert(all.end(), axes.begin(), axes.end());
    terms.operands.push_back(std::move(axes));
  }
  const auto append = [&](std::int64_t axis) {
    if (Has(all, axis) && !Has(terms.space, axis)) terms.space.push_back(axis);
  };
  for (const std::int64_t label : params.output) {
    if (label != rt::kEinsumEllipsis)
      append(label);
    else
      for (int i = rt::kMaxRank; --i >= 0;) append(EinsumSpace::kEllipsisAxis + i);
  }
  terms.result_rank = terms.space.size();
  for (const std::int64_t axis : all) append(axis);
  return terms;
}

// `x` with the axes of the space, of size 1 where it has none.
Value* Aligned(RelayOp& op, Value* x, const Ints& axes, const Ints& space) {
  Ints order;
  for (const std::int64_t axis : space) {
    const auto found = std::ranges::find(axes, axis);
    if (found != axes.end()) order.push_back(found - axes.begin());
  }
  if (!std::ranges::is_sorted(order)) x = Transpose(op, x, std::move(order));
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (!Has(axes, space[i]))
      x = op.Do("expand_dims", {x}, {{"axis", static_cast<std::int64_t>(i)}});
  }
  return x;
}

Emitted EmitEinsum(RelayOp& op) {
  const std::string equation = op.String("equation", "");
  if (IsFloating(op.dtype()) && !HasOpenSizes(op.node))
    return One(op.Do("einsum", {op.builder.Tuple(op.args())}, {{"equation", equation}}));
  DRAGOMAN_ASSIGN(const Terms terms, TermsOf(op, equation));
  Value* product = nullptr;
  for (std::size_t i = 0; i < terms.operands.size(); ++i) {
    Value* factor = Aligned(op, op.arg(i), terms.operands[i], terms.space);
    product = product == nullptr ? factor : op.Do("multiply", {product, factor});
  }
  Ints summed;
  for (std::size_t i = terms.result_rank; i < terms.space.size(); ++i)
    summed.push_back(static_cast<std::int64_t>(i));
  return One(summed.empty() ? product : op.Do("sum", {product}, {{"axis", std::move(summed)}}));
}

}  // namespace

std::span<const Row> EinsumRows() {
  static constexpr Row kRows[] = {
      {"Einsum", EmitEinsum, "", true},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit
