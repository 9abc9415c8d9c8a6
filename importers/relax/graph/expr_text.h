// SPDX-License-Identifier: Apache-2.0
// Expressions as text, attributes and types.
#ifndef DRAGOMAN_IMPORTERS_RELAX_GRAPH_EXPR_TEXT_H_
#define DRAGOMAN_IMPORTERS_RELAX_GRAPH_EXPR_TEXT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/attribute.h"
#include "core/support/python/syntax.h"

namespace dragoman::tvmscript {

// As Python, in one spelling: "R.add(x, y)", "[1, n * 2]". Strings have double quotes.
std::string ExprText(const python::Expr& expr);
// "R.nn.conv2d" of attributes of a name; empty for any other expression.
std::string DottedName(const python::Expr& expr);

// "n", 4, "n * 4", T.min(n, 8), or one of these in a string; nullopt for anything else.
std::optional<Dim> DimOf(const python::Expr& expr);

// What an annotation says. Types that are not tensors, and no tuples of them, are opaque: of domain
// "relax", with the annotation as their name. `plain`: type and names of sizes say all of it.
struct Annotation {
  Type type;
  bool plain = true;
};
Annotation AnnotationOf(const python::Expr& expr);
// Whether `expr` is an annotation: R.Tensor(…), R.Tuple(…), R.Object, …
bool IsAnnotation(const python::Expr& expr);
// The sizes of an opaque type "R.Shape([n, 4])"; nullopt: it is none, or does not say them.
std::optional<Shape> SizesOfShapeType(const Type& type);

// The value of an attribute. What is neither a literal nor a list, a dict or a tuple of such is a
// Symbol of its text. `plain`: its text can be made from it (it holds no tuple).
struct AttributeValue {
  Attribute value;
  bool plain = true;
};
AttributeValue AttributeOf(const python::Expr& expr);

// The number of a literal, also `-1`, `float("inf")`, "nan".
std::optional<double> NumberOf(const python::Expr& expr);

// The tensor that R.const makes of `value`; nullopt: none. Without `dtype` as TVM does: float32,
// int32, bool.
std::optional<Tensor> ConstantOf(const python::Expr& value, std::optional<DType> dtype);

}  // namespace dragoman::tvmscript

#endif  // DRAGOMAN_IMPORTERS_RELAX_GRAPH_EXPR_TEXT_H_
