// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/tree_spec.h"

#include <utility>

#include "importers/torch/export_archive/json.h"

namespace dragoman::torch {
namespace {

Error Malformed() { return InvalidInput("the nesting of arguments or results is malformed"); }

// The keys of a dict, which are the context: JSON text of a list, in that of an OrderedDict too.
Result<std::vector<std::string>> KeysOf(const Json& json) {
  Json context = json;
  if (context.is_string()) {
    DRAGOMAN_ASSIGN(context, ParseJson(context.get<std::string>()));
  }
  if (!context.is_array()) return Malformed();
  std::vector<std::string> keys;
  for (const Json& key : context)
    keys.push_back(key.is_string() ? key.get<std::string>() : key.dump());
  return keys;
}

Result<TreeSpec> TreeOf(const Json& json, int depth) {
  if (depth > kMaxTreeDepth) return Unsupported("arguments or results nest too deep");
  const Json* type = FindMember(json, "type");
  const Json* children = FindMember(json, "children_spec");
  if (type == nullptr || children == nullptr || !children->is_array()) return Malformed();
  TreeSpec tree;
  if (type->is_null()) return tree;
  const std::string name = TextMember(json, "type");
  tree.kind = TreeSpec::Kind::kTuple;
  if (name == "builtins.list") tree.kind = TreeSpec::Kind::kList;
  for (const Json& child : *children) {
    DRAGOMAN_ASSIGN(TreeSpec made, TreeOf(child, depth + 1));
    tree.children.push_back(std::move(made));
  }
  if (name != "builtins.dict" && name != "collections.OrderedDict") return tree;
  const Json* context = FindMember(json, "context");
  if (context == nullptr) return Malformed();
  tree.kind = TreeSpec::Kind::kDict;
  DRAGOMAN_ASSIGN(tree.keys, KeysOf(*context));
  if (tree.keys.size() != tree.children.size()) return Malformed();
  return tree;
}

}  // namespace

std::size_t TreeSpec::CountLeaves() const {
  if (kind == Kind::kLeaf) return 1;
  std::size_t count = 0;
  for (const TreeSpec& child : children) count += child.CountLeaves();
  return count;
}

Result<TreeSpec> ParseTreeSpec(std::string_view text) {
  DRAGOMAN_ASSIGN(const Json json, ParseJson(text));
  if (!json.is_array() || json.size() != 2) return Malformed();
  return TreeOf(json[1], 0);
}

}  // namespace dragoman::torch
