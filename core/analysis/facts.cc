// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/facts.h"

#include <algorithm>
#include <utility>

#include "core/support/nearest_name.h"
#include "core/support/port_name.h"

namespace dragoman {
namespace {

bool Names(const ShapeFact& fact, std::string_view name, std::size_t index) {
  return fact.input == name || fact.input == std::to_string(index);
}

Type SubstituteDims(const Type& type, const std::map<std::string, Dim>& dims) {
  if (type.shape() == nullptr || dims.empty()) return type;
  Shape shape;
  for (const Dim& dim : *type.shape()) shape.push_back(dim.Substitute(dims));
  return type.WithShape(std::move(shape));
}

Result<Type> Override(const ShapeFact& fact, const Type& type) {
  if (type.known() && !type.is_tensor()) {
    return InvalidInput("--shape " + fact.input + ": the input has type " + type.ToString() +
                        ", expected a tensor");
  }
  const Shape* declared = fact.from_data ? nullptr : type.shape();
  if (declared != nullptr && declared->size() != fact.dims.size()) {
    return InvalidInput("--shape " + fact.input + " gives " + std::to_string(fact.dims.size()) +
                        " sizes, the input has type " + type.ToString());
  }
  Shape shape;
  for (std::size_t i = 0; i < fact.dims.size(); ++i) {
    const Dim kept = declared != nullptr ? (*declared)[i] : Dim::Unknown();
    shape.push_back(fact.dims[i].value_or(kept));
  }
  return Type::Tensor(fact.dtype.value_or(type.dtype()), std::move(shape));
}

}  // namespace

Result<ShapeFact> ParseShapeFact(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos || equals == 0) {
    return InvalidInput("--shape " + std::string(text) + " is not NAME=D,…");
  }
  ShapeFact fact;
  fact.input = text.substr(0, equals);
  std::string_view sizes = text.substr(equals + 1);
  if (const std::size_t colon = sizes.find(':'); colon != std::string_view::npos) {
    fact.dtype = DTypeFromName(sizes.substr(0, colon));
    if (!fact.dtype) return InvalidInput("--shape " + std::string(text) + ": no such element type");
    sizes.remove_prefix(colon + 1);
  }
  for (bool more = !sizes.empty(); more;) {
    const std::size_t end = sizes.find(',');
    const std::string_view size = sizes.substr(0, end);
    if (size == "_") {
      fact.dims.emplace_back();
    } else {
      Result<Dim> dim = ParseDim(size);
      if (!dim.ok() || (dim->known() && dim->value() < 0)) {
        return InvalidInput("--shape " + std::string(text) + ": '" + std::string(size) +
                            "' is not a size, a symbol, ? (unknown) or _ (as it was)");
      }
      fact.dims.emplace_back(std::move(*dim));
    }
    more = end != std::string_view::npos;
    if (more) sizes.remove_prefix(end + 1);
  }
  return fact;
}

Result<Type> ApplyFacts(const Facts& facts, std::string_view name, std::size_t index,
                        const Type& type) {
  Type result = type;
  for (const ShapeFact& fact : facts.shapes) {
    if (!Names(fact, name, index)) continue;
    DRAGOMAN_ASSIGN(result, Override(fact, result));
  }
  return SubstituteDims(result, facts.dims);
}

Facts WithNames(Facts facts, const std::vector<std::string>& input_names) {
  for (ShapeFact& fact : facts.shapes) {
    fact.input = WithoutPort(fact.input, input_names);
    if (std::ranges::count(input_names, fact.input) > 0) continue;
    for (std::size_t i = 0; i < input_names.size(); ++i) {
      if (fact.input != std::to_string(i)) continue;
      fact.input = input_names[i];
      break;
    }
  }
  return facts;
}

Status CheckFacts(const Facts& facts, const std::vector<std::string>& input_names) {
  for (const ShapeFact& fact : WithNames(facts, input_names).shapes) {
    bool found = false;
    for (std::size_t i = 0; i < input_names.size(); ++i)
      found = found || Names(fact, input_names[i], i);
    if (found) continue;
    return InvalidInput("--shape names the input '" + fact.input + "', which does not exist" +
                        WhatThereIs(fact.input, "inputs are", input_names));
  }
  return {};
}

}  // namespace dragoman
