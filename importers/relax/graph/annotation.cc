// SPDX-License-Identifier: Apache-2.0
// Annotations: types and sizes.
#include <fmt/format.h>

#include "importers/relax/graph/expr_text.h"
#include "importers/relax/graph/parse_module.h"

namespace dragoman::tvmscript {
namespace {

using python::Expr;
using Kind = Expr::Kind;

const Expr& Callee(const Expr& expr) {
  return expr.kind == Kind::kCall ? expr.parts.front() : expr;
}

// What follows "R." in the name of a type; empty: it is none.
std::string TypeName(const Expr& expr) {
  const std::string name = DottedName(Callee(expr));
  if (!name.starts_with("R.") || name.size() < 3 || name[2] < 'A' || name[2] > 'Z') return "";
  return name.substr(2);
}

bool IsBuiltinType(const std::string& name) {
  for (const char* known : {"Tensor", "Tuple", "Shape", "Prim", "Object", "Any", "Callable"}) {
    if (name == known) return true;
  }
  return false;
}

std::optional<Dim> Binary(const std::string& op, const Dim& a, const Dim& b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "//") return FloorDiv(a, b);
  if (op == "%") return Mod(a, b);
  return std::nullopt;
}

std::optional<Dim> CalledDim(const Expr& expr) {
  const std::string name = DottedName(expr.parts.front());
  if (name == "T.int64" && expr.parts.size() == 2) return DimOf(expr.parts[1]);
  if ((name != "T.min" && name != "T.max" && name != "T.floordiv" && name != "T.floormod") ||
      expr.parts.size() != 3)
    return std::nullopt;
  const std::optional<Dim> a = DimOf(expr.parts[1]);
  const std::optional<Dim> b = DimOf(expr.parts[2]);
  if (!a || !b) return std::nullopt;
  if (name == "T.min") return Min(*a, *b);
  if (name == "T.max") return Max(*a, *b);
  return name == "T.floordiv" ? FloorDiv(*a, *b) : Mod(*a, *b);
}

// Sizes of a tuple or a list; `plain` as of Annotation.
std::optional<Shape> SizesOf(const Expr& expr, bool& plain) {
  if (expr.kind != Kind::kTuple && expr.kind != Kind::kList) return std::nullopt;
  Shape shape;
  for (const Expr& part : expr.parts) {
    std::optional<Dim> dim = DimOf(part);
    if (!dim) return std::nullopt;
    plain = plain && (dim->known() || dim->symbol() != nullptr);
    shape.push_back(std::move(*dim));
  }
  return shape;
}

Annotation TensorAnnotation(const Expr& expr) {
  Annotation annotation;
  std::optional<Shape> shape;
  DType dtype = DType::kUnknown;
  const std::size_t positional = expr.parts.size() - expr.keywords.size();
  for (std::size_t i = 1; i < expr.parts.size(); ++i) {
    const Expr& part = expr.parts[i];
    const std::string keyword = i < positional ? "" : expr.keywords[i - positional];
    if (part.kind == Kind::kString && (keyword.empty() || keyword == "dtype")) {
      dtype = DTypeFromName(part.text).value_or(DType::kUnknown);
      annotation.plain = annotation.plain && keyword == "dtype" && NumpyName(dtype) == part.text;
    } else if (keyword.empty() || keyword == "shape") {
      shape = SizesOf(part, annotation.plain);
      annotation.plain = annotation.plain && shape && keyword.empty();
    } else if (keyword == "ndim" && part.kind == Kind::kInt && part.int_value >= 0 &&
               part.int_value <= 64) {
      shape = Shape(static_cast<std::size_t>(part.int_value));
    } else {
      annotation.plain = false;
    }
  }
  annotation.plain = annotation.plain && dtype != DType::kUnknown;
  annotation.type = Type::Tensor(dtype, std::move(shape));
  return annotation;
}

// Of tensors, or of tuples of them; anything else is opaque.
std::optional<Type> TupleType(const Expr& expr) {
  std::vector<Type> elements;
  for (std::size_t i = 1; i < expr.parts.size(); ++i) {
    if (expr.parts[i].kind == Kind::kList && expr.parts.size() == 2) return std::nullopt;
    elements.push_back(AnnotationOf(expr.parts[i]).type);
    if (elements.back().nesting() >= Type::kMaxNesting) return std::nullopt;
  }
  return Type::Tuple(std::move(elements));
}

}  // namespace

std::optional<Dim> DimOf(const Expr& expr) {
  switch (expr.kind) {
    case Kind::kInt:  // below 0: 2^63 or more
      return expr.int_value >= 0 ? std::optional(Dim(expr.int_value)) : std::nullopt;
    case Kind::kName:
      return Dim::Symbol(expr.text);
    case Kind::kString: {
      const Result<Expr> inner = ParseExpression(expr.text);
      if (!inner.ok() || inner->kind == Kind::kString) return std::nullopt;
      return DimOf(*inner);
    }
    case Kind::kUnary: {
      const std::optional<Dim> dim = DimOf(expr.parts.front());
      if (!dim || expr.text != "-") return std::nullopt;
      return Dim(0) - *dim;
    }
    case Kind::kBinary: {
      const std::optional<Dim> a = DimOf(expr.parts[0]);
      const std::optional<Dim> b = DimOf(expr.parts[1]);
      return a && b ? Binary(expr.text, *a, *b) : std::nullopt;
    }
    case Kind::kCall:
      return CalledDim(expr);
    default:
      return std::nullopt;
  }
}

bool IsAnnotation(const Expr& expr) {
  if (expr.kind != Kind::kCall && expr.kind != Kind::kAttribute) return false;
  return IsBuiltinType(TypeName(expr));
}

Annotation AnnotationOf(const Expr& expr) {
  const std::string name = TypeName(expr);
  if (name == "Tensor" && expr.kind == Kind::kCall) return TensorAnnotation(expr);
  if (name == "Tensor") return {Type::Tensor(DType::kUnknown), false};
  if (name == "Tuple" && expr.kind == Kind::kCall) {
    if (std::optional<Type> tuple = TupleType(expr)) return {std::move(*tuple), false};
  }
  return {Type::Opaque("relax", ExprText(expr)), true};
}

std::optional<Shape> SizesOfShapeType(const Type& type) {
  if (type.kind() != Type::Kind::kOpaque) return std::nullopt;
  const Result<Expr> expr = ParseExpression(type.opaque_name());
  if (!expr.ok() || expr->kind != Kind::kCall || TypeName(*expr) != "Shape") return std::nullopt;
  bool plain = true;
  if (expr->parts.size() < 2 || expr->keywords.size() + 1 == expr->parts.size())
    return std::nullopt;
  return SizesOf(expr->parts[1], plain);
}

}  // namespace dragoman::tvmscript
