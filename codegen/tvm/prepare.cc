// SPDX-License-Identifier: Apache-2.0
#include "codegen/tvm/prepare.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/ir/origin.h"
#include "core/ir/print.h"
#include "core/ops/op_def.h"
#include "core/rewrite/lower_factors.h"
#include "runtime/params/map_names.h"

namespace dragoman::tvm {

OpSupport SupportWithoutEmitter(const OpDef& def) {
  if (IsOfStrings(def)) return {OpSupport::Kind::kNone, "TVM has no strings"};
  const bool is_list_operator = IsOfLists(def) && !def.effect;
  if (def.expand || IsFactorisation(def.Label()) || is_list_operator)
    return {OpSupport::Kind::kComposed};
  return {OpSupport::Kind::kNone, "no translation to operators of TVM"};
}

Status RefuseMaps(const Graph& entry) {
  std::vector<Finding> findings;
  const auto consider = [&](const char* what, const Value* value) {
    const std::string map = rt::MapOfKeys(value->name());
    if (map.empty()) return;
    findings.push_back({ErrorKind::kUnsupported,
                        {},
                        std::string(what) + " '" + map + "'",
                        "TVM has no maps; cut the model with --cut-inputs or --cut-outputs"});
  };
  for (const auto& input : entry.inputs()) consider("input", input.get());
  for (const Use& output : entry.outputs()) consider("output", output.value());
  return findings.empty() ? Status() : Status(Error(std::move(findings)));
}

std::vector<std::size_t> JoinedOperands(const Node& concat, std::size_t axis) {
  std::vector<std::size_t> joined;
  for (std::size_t i = 0; i < concat.num_operands(); ++i) {
    const Shape* shape = concat.operand(i)->type().shape();
    if (shape == nullptr || (*shape)[axis] != Dim(0)) joined.push_back(i);
  }
  return joined.empty() ? std::vector<std::size_t>{0} : joined;
}

std::vector<Finding> FindingsOf(Status status) {
  return status.ok() ? std::vector<Finding>() : std::move(status).error().findings();
}

namespace {

std::string Described(const std::string& op, const std::string& name,
                      std::span<const NamedAttribute> attributes) {
  PrintOptions options;
  options.inline_elements = 16;
  options.store = [](const Tensor&) { return std::string(kElided); };
  std::string said;
  for (const NamedAttribute& attribute : attributes) {
    if (attribute.value.graph() != nullptr) continue;
    said += said.empty() ? " {" : ", ";
    said += attribute.name + " = " + PrintAttribute(attribute.value, options);
  }
  return op + (name.empty() ? "" : " @" + name) + said + (said.empty() ? "" : "}");
}

}  // namespace

std::vector<std::string> MembersOf(const Graph& group) {
  std::vector<std::string> members;
  for (const Node& node : group.nodes()) {
    std::string text = Described(node.op().ToString(), node.name(), node.attributes());
    std::string_view word = " from ";
    for (const SourceOp* origin : Flatten(node.origin())) {
      text += word;
      text += Described(origin->op, origin->name, origin->attributes);
      word = "; ";
    }
    members.push_back(std::move(text));
  }
  return members;
}

Error Joined(std::vector<Finding> first, Status second) {
  const std::vector<Finding> known = first;
  for (const Finding& finding : FindingsOf(std::move(second))) {
    const auto is_same = [&](const Finding& other) { return other.place == finding.place; };
    if (std::ranges::none_of(known, is_same)) first.push_back(finding);
  }
  return Error(std::move(first));
}

}  // namespace dragoman::tvm
