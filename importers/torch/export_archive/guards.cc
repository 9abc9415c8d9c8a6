// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/guards.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "core/support/text.h"
#include "importers/torch/export_archive/size_expression.h"

namespace dragoman::torch {
namespace {

bool Accept(std::string_view& text, std::string_view token) {
  if (!text.starts_with(token)) return false;
  text.remove_prefix(token.size());
  return true;
}

// Up to `end`, which is taken off, too.
std::optional<std::string_view> Until(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

// A key of a path after L, ['x'] or [0]; nullopt: there is none.
std::optional<std::string_view> Key(std::string_view& text) {
  if (Accept(text, "['")) return Until(text, "']");
  if (Accept(text, "[")) return Until(text, "]");
  return std::nullopt;
}

// As torch names placeholders.
std::string PlaceholderName(std::string_view text) {
  std::string name(text);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

// "L['xs'][0].size()[1]" at the front of `text`, which is taken off.
std::optional<Dim> Size(std::string_view& text, const SizeOfInput& size_of) {
  if (!Accept(text, "L")) return std::nullopt;
  std::string name;
  while (const auto key = Key(text)) name += (name.empty() ? "" : "_") + PlaceholderName(*key);
  if (!Accept(text, ".size()[")) return std::nullopt;
  const auto digits = Until(text, "]");
  const auto axis = digits ? ParseUint64(*digits) : std::nullopt;
  if (!axis) return std::nullopt;
  return size_of(name, static_cast<std::size_t>(*axis));
}

// A guard in which sizes of inputs are symbols, and what these are.
struct Condition {
  std::string text;
  std::map<std::string, Dim> sizes;
};

std::optional<Condition> ConditionOf(std::string_view guard, const SizeOfInput& size_of) {
  Condition condition;
  while (!guard.empty()) {
    if (!guard.starts_with("L[")) {
      condition.text += guard.front();
      guard.remove_prefix(1);
      continue;
    }
    std::optional<Dim> size = Size(guard, size_of);
    if (!size) return std::nullopt;
    std::string symbol = "size" + std::to_string(condition.sizes.size());
    condition.text += symbol;
    condition.sizes.emplace(std::move(symbol), *std::move(size));
  }
  return condition;
}

// The one comparison that stands outside of all brackets.
struct Comparison {
  std::string_view left, relation, right;
};

std::optional<Comparison> ComparisonOf(std::string_view text) {
  static constexpr std::string_view kRelations[] = {"==", "!=", "<=", ">=", "<", ">"};
  std::optional<Comparison> found;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    depth += (text[at] == '(') - (text[at] == ')');
    if (depth != 0) continue;
    const auto relation =
        std::ranges::find_if(kRelations, [&](auto r) { return text.substr(at).starts_with(r); });
    if (relation == std::end(kRelations)) continue;
    if (found) return std::nullopt;
    found = {text.substr(0, at), *relation, text.substr(at + relation->size())};
    at += relation->size() - 1;
  }
  return found;
}

bool Holds(std::int64_t difference, std::string_view relation) {
  if (relation == "==") return difference == 0;
  if (relation == "!=") return difference != 0;
  if (relation == "<=") return difference <= 0;
  if (relation == ">=") return difference >= 0;
  return relation == "<" ? difference < 0 : difference > 0;
}

}  // namespace

Truth HoldsFor(std::string_view guard, const SizeOfInput& size_of) {
  const std::optional<Condition> condition = ConditionOf(guard, size_of);
  const auto comparison = condition ? ComparisonOf(condition->text) : std::nullopt;
  if (!comparison) return Truth::kUnknown;
  const Result<Dim> left = ParseSizeExpression(comparison->left);
  const Result<Dim> right = ParseSizeExpression(comparison->right);
  if (!left.ok() || !right.ok()) return Truth::kUnknown;
  const Dim difference = left->Substitute(condition->sizes) - right->Substitute(condition->sizes);
  if (!difference.known()) return Truth::kUnknown;
  return Holds(difference.value(), comparison->relation) ? Truth::kYes : Truth::kNo;
}

}  // namespace dragoman::torch
