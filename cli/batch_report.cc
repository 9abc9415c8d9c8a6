// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_report.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/support/plural.h"
#include "core/support/printable.h"

namespace dragoman::cli {
namespace {

// Changes that are listed unless all are asked for.
constexpr std::size_t kMaxListed = 6;

// "x and h (axis 1)", or "none".
std::string ListOf(const std::vector<BatchedValue>& values, bool with_axis) {
  std::string list;
  for (const auto& [name, axis] : values) {
    if (axis.has_value() != with_axis) continue;
    list += (list.empty() ? "" : ", ") + Printable(name);
    if (axis.value_or(0) != 0) list += fmt::format(" (axis {})", *axis);
  }
  return list;
}

void AddLine(std::string& text, std::string_view what, const std::string& list) {
  if (!list.empty()) text += fmt::format("\n  {:<15} {}", what, list);
}

nlohmann::ordered_json ValuesJson(const std::vector<BatchedValue>& values) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [name, axis] : values)
    list.push_back({{"name", name}, {"axis", axis ? nlohmann::ordered_json(*axis) : nullptr}});
  return list;
}

}  // namespace

std::string BatchText(const BatchReport& report, const std::string& size, bool at_length) {
  std::string text = fmt::format("batch of {} samples", size);
  AddLine(text, "inputs", ListOf(report.inputs, true));
  AddLine(text, "without a batch", ListOf(report.inputs, false));
  AddLine(text, "outputs", ListOf(report.outputs, true));
  AddLine(text, "for all samples", ListOf(report.outputs, false));
  const std::vector<std::string> changes = report.changes.Texts();
  const std::size_t count = changes.size();
  const std::size_t listed = at_length ? count : std::min(count, kMaxListed);
  for (std::size_t i = 0; i < listed; ++i)
    AddLine(text, i == 0 ? "rewritten" : "", Printable(changes[i]));
  if (listed < count) AddLine(text, "", fmt::format("… and {} more; -v lists all", count - listed));
  return text;
}

std::string FollowedText(const std::vector<std::string>& changes, bool at_length) {
  std::string text = fmt::format("{} follow{} the sizes", Plural(changes.size(), "constant"),
                                 changes.size() == 1 ? "s" : "");
  if (!at_length) return text + " (-v lists them)";
  for (const std::string& change : changes) text += "\n  " + Printable(change);
  return text;
}

nlohmann::ordered_json BatchJson(const BatchReport& report, const std::string& size) {
  return {{"size", size},
          {"inputs", ValuesJson(report.inputs)},
          {"outputs", ValuesJson(report.outputs)},
          {"rewritten", report.changes.Texts()}};
}

}  // namespace dragoman::cli
