// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/origin_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/printable.h"

namespace dragoman::pt2 {
namespace {

const SourceOp* FirstCall(const OriginPtr& origin) {
  const Origin* part = origin.get();
  while (part != nullptr && part->leaf() == nullptr)
    part = part->parts().empty() ? nullptr : part->parts().front().get();
  return part != nullptr ? part->leaf() : nullptr;
}

// Between slashes. A part that begins with all of the one before, as "layer1.0" after "layer1",
// stands for both.
std::vector<std::string_view> PartsOf(std::string_view scope) {
  std::vector<std::string_view> parts;
  while (!scope.empty()) {
    const std::size_t end = std::min(scope.find('/'), scope.size());
    const std::string_view part = scope.substr(0, end);
    scope.remove_prefix(std::min(end + 1, scope.size()));
    if (part.empty()) continue;
    const bool goes_on = !parts.empty() && part.starts_with(parts.back()) &&
                         part.substr(parts.back().size()).starts_with('.');
    if (goes_on) parts.pop_back();
    parts.push_back(part);
  }
  return parts;
}

// "encoder.layer.0" of scope "/encoder/layer.0", or of the name "/encoder/layer.0/MatMul".
std::string ModuleOf(const SourceOp& call) {
  std::string_view scope = call.scope;
  if (scope.empty()) {
    scope = call.name;
    const std::size_t slash = scope.rfind('/');
    scope = slash == std::string_view::npos ? std::string_view() : scope.substr(0, slash);
  }
  std::string path;
  for (std::string_view part : PartsOf(scope)) {
    if (!path.empty()) path += '.';
    for (char c : part) {
      const bool is_plain = c == '_' || c == '.' || (c >= '0' && c <= '9') ||
                            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (c != '.' || (!path.empty() && path.back() != '.')) path += is_plain ? c : '_';
    }
  }
  while (path.ends_with('.')) path.pop_back();
  return path;
}

// Each module around the node, outermost first: "key,path,type;…".
std::string ModuleStack(const std::string& path) {
  constexpr std::string_view kType = "torch.nn.modules.module.Module";
  std::string stack = fmt::format("L__self__,,{}", kType);
  for (std::size_t end = path.find('.'); !path.empty(); end = path.find('.', end + 1)) {
    const std::string module = path.substr(0, end);
    std::string key = module;
    std::ranges::replace(key, '.', '_');
    stack += fmt::format(";L__self___{},{},{}", key, module, kType);
    if (end == std::string::npos) break;
  }
  return stack;
}

// `File "policy.py", line 87, in forward` of "policy.py:87".
std::string FrameOf(const std::string& location) {
  const std::size_t colon = location.rfind(':');
  if (colon == std::string::npos) return "";
  return fmt::format("  File \"{}\", line {}, in forward", Printable(location.substr(0, colon)),
                     Printable(location.substr(colon + 1)));
}

}  // namespace

Json MetadataOf(const OriginPtr& origin) {
  const SourceOp* call = FirstCall(origin);
  if (call == nullptr) return {{"nn_module_stack", ModuleStack("")}};
  Json metadata = {{"custom", Json{{"source", call->op}, {"name", call->name}}.dump(
                                  -1, ' ', false, Json::error_handler_t::replace)},
                   {"nn_module_stack", ModuleStack(ModuleOf(*call))}};
  if (const std::string frame = FrameOf(call->location); !frame.empty())
    metadata["stack_trace"] = frame;
  return metadata;
}

}  // namespace dragoman::pt2
