// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/node_origin.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/stack_trace.h"

namespace dragoman::torch {
namespace {

// A module that a node belongs to: "fc", "torch.nn.Linear".
struct Module {
  std::string path;
  std::string type;

  std::string ToString() const { return path.empty() ? type : path + ": " + type; }
};

// "L__self__,,Net;L__self___fc,fc,torch.nn.Linear": the modules, outermost first.
std::vector<Module> ModulesOf(std::string_view stack) {
  std::vector<Module> modules;
  while (!stack.empty()) {
    std::string_view entry = stack.substr(0, stack.find(';'));
    stack.remove_prefix(std::min(entry.size() + 1, stack.size()));
    const std::size_t path = entry.find(',');
    const std::size_t type = path == std::string_view::npos ? path : entry.find(',', path + 1);
    if (type == std::string_view::npos) continue;
    modules.push_back({std::string(entry.substr(path + 1, type - path - 1)),
                       std::string(entry.substr(type + 1))});
  }
  return modules;
}

}  // namespace

OriginPtr OriginOfNode(const Json& node, const OpName& op) {
  SourceOp source;
  source.op = op.ToString();
  source.name = TextMember(node, "name");
  if (const Json* metadata = FindMember(node, "metadata")) {
    const std::vector<Module> modules = ModulesOf(TextMember(*metadata, "nn_module_stack"));
    if (!modules.empty()) source.scope = modules.back().path;
    SetLocation(source, TextMember(*metadata, "stack_trace"), "torch");
    Attribute::Strings stack;
    for (const Module& module : modules) stack.push_back(module.ToString());
    if (!stack.empty()) source.attributes.emplace_back("nn_module_stack", std::move(stack));
    std::string function = TextMember(*metadata, "torch_fn");
    if (!function.empty()) source.attributes.emplace_back("torch_fn", std::move(function));
  }
  return Origin::Leaf(std::move(source));
}

}  // namespace dragoman::torch
