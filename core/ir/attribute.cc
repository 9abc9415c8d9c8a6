// SPDX-License-Identifier: Apache-2.0
#include "core/ir/attribute.h"

#include <algorithm>
#include <array>
#include <bit>

namespace dragoman {
namespace {

constexpr std::array<std::string_view, 23> kKindNames = {"none",
                                                         "int",
                                                         "float",
                                                         "double",
                                                         "bool",
                                                         "string",
                                                         "tensor",
                                                         "sparse tensor",
                                                         "graph",
                                                         "type",
                                                         "symbol",
                                                         "reference",
                                                         "complex",
                                                         "list of ints",
                                                         "list of floats",
                                                         "list of doubles",
                                                         "list of strings",
                                                         "list of tensors",
                                                         "list of sparse tensors",
                                                         "list of graphs",
                                                         "list of types",
                                                         "list",
                                                         "dictionary"};
static_assert(kKindNames.size() == std::variant_size_v<Attribute::Storage>);

bool Same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
bool Same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool Same(const Attribute::Complex& a, const Attribute::Complex& b) {
  return Same(a.real(), b.real()) && Same(a.imag(), b.imag());
}
bool Same(const Attribute::TensorPtr& a, const Attribute::TensorPtr& b) {
  return a == b || *a == *b;
}
bool Same(const Attribute::SparseTensorPtr& a, const Attribute::SparseTensorPtr& b) {
  return a == b || *a == *b;
}
bool Same(const Attribute& a, const Attribute& b) { return Identical(a, b); }
bool Same(const NamedAttribute& a, const NamedAttribute& b) {
  return a.name == b.name && Identical(a.value, b.value);
}
template <class T>
bool Same(const T& a, const T& b) {
  return a == b;
}
template <class T>
bool Same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return Same(x, y); });
}

}  // namespace

// Out of line: here NamedAttribute is complete, which the destructor of Storage needs.
Attribute::Attribute() noexcept = default;
Attribute::Attribute(const Attribute&) = default;
Attribute::Attribute(Attribute&&) noexcept = default;
Attribute& Attribute::operator=(const Attribute&) = default;
Attribute& Attribute::operator=(Attribute&&) noexcept = default;
Attribute::~Attribute() = default;

Attribute::Attribute(std::int64_t v) : storage_(v) {}
Attribute::Attribute(int v) : storage_(std::int64_t{v}) {}
Attribute::Attribute(float v) : storage_(v) {}
Attribute::Attribute(double v) : storage_(v) {}
Attribute::Attribute(bool v) : storage_(v) {}
Attribute::Attribute(std::string v) : storage_(std::move(v)) {}
Attribute::Attribute(const char* v) : storage_(std::string(v)) {}
Attribute::Attribute(Tensor v) : storage_(std::make_shared<const Tensor>(std::move(v))) {}
Attribute::Attribute(SparseTensor v)
    : storage_(std::make_shared<const SparseTensor>(std::move(v))) {}
Attribute::Attribute(GraphPtr v) : storage_(std::move(v)) {}
Attribute::Attribute(Type v) : storage_(std::move(v)) {}
Attribute::Attribute(Symbol v) : storage_(std::move(v)) {}
Attribute::Attribute(AttributeRef v) : storage_(std::move(v)) {}
Attribute::Attribute(Complex v) : storage_(v) {}
Attribute::Attribute(Ints v) : storage_(std::move(v)) {}
Attribute::Attribute(Floats v) : storage_(std::move(v)) {}
Attribute::Attribute(Doubles v) : storage_(std::move(v)) {}
Attribute::Attribute(Strings v) : storage_(std::move(v)) {}
Attribute::Attribute(Tensors v) : storage_(std::move(v)) {}
Attribute::Attribute(SparseTensors v) : storage_(std::move(v)) {}
Attribute::Attribute(Graphs v) : storage_(std::move(v)) {}
Attribute::Attribute(Types v) : storage_(std::move(v)) {}
Attribute::Attribute(List v) : storage_(std::move(v)) {}
Attribute::Attribute(Dict v) : storage_(std::move(v)) {}

const Tensor* Attribute::tensor() const {
  const TensorPtr* p = As<TensorPtr>();
  return p == nullptr ? nullptr : p->get();
}

const SparseTensor* Attribute::sparse_tensor() const {
  const SparseTensorPtr* p = As<SparseTensorPtr>();
  return p == nullptr ? nullptr : p->get();
}

Graph* Attribute::graph() const {
  const GraphPtr* p = As<GraphPtr>();
  return p == nullptr ? nullptr : p->get();
}

NamedAttribute::NamedAttribute(std::string n, Attribute v)
    : name(std::move(n)), value(std::move(v)) {}
NamedAttribute::NamedAttribute() noexcept = default;
NamedAttribute::NamedAttribute(const NamedAttribute&) = default;
NamedAttribute::NamedAttribute(NamedAttribute&&) noexcept = default;
NamedAttribute& NamedAttribute::operator=(const NamedAttribute&) = default;
NamedAttribute& NamedAttribute::operator=(NamedAttribute&&) noexcept = default;
NamedAttribute::~NamedAttribute() = default;

std::string_view Name(Attribute::Kind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

bool Identical(const Attribute& a, const Attribute& b) {
  if (a.kind() != b.kind()) return false;
  return std::visit([&](const auto& x) { return Same(x, *b.As<std::decay_t<decltype(x)>>()); },
                    a.storage());
}

const Attribute* Find(const std::vector<NamedAttribute>& attributes, std::string_view name) {
  for (const NamedAttribute& attribute : attributes) {
    if (attribute.name == name) return &attribute.value;
  }
  return nullptr;
}

}  // namespace dragoman
