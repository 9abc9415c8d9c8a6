// SPDX-License-Identifier: Apache-2.0
// Sizes that only run time knows: computed as int64 tensors, turned into shapes, and named by
// R.match_cast.
#ifndef DRAGOMAN_CODEGEN_RELAX_OPS_RUNTIME_SIZES_H_
#define DRAGOMAN_CODEGEN_RELAX_OPS_RUNTIME_SIZES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/relax/relax_op.h"

namespace dragoman::relax {

// Whether the text can express every size now.
bool IsSaid(const RelaxOp& op, const Shape& shape);

std::string Int64Const(std::int64_t value);
// Integer operand `i` as int64.
std::string AsInt64(RelaxOp& op, std::size_t i);
// Element `at` of a vector, 0-d.
std::string ElementOf(RelaxOp& op, const std::string& vector, std::int64_t at);
// All sizes of `x` as an int64 vector.
std::string SizesOf(RelaxOp& op, const std::string& x);
// One size of operand `i` as a 0-d int64 tensor.
std::string SizeOf(RelaxOp& op, std::size_t i, const Dim& size, std::int64_t axis);

// `shape` as R.shape([…]). What of it is not said yet is named after the int64 vector `sizes`.
// Errors: a size that cannot be expressed, or symbols that stand nowhere alone.
Result<std::string> NameSizes(RelaxOp& op, const std::string& sizes, const Shape& shape);
// The same for one size, held by the 0-d tensor `size`; as an expression.
Result<std::string> NameSize(RelaxOp& op, const std::string& size, const Dim& dim);

// Operand `i` with the sizes `wanted`, which it must have: where TVM cannot prove that it has, a
// cast states them, which is checked at run time.
std::string CastTo(RelaxOp& op, std::size_t i, Shape wanted);

// `x`, whose axis has the size of the 0-d tensor `size`, with `count` (an expression) elements
// along it, where that is the size or the size is 1. TVM's own broadcasts go by what is known of
// sizes when a module is compiled.
std::string Stretched(RelaxOp& op, const std::string& x, std::int64_t axis, const std::string& size,
                      const std::string& count);
// The operands of an elementwise operator, as TVM proves that they fit: those of sizes that may
// differ or be 1 are stretched. Errors: sizes that cannot be expressed.
Result<std::vector<std::string>> FitOperands(RelaxOp& op);

// 0 … n - 1 as int64, for the expression `n`.
std::string Places(RelaxOp& op, const std::string& n);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_OPS_RUNTIME_SIZES_H_
