// SPDX-License-Identifier: Apache-2.0
// Pieces of TVMScript: types, sizes, constants.
#ifndef DRAGOMAN_CODEGEN_RELAX_RELAX_TEXT_H_
#define DRAGOMAN_CODEGEN_RELAX_RELAX_TEXT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/dim.h"
#include "core/ir/tensor.h"
#include "core/ir/type.h"

namespace dragoman::relax {

// Symbols of the model to Python names, for those that the signature defines.
using SymbolNames = std::map<std::string, std::string>;

// TVM's name of an element type; empty if it has none (strings, complex, 4-bit).
std::string_view RelaxDType(DType dtype);

// A size as a Python expression; nullopt if it is unknown, or uses a symbol that `names` lacks, or
// `broadcast`.
std::optional<std::string> DimText(const Dim& dim, const SymbolNames& names);
// "(2, n)"; a single size has its comma. nullopt like DimText.
std::optional<std::string> ShapeText(const Shape& shape, const SymbolNames& names);
// "R.shape([2, n])"; nullopt like DimText.
std::optional<std::string> ShapeValueText(const Shape& shape, const SymbolNames& names);
// "[1, 0]"
std::string ListText(std::span<const std::int64_t> values);

// `R.Tensor((2, n), dtype="float32")`, with ndim where sizes cannot be expressed.
std::string TypeText(const Type& type, const SymbolNames& names);

// The same in a signature, where a symbolic size is a string: `R.Tensor(("n", 4),
// dtype="float32")`.
std::string SignatureType(const Type& type, const SymbolNames& names);

// What a signature says of a value of tensor type.
struct Parameter {
  std::string name;
  std::string type;
};

// "@R.function…" and "def name(…) -> result:".
struct FunctionHead {
  std::string name;
  bool is_private = false;
  bool pure = true;
  std::vector<Parameter> parameters;
  std::vector<std::string> results;  // types; one stands alone, others are a tuple

  std::string Text() const;
};

// "a", or "(a, b)", or "R.tuple()".
std::string TupleText(std::span<const std::string> elements);
// Element `i` of what TupleText made of `count` elements.
std::string ElementText(const std::string& tuple, std::size_t i, std::size_t count);

// A Python string literal.
std::string QuotedText(std::string_view text);

// `R.const(1.5, "float32")`, nested lists by row. nullopt for element types that have no literal.
std::optional<std::string> ConstText(const Tensor& tensor);
// A float as Python reads it back: "1.5", "1e-05", `float("inf")`.
std::string PythonFloat(double value, bool is_double);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_RELAX_TEXT_H_
