// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/release.h"

#include <fmt/format.h>

namespace dragoman::pt2 {
namespace {

constexpr int kSchemaMajor = 8;
constexpr int kAtenOpset = 10;

struct NamedRelease {
  std::string_view name;
  Release release;
};

// The oldest first.
constexpr NamedRelease kReleases[] = {
    {"2.6", Release::k26},  {"2.7", Release::k27},        {"2.8", Release::k27},
    {"2.9", Release::k29},  {"2.10", Release::k29},       {"2.11", Release::k29},
    {"2.12", Release::k29}, {"2.13", Release::k29},       {"2.14", Release::k29},
    {"2.15", Release::k29}, {"latest", Release::kLatest},
};

// The axis and the direction of a scan, which newer releases lack.
void AddScanOptions(Json& node) {
  Json& inputs = node["inputs"];
  for (const Json& option : {Json{{"as_int", 0}}, Json{{"as_bool", false}}})
    inputs.insert(inputs.end() - 1, Json{{"name", ""}, {"arg", option}});
}

// In the graph and in its bodies.
Status UseOldForm(Release release, Json& graph) {
  graph.erase("sym_float_values");
  for (Json& node : graph["nodes"]) {
    if (release == Release::k26 && node["target"] == "torch.ops.higher_order.while_loop")
      return Unsupported("PyTorch 2.6 loads no while_loop");
    if (release == Release::k26 && node["target"] == "torch.ops.higher_order.scan")
      AddScanOptions(node);
    node.erase("name");
    node.erase("is_hop_single_tensor_return");
    for (Json& input : node["inputs"]) {
      input.erase("kind");
      if (!input["arg"].contains("as_graph")) continue;
      DRAGOMAN_TRY(UseOldForm(release, input["arg"]["as_graph"]["graph"]));
    }
  }
  return {};
}

}  // namespace

std::optional<Release> ReleaseFromName(std::string_view name) {
  for (const NamedRelease& known : kReleases) {
    if (known.name == name) return known.release;
  }
  return std::nullopt;
}

std::vector<std::string> ReleaseNames() {
  std::vector<std::string> names;
  for (const NamedRelease& known : kReleases) names.emplace_back(known.name);
  return names;
}

Status StateRelease(Release release, Json& program) {
  const bool is_old = release < Release::k29;
  program["schema_version"] = {{"major", kSchemaMajor}, {"minor", is_old ? 2 : 20}};
  program["torch_version"] = release == Release::k26   ? "2.6.0"
                             : release == Release::k27 ? "2.7.0"
                                                       : "2.14.1";
  program["opset_version"] = {{"aten", kAtenOpset}};
  program["verifiers"] = Json::array({"TRAINING"});
  if (!is_old) return {};
  program.erase("guards_code");
  program["graph_module"].erase("metadata");
  program["graph_module"].erase("treespec_namedtuple_fields");
  return UseOldForm(release, program["graph_module"]["graph"]);
}

Result<std::string> TextOf(Release release, const Json& program) {
  DRAGOMAN_ASSIGN(std::string text, JsonText(program));
  if (release == Release::k29) return text;
  for (std::string_view word : {"Infinity", "-Infinity", "NaN"}) {
    const std::string quoted = fmt::format("\"as_float\":\"{}\"", word);
    for (std::size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at))
      text.replace(at, quoted.size(), fmt::format("\"as_float\":{}", word));
  }
  return text;
}

}  // namespace dragoman::pt2
