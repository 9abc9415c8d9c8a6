// SPDX-License-Identifier: Apache-2.0
#include "cli/verification_report.h"

#include <cmath>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/report.h"

namespace dragoman::cli {
namespace {

// Where the models compute the value, and what only one of them has on the way there.
void PrintDivergence(const Divergence& divergence) {
  Print("    {}\n    of {}{}\n", divergence.compared.message, divergence.node,
        divergence.origin.empty() ? "" : ", from " + divergence.origin);
  if (!divergence.other_node.empty() && divergence.other_node != divergence.node)
    Print("    in the other model: {}\n", divergence.other_node);
  for (const std::string& node : divergence.between.a) Print("    after {}\n", node);
  for (const std::string& node : divergence.between.b)
    Print("    in the other model after {}\n", node);
}

void PrintBisection(const Bisection& bisection) {
  if (!bisection.first) {
    Print("  bisect: none of {} values that both have differs\n", bisection.compared);
    return;
  }
  const Divergence& first = *bisection.first;
  Print("  bisect: the first value that differs, after {} that agree:\n", first.agreeing);
  PrintDivergence(first);
  if (bisection.elsewhere.empty()) return;
  Print("  bisect: the first on other branches: {}\n", bisection.elsewhere.size());
  for (const Divergence& other : bisection.elsewhere) PrintDivergence(other);
}

// JSON has no infinities: where there is no number, it is null.
nlohmann::ordered_json DifferenceJson(const OutputComparison& output) {
  return std::isfinite(output.largest) ? nlohmann::ordered_json(output.largest)
                                       : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json ComparisonJson(const OutputComparison& output) {
  nlohmann::ordered_json json = {
      {"name", output.name}, {"ok", output.ok}, {"message", output.message}};
  json["largest_difference"] = DifferenceJson(output);
  json["at"] = output.worst;
  json["elements"] = output.elements;
  json["different"] = output.different;
  return json;
}

nlohmann::ordered_json DivergenceJson(const Divergence& divergence) {
  nlohmann::ordered_json json = ComparisonJson(divergence.compared);
  json["node"] = divergence.node;
  json["origin"] = divergence.origin;
  json["other_node"] = divergence.other_node;
  json["behind"] = divergence.between.a;
  json["other_behind"] = divergence.between.b;
  json["agreeing_before"] = divergence.agreeing;
  return json;
}

nlohmann::ordered_json BisectionJson(const Bisection& bisection) {
  nlohmann::ordered_json json = {{"compared", bisection.compared}, {"first", nullptr}};
  if (bisection.first) json["first"] = DivergenceJson(*bisection.first);
  for (const Divergence& other : bisection.elsewhere)
    json["elsewhere"].push_back(DivergenceJson(other));
  for (const OutputComparison& value : bisection.values) {
    json["values"].push_back({{"name", value.name}, {"ok", value.ok}});
    json["values"].back()["largest_difference"] = DifferenceJson(value);
  }
  return json;
}

}  // namespace

void PrintVerifications(std::span<const Verification> verifications) {
  for (const Verification& verification : verifications) {
    Print("{}: {}\n", verification.what,
          verification.ok() ? Colored(Color::kGreen, "ok") : Colored(Color::kRed, "different"));
    for (const OutputComparison& output : verification.outputs) Print("  {}\n", output.message);
    if (verification.bisection) PrintBisection(*verification.bisection);
  }
}

nlohmann::ordered_json VerificationsJson(std::span<const Verification> verifications) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Verification& verification : verifications) {
    nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
    for (const OutputComparison& output : verification.outputs)
      outputs.push_back(ComparisonJson(output));
    json.push_back(
        {{"what", verification.what}, {"ok", verification.ok()}, {"outputs", std::move(outputs)}});
    if (verification.bisection) json.back()["bisect"] = BisectionJson(*verification.bisection);
  }
  return json;
}

}  // namespace dragoman::cli
