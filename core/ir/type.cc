// SPDX-License-Identifier: Apache-2.0
#include "core/ir/type.h"

#include <algorithm>
#include <utility>

#include "core/support/text.h"

namespace dragoman {

Dim NumElements(const Shape& shape) {
  Dim n(1);
  for (const Dim& d : shape) n = n * d;
  return n;
}

std::optional<std::vector<std::int64_t>> KnownShape(const Shape& shape) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(shape.size());
  for (const Dim& d : shape) {
    if (!d.known()) return std::nullopt;
    sizes.push_back(d.value());
  }
  return sizes;
}

Type Type::Make(Data data) {
  for (const Type& element : data.elements)
    data.nesting = std::max(data.nesting, 1 + element.nesting());
  Type type;
  type.data_ = std::make_shared<const Data>(std::move(data));
  return type;
}

Type Type::Tensor(DType dtype, std::optional<Shape> shape) {
  return Make({.kind = Kind::kTensor, .dtype = dtype, .shape = std::move(shape)});
}

Type Type::Tensor(DType dtype, const std::vector<std::int64_t>& sizes) {
  return Tensor(dtype, Shape(sizes.begin(), sizes.end()));
}

Type Type::SparseTensor(DType dtype, std::optional<Shape> shape) {
  return Make({.kind = Kind::kSparseTensor, .dtype = dtype, .shape = std::move(shape)});
}

Type Type::Sequence(Type element) {
  return Make({.kind = Kind::kSequence, .elements = {std::move(element)}});
}

Type Type::Optional(Type element) {
  return Make({.kind = Kind::kOptional, .elements = {std::move(element)}});
}

Type Type::Map(DType key, Type value) {
  return Make({.kind = Kind::kMap, .dtype = key, .elements = {std::move(value)}});
}

Type Type::Tuple(std::vector<Type> elements) {
  return Make({.kind = Kind::kTuple, .elements = std::move(elements)});
}

Type Type::Control() { return Make({.kind = Kind::kControl}); }

Type Type::Opaque(std::string domain, std::string name) {
  return Make({.kind = Kind::kOpaque, .domain = std::move(domain), .name = std::move(name)});
}

std::optional<int> Type::rank() const {
  if (const Shape* s = shape()) return static_cast<int>(s->size());
  return std::nullopt;
}

const std::vector<Type>& Type::elements() const {
  static const std::vector<Type> kNone;
  return data_ ? data_->elements : kNone;
}

const std::string& Type::opaque_domain() const {
  static const std::string kEmpty;
  return data_ ? data_->domain : kEmpty;
}

const std::string& Type::opaque_name() const {
  static const std::string kEmpty;
  return data_ ? data_->name : kEmpty;
}

Type Type::WithShape(std::optional<Shape> shape) const {
  Data data = data_ ? *data_ : Data{.kind = Kind::kTensor};
  data.shape = std::move(shape);
  return Make(std::move(data));
}

Type Type::WithDType(DType dtype) const {
  Data data = data_ ? *data_ : Data{.kind = Kind::kTensor};
  data.dtype = dtype;
  return Make(std::move(data));
}

bool operator==(const Type& a, const Type& b) {
  if (a.data_ == b.data_) return true;
  if (!a.data_ || !b.data_) return false;
  const Type::Data& x = *a.data_;
  const Type::Data& y = *b.data_;
  return x.kind == y.kind && x.dtype == y.dtype && x.shape == y.shape && x.elements == y.elements &&
         x.domain == y.domain && x.name == y.name;
}

std::string Type::ToString() const {
  auto nested = [&](std::string head) {
    for (std::size_t i = 0; i < elements().size(); ++i) {
      if (i > 0) head += ", ";
      head += element(i).ToString();
    }
    return head + ">";
  };
  switch (kind()) {
    case Kind::kUnknown:
      return "?";
    case Kind::kTensor:
    case Kind::kSparseTensor: {
      std::string text = kind() == Kind::kSparseTensor ? "sparse " : "";
      text += Name(dtype());
      if (shape() == nullptr) return text + "[*]";
      text += '[';
      for (std::size_t i = 0; i < shape()->size(); ++i) {
        if (i > 0) text += ", ";
        text += (*shape())[i].ToString();
      }
      return text + "]";
    }
    case Kind::kSequence:
      return nested("seq<");
    case Kind::kOptional:
      return nested("opt<");
    case Kind::kMap:
      return nested("map<" + std::string(Name(map_key())) + ", ");
    case Kind::kTuple:
      return nested("tuple<");
    case Kind::kControl:
      return "control";
    case Kind::kOpaque:
      return "opaque<" + Quote(opaque_domain()) + ", " + Quote(opaque_name()) + ">";
  }
  return "?";
}

}  // namespace dragoman
