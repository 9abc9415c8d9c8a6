// SPDX-License-Identifier: Apache-2.0
#include "driver/describe_tensorflow.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_set>
#include <vector>

#include "core/support/printable.h"
#include "importers/tensorflow/graph/calls.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "importers/tensorflow/graph/signatures.h"

namespace dragoman {
namespace {

std::string DescribeVariables(const Model& model, std::size_t max_places) {
  const std::vector<tf::VariableUse> uses = tf::VariableUses(model);
  if (uses.empty()) return "";
  std::string text = fmt::format("variables {}\n", uses.size());
  for (std::size_t i = 0; i < uses.size() && i < max_places; ++i) {
    text += Printable(fmt::format("  {}: {}", uses[i].name, uses[i].type.ToString()));
    if (!uses[i].changed_by.empty())
      text += Printable(fmt::format(", changed by {}", fmt::join(uses[i].changed_by, ", ")));
    text += uses[i].initialised ? "\n" : ", has no value\n";
  }
  if (uses.size() > max_places) text += fmt::format("  … and {} more\n", uses.size() - max_places);
  return text;
}

std::string DescribeFunctions(const Model& model) {
  if (model.functions.size() < 2) return "";
  const tf::Calls calls(model);
  std::unordered_set<const Function*> called;
  for (const Node* node : calls.ReachedFromEntries()) {
    for (const Function* function : calls.CalledBy(*node)) called.insert(function);
  }
  return fmt::format("functions {} in the library, of which the entries call {}\n",
                     model.functions.size() - 1, called.size());
}

}  // namespace

std::string DescribeTensorFlow(const Model& model, std::size_t max_places) {
  if (model.dialect != tf::kDialect || model.level != Level::kSource) return "";
  std::string text;
  if (IsAssumedEntry(model.entries.front())) {
    text += fmt::format(
        "entry {} is assumed, since the file has no signature: from its placeholders to what "
        "nothing "
        "in it reads\n",
        Printable(model.entries.front().name));
  }
  return text + DescribeVariables(model, max_places) + DescribeFunctions(model);
}

}  // namespace dragoman
