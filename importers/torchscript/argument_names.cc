#include "importers/torchscript/argument_names.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/support/text.h"

namespace dragoman::torchscript {
namespace {

// The names of the flat inputs of `function`, as far as types tell: tuples are taken apart; a list,
// a dict or an optional is one.
std::vector<std::string> FlatInputs(const Graph& function) {
  std::vector<std::pair<std::string, Type>> left;
  for (std::size_t i = function.num_inputs(); i-- > 1;)
    left.emplace_back(function.input(i)->name(), function.input(i)->type());
  std::vector<std::string> flat;
  while (!left.empty()) {
    const auto [name, type] = std::move(left.back());
    left.pop_back();
    if (type.kind() != Type::Kind::kTuple) {
      flat.push_back(name);
      continue;
    }
    for (std::size_t i = type.elements().size(); i-- > 0;)
      left.emplace_back(name + "." + std::to_string(i), type.element(i));
  }
  return flat;
}

}  // namespace

std::optional<std::string> CanonicalInput(const Graph& function, const std::string& name) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  const std::string head = name.substr(0, dot);
  for (std::size_t i = 1; i < function.num_inputs(); ++i) {
    if (name == function.input(i)->name() || head == function.input(i)->name()) return name;
  }
  const std::optional<std::int64_t> position = ParseInt64(head);
  if (!position || *position < 0) return std::nullopt;
  const auto index = static_cast<std::size_t>(*position);
  if (dot == name.size()) {
    const std::vector<std::string> flat = FlatInputs(function);
    return index < flat.size() ? std::optional(flat[index]) : std::nullopt;
  }
  if (index + 1 >= function.num_inputs()) return std::nullopt;
  return function.input(index + 1)->name() + name.substr(dot);
}

Result<Facts> CanonicalFacts(const Graph& function, const Facts& facts) {
  Facts canonical = facts;
  for (ShapeFact& fact : canonical.shapes) {
    std::optional<std::string> name = CanonicalInput(function, fact.input);
    if (name) {
      fact.input = std::move(*name);
      continue;
    }
    std::string message = "there is no input '" + fact.input + "'; the arguments are";
    for (std::size_t i = 1; i < function.num_inputs(); ++i)
      message += " '" + function.input(i)->name() + "'";
    return InvalidInput(std::move(message));
  }
  return canonical;
}

}  // namespace dragoman::torchscript
