// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/lower/finding.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/ir/find_as.h"

namespace dragoman::torch {
namespace {

std::int64_t IntOf(const SourceOp& op, std::string_view name) {
  const auto* value = FindAs<std::int64_t>(op.attributes, name);
  return value != nullptr ? *value : 0;
}

// The source line without its indentation, and carets below the expression.
std::string Excerpt(const SourceOp& op) {
  const auto* line = FindAs<std::string>(op.attributes, "source_line");
  if (line == nullptr) return "";
  const std::size_t indent = std::min(line->find_first_not_of(' '), line->size());
  const auto column =
      static_cast<std::size_t>(std::max<std::int64_t>(IntOf(op, "source_column"), 0));
  const std::size_t begin = std::clamp(column, indent, line->size()) - indent;
  const auto length =
      static_cast<std::size_t>(std::max<std::int64_t>(IntOf(op, "source_length"), 1));
  const std::string shown = line->substr(indent);
  const std::size_t carets = std::clamp<std::size_t>(
      length, 1, std::max<std::size_t>(shown.size() - std::min(begin, shown.size()), 1));
  return fmt::format("\n    {}\n    {}{}", shown, std::string(begin, ' '),
                     "^" + std::string(carets - 1, '~'));
}

}  // namespace

Finding AtSource(const Node& node, Finding finding) {
  const SourceOp* op = node.origin() != nullptr ? node.origin()->leaf() : nullptr;
  if (op == nullptr) {
    if (finding.place.empty()) finding.place = node.Describe();
    return finding;
  }
  finding.place = op->location.empty() ? node.Describe() : op->location;
  if (Find(op->attributes, "source_column") != nullptr)
    finding.place += fmt::format(":{}", IntOf(*op, "source_column") + 1);
  finding.message += Excerpt(*op);
  const Attribute* called = Find(op->attributes, "called_from");
  if (const auto* places = called != nullptr ? called->As<Attribute::Strings>() : nullptr) {
    for (auto place = places->rbegin(); place != places->rend(); ++place)
      finding.message += "\n    called from " + *place;
  }
  return finding;
}

}  // namespace dragoman::torch
