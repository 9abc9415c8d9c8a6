// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/call_tree.h"

#include <string>
#include <utility>

#include "core/support/text.h"

namespace dragoman::pt2 {
namespace {

// The form that torch.utils._pytree.treespec_dumps gives.
constexpr int kTreeVersion = 1;

Json TreeNode(const char* type, const std::string& context, Json children) {
  return {{"type", type}, {"context", context}, {"children_spec", std::move(children)}};
}

Json Leaf() { return {{"type", nullptr}, {"context", nullptr}, {"children_spec", Json::array()}}; }

// Structures nest at most Type::kMaxNesting deep.
Result<Json> TreeOf(const Structure& structure, std::vector<std::size_t>& leaves) {
  if (structure.kind == Structure::Kind::kTensor || structure.kind == Structure::Kind::kScalar) {
    leaves.push_back(structure.index);
    return Leaf();
  }
  Json children = Json::array();
  Json keys = Json::array();
  for (const Structure& child : structure.children) {
    DRAGOMAN_ASSIGN(Json tree, TreeOf(child, leaves));
    children.push_back(std::move(tree));
    keys.push_back(child.name);
  }
  switch (structure.kind) {
    case Structure::Kind::kList:
      return TreeNode("builtins.list", "null", std::move(children));
    case Structure::Kind::kDict: {
      DRAGOMAN_ASSIGN(const std::string context, JsonText(keys));
      return TreeNode("builtins.dict", context, std::move(children));
    }
    default:
      return TreeNode("builtins.tuple", "null", std::move(children));
  }
}

Result<std::string> Text(const Json& tree) { return JsonText(Json::array({kTreeVersion, tree})); }

bool HasOptional(const Structure& structure) {
  if (structure.kind == Structure::Kind::kOptional) return true;
  for (const Structure& child : structure.children) {
    if (HasOptional(child)) return true;
  }
  return false;
}

// The trees that `structures` state, if their leaves are the values that count; else one leaf each.
Result<Json> Trees(const std::vector<Structure>& structures, std::size_t count,
                   const std::function<bool(std::size_t)>& counts,
                   std::vector<std::size_t>& leaves) {
  Json trees = Json::array();
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < count; ++i) wanted += counts(i) ? 1 : 0;
  bool is_plain = structures.empty();
  for (const Structure& structure : structures) {
    is_plain = is_plain || HasOptional(structure);
    DRAGOMAN_ASSIGN(Json tree, TreeOf(structure, leaves));
    trees.push_back(std::move(tree));
  }
  if (!is_plain && leaves.size() == wanted) return trees;
  leaves.clear();
  trees = Json::array();
  for (std::size_t i = 0; i < count; ++i) {
    if (!counts(i)) continue;
    leaves.push_back(i);
    trees.push_back(Leaf());
  }
  return trees;
}

}  // namespace

Result<Json> CallSignature(const Entry& entry, const std::function<bool(std::size_t)>& is_argument,
                           const std::function<bool(std::size_t)>& is_result,
                           std::vector<std::size_t>& flat_inputs,
                           std::vector<std::size_t>& flat_outputs) {
  const Graph& graph = *entry.graph;
  DRAGOMAN_ASSIGN(Json arguments,
                  Trees(entry.arguments, graph.num_inputs(), is_argument, flat_inputs));
  DRAGOMAN_ASSIGN(const Json results,
                  Trees(entry.results, graph.num_outputs(), is_result, flat_outputs));
  Json names = Json::array();
  NameScope scope;
  scope.Reserve("self");
  const bool is_flat = arguments.size() == flat_inputs.size();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name =
        is_flat ? graph.input(flat_inputs[i])->name() : entry.arguments.at(i).name;
    names.push_back(scope.Unique(Identifier(name)));
  }
  Json call = Json::array({TreeNode("builtins.tuple", "null", std::move(arguments)),
                           TreeNode("builtins.dict", "[]", Json::array())});
  const Json out =
      results.size() == 1 ? results.front() : TreeNode("builtins.tuple", "null", results);
  DRAGOMAN_ASSIGN(const std::string in_spec,
                  Text(TreeNode("builtins.tuple", "null", std::move(call))));
  DRAGOMAN_ASSIGN(const std::string out_spec, Text(out));
  return Json{{"inputs", Json::array()},
              {"outputs", Json::array()},
              {"in_spec", in_spec},
              {"out_spec", out_spec},
              {"forward_arg_names", std::move(names)}};
}

}  // namespace dragoman::pt2
