// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/node_origin.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman::torch {
namespace {

struct Frame {
  std::string place;  // "policy.py:87"
  std::string line;   // of the source, as far as the file tells it
};

// `  File "/home/me/policy.py", line 87, in forward`; nullopt: another line, or no file of a user.
std::optional<std::string> PlaceOf(std::string_view line) {
  constexpr std::string_view kFile = "File \"";
  constexpr std::string_view kLine = "\", line ";
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos || !line.substr(begin).starts_with(kFile))
    return std::nullopt;
  line.remove_prefix(begin + kFile.size());
  const std::size_t end = line.find(kLine);
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view path = line.substr(0, end);
  std::string_view number = line.substr(end + kLine.size());
  number = number.substr(0, number.find(','));
  if (path.starts_with("<")) return "";
  path.remove_prefix(
      path.find_last_of("/\\") == std::string_view::npos ? 0 : path.find_last_of("/\\") + 1);
  return std::string(path) + ":" + std::string(number);
}

// Outermost first. Frames of code that torch made itself are left out.
std::vector<Frame> FramesOf(std::string_view trace) {
  std::vector<Frame> frames;
  bool open = false;
  while (!trace.empty()) {
    const std::string_view line = trace.substr(0, trace.find('\n'));
    trace.remove_prefix(std::min(line.size() + 1, trace.size()));
    if (std::optional<std::string> place = PlaceOf(line)) {
      open = !place->empty();
      if (open) frames.push_back({*std::move(place), ""});
    } else if (open && frames.back().line.empty()) {
      frames.back().line = std::string(line);
    }
  }
  return frames;
}

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
    std::vector<Frame> frames = FramesOf(TextMember(*metadata, "stack_trace"));
    if (!frames.empty()) {
      source.location = std::move(frames.back().place);
      if (!frames.back().line.empty())
        source.attributes.emplace_back("source_line", std::move(frames.back().line));
      frames.pop_back();
      Attribute::Strings callers;
      for (Frame& frame : frames) callers.push_back(std::move(frame.place));
      if (!callers.empty()) source.attributes.emplace_back("called_from", std::move(callers));
    }
    Attribute::Strings stack;
    for (const Module& module : modules) stack.push_back(module.ToString());
    if (!stack.empty()) source.attributes.emplace_back("nn_module_stack", std::move(stack));
    std::string function = TextMember(*metadata, "torch_fn");
    if (!function.empty()) source.attributes.emplace_back("torch_fn", std::move(function));
  }
  return Origin::Leaf(std::move(source));
}

}  // namespace dragoman::torch
