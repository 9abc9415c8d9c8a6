// SPDX-License-Identifier: Apache-2.0
#include "core/ir/type_algebra.h"

#include <cstddef>
#include <utility>

namespace dragoman {
namespace {

template <class Combine>
std::optional<Shape> CombineShapes(const Shape& a, const Shape& b, Combine combine) {
  Shape shape;
  for (std::size_t i = 0; i < a.size(); ++i) shape.push_back(combine(a[i], b[i]));
  return shape;
}

bool IsTensorKind(const Type& type) {
  return type.kind() == Type::Kind::kTensor || type.kind() == Type::Kind::kSparseTensor;
}

Type WithElement(const Type& type, Type element) {
  if (type.kind() == Type::Kind::kSequence) return Type::Sequence(std::move(element));
  if (type.kind() == Type::Kind::kOptional) return Type::Optional(std::move(element));
  return type;
}

}  // namespace

Type Refine(const Type& a, const Type& b) {
  if (!a.known()) return b;
  if (!b.known() || a.kind() != b.kind()) return a;
  if (!IsTensorKind(a)) {
    return a.elements().size() == 1 ? WithElement(a, Refine(a.element(), b.element())) : a;
  }
  Type type = a.dtype() == DType::kUnknown ? a.WithDType(b.dtype()) : a;
  if (b.shape() == nullptr) return type;
  if (a.shape() == nullptr) return type.WithShape(*b.shape());
  if (a.rank() != b.rank()) return type;
  return type.WithShape(CombineShapes(*a.shape(), *b.shape(), [](const Dim& x, const Dim& y) {
    return x.unknown() || (y.known() && !x.known()) ? y : x;
  }));
}

Type Generalize(const Type& a, const Type& b) {
  if (a == b) return a;
  if (!a.known() || !b.known()) return {};
  if (a.kind() != b.kind()) {
    if (a.kind() == Type::Kind::kOptional) return WithElement(a, Generalize(a.element(), b));
    if (b.kind() == Type::Kind::kOptional) return WithElement(b, Generalize(a, b.element()));
    return {};
  }
  if (!IsTensorKind(a)) {
    return a.elements().size() == 1 ? WithElement(a, Generalize(a.element(), b.element())) : Type();
  }
  Type type = a.dtype() == b.dtype() ? a : a.WithDType(DType::kUnknown);
  if (a.shape() == nullptr || b.shape() == nullptr || a.rank() != b.rank()) {
    return type.WithShape(std::nullopt);
  }
  return type.WithShape(CombineShapes(*a.shape(), *b.shape(), [](const Dim& x, const Dim& y) {
    return x == y ? x : Dim::Unknown();
  }));
}

Type WithoutShapes(const Type& type) {
  if (IsTensorKind(type)) return type.WithShape(std::nullopt);
  return type.elements().size() == 1 ? WithElement(type, WithoutShapes(type.element())) : type;
}

void AddSymbols(const Type& type, std::set<std::string>& symbols) {
  if (const Shape* shape = type.shape()) {
    for (const Dim& dim : *shape) {
      for (std::string& symbol : dim.Symbols()) symbols.insert(std::move(symbol));
    }
  }
  for (const Type& element : type.elements()) AddSymbols(element, symbols);
}

}  // namespace dragoman
