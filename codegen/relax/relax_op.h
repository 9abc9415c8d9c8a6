// SPDX-License-Identifier: Apache-2.0
// What the emitter of one operator works with.
//
// Adding an operator: a function in ops/<family>.cc and a row at its end. It
// gives one expression a result; what it needs before that it binds to names. It refuses, with
// Refuse, whatever Relax would compute differently. Expressions are written for the latest release
// of TVM; release.h says them as an older one has them.
#ifndef DRAGOMAN_CODEGEN_RELAX_RELAX_OP_H_
#define DRAGOMAN_CODEGEN_RELAX_RELAX_OP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/relax/relax_text.h"
#include "codegen/relax/release.h"
#include "codegen/tvm/tvm_op.h"
#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman::relax {

struct RelaxOp : tvm::TvmOp {
  const SymbolNames& symbols;
  const Release release;
  // The variable or constant that stands for a value.
  std::function<std::string(const Value*)> name_of;
  // Binds a variable to an expression of that type and gives its name; an unknown type is left out.
  std::function<std::string(const std::string& expression, const Type& type)> bind;
  // Declares the symbols of a type that only run time knows. Errors: within a branch.
  std::function<Status(const Type& type)> declare;

  std::string arg(std::size_t i) const { return name_of(node.operand(i)); }
  Result<std::string> shape_text(const Shape& shape) const;

  // `R.const(value, dtype)` of the element type of operand `like`.
  std::string Const(double value, std::size_t like = 0) const;
  // A float attribute as an argument, rounded as the element type of operand 0 holds it.
  std::string FloatArgument(double value) const;
  // bind with the type of operand 0.
  std::string BindLike(const std::string& expression) const { return bind(expression, type()); }
  // bind without an annotation.
  std::string BindPlain(const std::string& expression) const { return bind(expression, {}); }
  // Binds `R.function(arguments…)` without an annotation.
  template <class... Arguments>
  std::string Do(std::string_view function, const Arguments&... arguments) const {
    std::string text;
    ((text += (text.empty() ? "" : ", ") + std::string(arguments)), ...);
    return BindPlain("R." + std::string(function) + "(" + text + ")");
  }
  // `x` of element type `from` as one of type `to`.
  std::string Astype(const std::string& x, DType from, DType to) const;
  // Operand `i` as element type `to`.
  std::string ArgAs(std::size_t i, DType to) const { return Astype(arg(i), dtype(i), to); }
  // "R.shape([2, n])". Errors: a size that only run time knows.
  Result<std::string> ShapeValue(const Shape& shape) const;
};

using Expressions = Result<std::vector<std::string>>;
// The one expression of an operator with one result.
inline Expressions One(std::string expression) { return std::vector{std::move(expression)}; }

// `R.const(value, "dtype")`.
std::string ConstOf(double value, DType dtype);

struct Row {
  std::string_view label;
  Expressions (*emit)(RelaxOp& op);
  bool says_otherwise = false;  // its one call, where it is one, is of what says something else too
  // Whether the emitter takes a node of an operator that has an expansion; null: it takes all.
  bool (*takes)(const Node& node) = nullptr;
};
// The row of operator `label` ("Conv", "dragoman.Linear"), or nullptr.
const Row* FindRow(std::string_view label);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_RELAX_OP_H_
