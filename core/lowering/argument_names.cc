// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/argument_names.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/support/nearest_name.h"
#include "core/support/port_name.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

// The names of the flat inputs, as far as types state them: tuples are taken apart; a list, a dict
// or an optional is one.
std::vector<std::string> FlatInputs(std::span<const DeclaredArgument> arguments) {
  std::vector<DeclaredArgument> left(arguments.rbegin(), arguments.rend());
  std::vector<std::string> flat;
  while (!left.empty()) {
    const auto [name, type] = std::move(left.back());
    left.pop_back();
    if (type.kind() != Type::Kind::kTuple) {
      flat.push_back(name);
      continue;
    }
    for (std::size_t i = type.elements().size(); i-- > 0;)
      left.push_back({name + "." + std::to_string(i), type.element(i)});
  }
  return flat;
}

}  // namespace

std::optional<std::string> CanonicalInput(std::span<const DeclaredArgument> arguments,
                                          const std::string& name) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  const std::string head = name.substr(0, dot);
  std::vector<std::string> names;
  for (const DeclaredArgument& argument : arguments) {
    if (name == argument.name || head == argument.name) return name;
    names.push_back(argument.name);
  }
  if (std::string node = WithoutPort(name, names); node != name) return node;
  const std::optional<std::int64_t> position = ParseInt64(head);
  if (!position || *position < 0) return std::nullopt;
  const auto index = static_cast<std::size_t>(*position);
  if (dot == name.size()) {
    const std::vector<std::string> flat = FlatInputs(arguments);
    return index < flat.size() ? std::optional(flat[index]) : std::nullopt;
  }
  if (index >= arguments.size()) return std::nullopt;
  return arguments[index].name + name.substr(dot);
}

Result<Facts> CanonicalFacts(std::span<const DeclaredArgument> arguments, const Facts& facts) {
  Facts canonical = facts;
  for (ShapeFact& fact : canonical.shapes) {
    std::optional<std::string> name = CanonicalInput(arguments, fact.input);
    if (name) {
      fact.input = std::move(*name);
      continue;
    }
    std::vector<std::string> names;
    for (const DeclaredArgument& argument : arguments) names.push_back(argument.name);
    return InvalidInput("there is no input '" + fact.input + "'" +
                        WhatThereIs(fact.input, "the arguments are", names));
  }
  return canonical;
}

}  // namespace dragoman
