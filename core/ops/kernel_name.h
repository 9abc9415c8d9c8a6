// SPDX-License-Identifier: Apache-2.0
// Which instance of which kernel template computes a node: the one text that interpreter and code
// generator share.
#ifndef DRAGOMAN_CORE_OPS_KERNEL_NAME_H_
#define DRAGOMAN_CORE_OPS_KERNEL_NAME_H_

#include <string>
#include <string_view>

#include "core/ir/dtype.h"
#include "core/ops/infer_context.h"
#include "core/support/result.h"

namespace dragoman {

// The C++ type of one element in the runtime, as code in `namespace … { namespace rt =
// dragoman::rt; }` writes it: "float", "std::int64_t", "rt::Half". Empty for element types that the
// runtime lacks.
std::string_view CppType(DType dtype);
// The type that stands for elements of this one's size: "std::uint32_t" for f32, "std::string" for
// strings.
std::string_view CppBitsType(DType dtype);
// Bytes of one element in the runtime, where 4-bit types take a byte; 0 for strings.
std::size_t RuntimeBytes(DType dtype);

// "Softmax<float>", "Gather<std::uint32_t, std::int64_t>": the function template and its arguments
// for the operator of `context`. Errors: the operator has no kernel, or an element type is not
// known.
Result<std::string> KernelInstance(const OpDef& def, std::span<const DType> variables);

// Gives the type variable of `formal`, if it has one and that has none yet, `dtype`.
void BindVariable(const Formal* formal, DType dtype, std::vector<DType>& bound);

// The element types that the operands and results of `node` give to the type variables of `def`, by
// index.
std::vector<DType> BindVariables(const Node& node, const OpDef& def);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_KERNEL_NAME_H_
