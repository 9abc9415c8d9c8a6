// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/operator_remark.h"

#include <algorithm>
#include <utility>

namespace dragoman::pt2 {
namespace {

constexpr const char* kCustom = "custom";
constexpr const char* kOperator = "operator";

// What a node says beside what torch says of it, in which no text is malformed.
Json CustomOf(const Json& metadata) {
  const auto custom = metadata.find(kCustom);
  return custom != metadata.end() ? Json::parse(custom->get<std::string>()) : Json::object();
}

std::string FirstResult(const Json& remark) {
  for (const Json& result : remark["results"]) {
    if (result != "") return result.get<std::string>();
  }
  return "";
}

bool HasRemarks(const Json& graph) {
  return std::ranges::any_of(graph["nodes"], [](const Json& node) {
    const auto is_remarked = [](const Json& input) {
      const auto body = input["arg"].find("as_graph");
      return body != input["arg"].end() && HasRemarks((*body)["graph"]);
    };
    return CustomOf(node["metadata"]).contains(kOperator) ||
           std::ranges::any_of(node["inputs"], is_remarked);
  });
}

void AddDigests(const std::map<std::string, std::string>& digests, Json& graph) {
  for (Json& node : graph["nodes"]) {
    for (Json& input : node["inputs"]) {
      if (input["arg"].contains("as_graph")) AddDigests(digests, input["arg"]["as_graph"]["graph"]);
    }
    Json custom = CustomOf(node["metadata"]);
    if (!custom.contains(kOperator)) continue;
    const auto digest = digests.find(FirstResult(custom[kOperator]));
    if (digest == digests.end() || digest->second.empty()) {
      custom.erase(kOperator);
    } else {
      custom[kOperator]["digest"] = digest->second;
    }
    node["metadata"][kCustom] = custom.dump();
  }
}

}  // namespace

void AddRemark(const ComposedText& remark, Json& metadata) {
  Json custom = CustomOf(metadata);
  custom[kOperator] = {{"type", remark.label},
                       {"operands", remark.operands},
                       {"attributes", remark.attributes},
                       {"results", remark.results}};
  if (Result<std::string> text = JsonText(custom); text.ok()) metadata[kCustom] = *std::move(text);
}

Status StateDigests(const RemarkDigests& digests, const WeightOf& weight, Json& program) {
  Json& graph = program["graph_module"]["graph"];
  if (!HasRemarks(graph)) return {};
  std::map<std::string, std::string> told;
  if (digests) {
    DRAGOMAN_ASSIGN(const std::string text, JsonText(program));
    DRAGOMAN_ASSIGN(told, digests(text, weight));
  }
  AddDigests(told, graph);
  return {};
}

}  // namespace dragoman::pt2
