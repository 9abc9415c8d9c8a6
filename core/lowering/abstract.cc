// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/abstract.h"

namespace dragoman {

Abstract::Abstract() noexcept = default;
Abstract::Abstract(const Abstract&) = default;
Abstract::Abstract(Abstract&&) noexcept = default;
Abstract& Abstract::operator=(const Abstract&) = default;
Abstract& Abstract::operator=(Abstract&&) noexcept = default;
Abstract::~Abstract() = default;

Cell::Cell() noexcept = default;
Cell::~Cell() = default;

std::int64_t Number::AsInt() const {
  if (const auto* d = std::get_if<double>(&value)) return static_cast<std::int64_t>(*d);
  return std::get<std::int64_t>(value);
}

double Number::AsDouble() const {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* c = std::get_if<std::complex<double>>(&value)) return c->real();
  return std::get<double>(value);
}

std::complex<double> Number::AsComplex() const {
  if (const auto* c = std::get_if<std::complex<double>>(&value)) return *c;
  return AsDouble();
}

DType Number::dtype() const {
  switch (kind) {
    case Kind::kBool:
      return DType::kBool;
    case Kind::kInt:
      return DType::kI64;
    case Kind::kFloat:
      return DType::kF64;
    case Kind::kComplex:
      return DType::kC128;
  }
  return DType::kUnknown;
}

std::string Describe(const Abstract& value) {
  struct Describer {
    std::string operator()(const None&) const { return "None"; }
    std::string operator()(const Number& n) const {
      constexpr const char* kNames[] = {"a bool", "an int", "a float", "a complex number"};
      return kNames[static_cast<std::size_t>(n.kind)];
    }
    std::string operator()(const String&) const { return "a string"; }
    std::string operator()(const TensorRef&) const { return "a tensor"; }
    std::string operator()(const ListRef&) const { return "a list"; }
    std::string operator()(const DictRef&) const { return "a dict"; }
    std::string operator()(const ObjectRef&) const { return "an object"; }
    std::string operator()(const Tuple&) const { return "a tuple"; }
    std::string operator()(const ForeignPtr& foreign) const { return foreign->Describe(); }
    std::string operator()(const Maybe&) const { return "an optional"; }
    std::string operator()(const Choice&) const { return "an object that run time chooses"; }
    std::string operator()(const Uninitialized&) const { return "an uninitialized value"; }
    std::string operator()(const Poison&) const { return "an unsupported value"; }
  };
  return std::visit(Describer{}, value.value);
}

}  // namespace dragoman
