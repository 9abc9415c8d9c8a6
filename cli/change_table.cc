// SPDX-License-Identifier: Apache-2.0
#include "cli/change_table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/report.h"

namespace dragoman::cli {
namespace {

constexpr std::string_view kUnknown = "?";

std::size_t Sum(const std::map<std::string, std::size_t>& operators) {
  std::size_t sum = 0;
  for (const auto& [name, count] : operators) sum += count;
  return sum;
}

std::string CountText(const std::map<std::string, std::size_t>& operators,
                      const std::string& name) {
  const auto found = operators.find(name);
  return found == operators.end() ? "-" : Grouped(found->second);
}

std::string ProductsText(const std::optional<std::int64_t>& products) {
  return products ? Grouped(static_cast<std::uint64_t>(*products)) : std::string(kUnknown);
}

}  // namespace

std::map<std::string, std::size_t> CountOperators(const Model& model) {
  std::map<std::string, std::size_t> operators;
  for (const Entry& entry : model.entries) {
    ForEachGraph(std::as_const(*entry.graph), [&](const Graph& graph) {
      for (const Node& node : graph.nodes()) {
        const OpName& op = node.op();
        const std::string& domain =
            op.domain.empty() && op.dialect != "onnx" ? op.dialect : op.domain;
        ++operators[domain.empty() ? op.type : domain + "." + op.type];
      }
    });
  }
  return operators;
}

std::string ChangeTable(const FileFigures& before, const FileFigures& after) {
  std::map<std::string, std::size_t> all = before.operators;
  all.insert(after.operators.begin(), after.operators.end());
  std::size_t width = std::string_view("multiply-adds").size();
  for (const auto& [name, count] : all) width = std::max(width, name.size());
  const auto row = [&](std::string_view name, std::string_view from, std::string_view to) {
    return fmt::format("  {:<{}}  {:>14}  {:>14}\n", Printable(name), width, from, to);
  };
  std::string table = row("", "before", "after");
  for (const auto& [name, count] : all)
    table += row(name, CountText(before.operators, name), CountText(after.operators, name));
  table += row("nodes", Grouped(Sum(before.operators)), Grouped(Sum(after.operators)));
  table += row("bytes", Grouped(before.bytes), Grouped(after.bytes));
  return table + row("multiply-adds", ProductsText(before.multiply_adds),
                     ProductsText(after.multiply_adds));
}

}  // namespace dragoman::cli
