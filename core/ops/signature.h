// SPDX-License-Identifier: Apache-2.0
// Operator signatures in one readable line.
//
//     (data: T, indices: Tind) -> (output: T)          with     "T: any; Tind: index"
//
// An operand or result is `name: V`, where V is a type variable or, for a fixed element type, its
// name (`i64`). After it may stand
//   ?  optional          *  variadic, one or more       +  variadic whose element types may differ
//   #  the sizes of results depend on the operand's value (Reshape's shape)
// A type variable lists element types by name, or by a class: any, basic (those of ONNX's first
// versions: no bf16, no 8- or 4-bit floats, no 4-bit ints), number (float int), float (f16 bf16 f32
// f64), int (signed unsigned), signed, unsigned, index (i32 i64), float8, quant (4 and 8
// bit ints, float8), complex, bool, str. `value` in place of element types: any type at all,
// sequences and optionals too.
#ifndef DRAGOMAN_CORE_OPS_SIGNATURE_H_
#define DRAGOMAN_CORE_OPS_SIGNATURE_H_

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/dtype.h"

namespace dragoman {

struct DTypeSet {
  std::bitset<32> bits;
  bool any_value = false;  // sequences and optionals too

  bool Has(DType dtype) const { return bits[static_cast<std::size_t>(dtype)]; }
  std::string ToString() const;
};

struct TypeVariable {
  std::string name;
  DTypeSet allowed;
};

struct Formal {
  std::string name;
  int variable = -1;  // index into Signature::variables; -1: `fixed`
  DType fixed = DType::kUnknown;
  bool optional = false;
  bool variadic = false;
  bool heterogeneous = false;  // variadic, each of its own element type
  bool sizes_results = false;  // '#'
};

struct Signature {
  std::vector<Formal> operands;
  std::vector<Formal> results;
  std::vector<TypeVariable> variables;

  // The formal that operand or result `i` fills; nullptr beyond the last.
  const Formal* Operand(std::size_t i) const { return FormalAt(operands, i); }
  const Formal* ResultAt(std::size_t i) const { return FormalAt(results, i); }
  int FindVariable(std::string_view name) const;
  std::string ToString() const;

 private:
  static const Formal* FormalAt(const std::vector<Formal>& formals, std::size_t i);
};

// Both texts are ours: a mistake in them is a programming error and aborts with a message.
Signature ParseSignature(std::string_view signature, std::string_view variables);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_SIGNATURE_H_
