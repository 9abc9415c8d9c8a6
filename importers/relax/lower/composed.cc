// SPDX-License-Identifier: Apache-2.0
#include "importers/relax/lower/composed.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/ir/find_as.h"
#include "importers/relax/graph/expr_text.h"
#include "importers/relax/graph/read_model.h"
#include "importers/relax/lower/border.h"
#include "importers/relax/lower/evaluator.h"
#include "importers/relax/lower/recursion.h"

namespace dragoman {
namespace tvmscript {
namespace {

std::optional<Attribute::Strings> TextsOf(const Attribute& attribute) {
  if (const auto* texts = attribute.As<Attribute::Strings>()) return *texts;
  const auto* ints = attribute.As<Attribute::Ints>();
  const auto* list = attribute.As<Attribute::List>();
  const bool is_empty = (ints != nullptr && ints->empty()) || (list != nullptr && list->empty());
  return is_empty ? std::optional(Attribute::Strings()) : std::nullopt;
}

// [results, operator, operands, attributes, digest]
std::optional<ComposedText> TextsOfRemark(const Attribute& attribute) {
  const auto* items = attribute.As<Attribute::List>();
  if (items == nullptr || items->size() < 4) return std::nullopt;
  const auto results = TextsOf((*items)[0]);
  const auto* label = (*items)[1].As<std::string>();
  const auto operands = TextsOf((*items)[2]);
  const auto* attributes = (*items)[3].As<std::string>();
  if (!results || label == nullptr || !operands || attributes == nullptr) return std::nullopt;
  const auto* digest = items->size() > 4 ? (*items)[4].As<std::string>() : nullptr;
  return ComposedText{*results, *label, *operands, *attributes, digest ? *digest : ""};
}

std::vector<ComposedRemark> RemarksOf(const Graph& function) {
  const Attribute* attribute = FunctionAttribute(function, "composed");
  const auto* list = attribute != nullptr ? attribute->As<Attribute::List>() : nullptr;
  std::vector<ComposedText> texts;
  for (const Attribute& item : list != nullptr ? *list : Attribute::List())
    texts.push_back(TextsOfRemark(item).value_or(ComposedText()));
  return ResolveRemarks(function, texts);
}

// Of nodes beyond their attributes; a call stands for what the function that it calls says.
class Digests {
 public:
  explicit Digests(const Model& source) : functions_(FunctionsOf(source)) {}

  NodeRemark remark() {
    return [this](const Node& node) { return Remark(node); };
  }

 private:
  std::optional<std::string> Remark(const Node& node) {
    if (node.op().type == "func_attr") return std::nullopt;
    std::string text;
    const auto* names = FindAs<Attribute::Strings>(node.extra_if_any(), "relax.arguments");
    if (names != nullptr) text = fmt::format("{}", fmt::join(*names, ","));
    return node.op().type == "call" ? text + "; " + OfFunction(CalleeOf(node)) : text;
  }

  // A function that is under way stands by its name.
  std::string OfFunction(const std::string& name) {
    const auto function = functions_.find(name);
    if (function == functions_.end()) return name;
    const auto [at, is_new] = digests_.emplace(name, name);
    if (!is_new) return at->second;
    std::string digest = DigestOfFunction(*function->second, remark());
    return digests_[name] = std::move(digest);
  }

  const FunctionTable functions_;
  std::unordered_map<std::string, std::string> digests_;
};

void AddNamedSizes(const Type& type, std::set<std::string>& symbols) {
  const std::optional<Shape> sizes =
      type.shape() != nullptr ? std::optional(*type.shape()) : SizesOfShapeType(type);
  if (!sizes) return;
  for (const Dim& size : *sizes) {
    for (std::string& symbol : size.Symbols()) symbols.insert(std::move(symbol));
  }
}

// A cast that names sizes which no other value of the operator names is still to be run.
bool NamesMore(const ComposedOperator& op, const Node& node) {
  if (node.op().type != "match_cast") return false;
  std::set<std::string> named, symbols;
  for (const Value* result : op.results) {
    if (result != nullptr) AddNamedSizes(result->type(), named);
  }
  for (const ComposedOperator::Operand& operand : op.operands) {
    if (operand.value != nullptr) AddNamedSizes(operand.value->type(), named);
  }
  for (const NamedAttribute& attribute : node.attributes()) {
    if (const Type* type = attribute.value.As<Type>()) AddNamedSizes(*type, symbols);
  }
  return !std::ranges::includes(named, symbols);
}

}  // namespace

ComposedNodes FindComposed(const Model& source) {
  ComposedNodes found;
  Digests digests(source);
  const auto add = [&](const Graph& function) {
    AddComposed(function, RemarksOf(function), digests.remark(), NamesMore, found);
  };
  for (const Function& function : source.functions) add(*function.graph);
  for (const Entry& entry : source.entries) add(*entry.graph);
  return found;
}

}  // namespace tvmscript

Result<std::map<std::string, std::vector<std::string>>> DigestsOfComposed(std::string text) {
  DRAGOMAN_ASSIGN(const Model source, ReadRelaxText(std::move(text)));
  std::map<std::string, std::vector<std::string>> digests;
  tvmscript::Digests of_nodes(source);
  const auto add = [&](const std::string& name, const Graph& function) {
    for (const ComposedRemark& each : tvmscript::RemarksOf(function))
      digests[name].push_back(DigestOfRemark(each, of_nodes.remark()));
  };
  for (const Function& function : source.functions) add(function.op->type, *function.graph);
  for (const Entry& entry : source.entries) add(entry.name, *entry.graph);
  return digests;
}

}  // namespace dragoman
