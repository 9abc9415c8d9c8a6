#include "importers/relax/lower/composed.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "importers/relax/graph/expr_text.h"
#include "importers/relax/graph/read_model.h"
#include "importers/relax/lower/border.h"
#include "importers/relax/lower/recursion.h"

namespace dragoman {
namespace tvmscript {
namespace {

struct Remark {
  ComposedOperator op;
  bool is_resolved = false;  // all that it names is there
  std::string digest;
};

using Names = std::unordered_map<std::string, const Value*>;

// Those of variables that are bound once; nullptr for others.
Names NamesOf(const Graph& function) {
  Names names;
  const auto add = [&](const Value* value) {
    const auto [at, is_new] = names.emplace(value->name(), value);
    if (!is_new) at->second = nullptr;
  };
  for (const auto& input : function.inputs()) add(input.get());
  for (const auto& constant : function.constants()) add(constant.get());
  for (const Node& node : function.nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) != nullptr && !node.result(i)->name().empty()) add(node.result(i));
    }
  }
  return names;
}

std::optional<Attribute::Strings> TextsOf(const Attribute& attribute) {
  if (const auto* texts = attribute.As<Attribute::Strings>()) return *texts;
  const auto* ints = attribute.As<Attribute::Ints>();
  const auto* list = attribute.As<Attribute::List>();
  const bool is_empty = (ints != nullptr && ints->empty()) || (list != nullptr && list->empty());
  return is_empty ? std::optional(Attribute::Strings()) : std::nullopt;
}

// [results, operator, operands, attributes, digest]
Remark RemarkOf(const Attribute& attribute, const Names& names) {
  Remark remark;
  const auto* items = attribute.As<Attribute::List>();
  if (items == nullptr || items->size() < 4) return remark;
  const auto results = TextsOf((*items)[0]);
  const auto* label = (*items)[1].As<std::string>();
  const auto operands = TextsOf((*items)[2]);
  const auto* attributes = (*items)[3].As<std::string>();
  if (!results || label == nullptr || !operands || attributes == nullptr) return remark;
  remark.op.label = *label;
  remark.op.attributes = *attributes;
  remark.is_resolved = true;
  const auto find = [&](const std::string& name) -> const Value* {
    const auto found = names.find(name);
    return found != names.end() ? found->second : nullptr;
  };
  for (const std::string& operand : *operands) {
    const Value* value = find(operand);
    remark.op.operands.push_back({value, value != nullptr ? "" : operand});
  }
  for (const std::string& result : *results) {
    const Value* value = result.empty() ? nullptr : find(result);
    const bool is_alone =
        value != nullptr && value->producer() != nullptr && value->producer()->num_results() == 1;
    remark.is_resolved = remark.is_resolved && (result.empty() || is_alone);
    remark.op.results.push_back(value);
  }
  const auto* digest = items->size() > 4 ? (*items)[4].As<std::string>() : nullptr;
  if (digest != nullptr) remark.digest = *digest;
  return remark;
}

std::vector<Remark> RemarksOf(const Graph& function) {
  std::vector<Remark> remarks;
  const Attribute* attribute = FunctionAttribute(function, "composed");
  const auto* list = attribute != nullptr ? attribute->As<Attribute::List>() : nullptr;
  if (list == nullptr) return remarks;
  const Names names = NamesOf(function);
  for (const Attribute& item : *list) remarks.push_back(RemarkOf(item, names));
  return remarks;
}

// Of nodes beyond their attributes; a call stands for what the function that it calls says.
class Digests {
 public:
  explicit Digests(const Model& source) {
    for (const Function& function : source.functions)
      functions_.emplace(function.op->type, function.graph.get());
    for (const Entry& entry : source.entries) functions_.emplace(entry.name, entry.graph.get());
  }

  NodeRemark remark() {
    return [this](const Node& node) { return Remark(node); };
  }

 private:
  std::optional<std::string> Remark(const Node& node) {
    if (node.op().type == "func_attr") return std::nullopt;
    std::string text;
    const Extra* extra = node.extra_if_any();
    const Attribute* layout = extra != nullptr ? Find(*extra, "relax.arguments") : nullptr;
    const auto* names = layout != nullptr ? layout->As<Attribute::Strings>() : nullptr;
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

  std::unordered_map<std::string, const Graph*> functions_;
  std::unordered_map<std::string, std::string> digests_;
};

void AddSymbols(const Type& type, std::set<std::string>& symbols) {
  const std::optional<Shape> sizes =
      type.shape() != nullptr ? std::optional(*type.shape()) : SizesOfShapeType(type);
  if (!sizes) return;
  for (const Dim& size : *sizes) {
    for (std::string& symbol : size.Symbols()) symbols.insert(std::move(symbol));
  }
}

// A cast that names sizes which no other value of the operator names is still to be run.
bool NamesMore(const Node& node, const std::set<std::string>& named) {
  if (node.op().type != "match_cast") return false;
  std::set<std::string> symbols;
  for (const NamedAttribute& attribute : node.attributes()) {
    if (const Type* type = attribute.value.As<Type>()) AddSymbols(*type, symbols);
  }
  return !std::ranges::includes(named, symbols);
}

// The statement of `graph` in which `user` stands.
const Node* StatementOf(const Node* user, const Graph* graph) {
  while (user != nullptr && user->graph() != graph) user = user->graph()->parent();
  return user;
}

// Marks the nodes that nothing outside of the part reads.
void LeaveOut(const ComposedStatements& part, ComposedNodes& found) {
  std::set<std::string> named;
  std::unordered_set<const Node*> giving;
  for (const Value* result : part.op.results) {
    if (result == nullptr) continue;
    AddSymbols(result->type(), named);
    giving.insert(result->producer());
  }
  for (const ComposedOperator::Operand& operand : part.op.operands) {
    if (operand.value != nullptr) AddSymbols(operand.value->type(), named);
  }
  for (auto node = part.nodes.rbegin(); node != part.nodes.rend(); ++node) {
    bool is_free = giving.contains(*node) || !NamesMore(**node, named);
    for (std::size_t i = 0; is_free && !giving.contains(*node) && i < (*node)->num_results(); ++i) {
      const Value* result = (*node)->result(i);
      for (const Use* use = result->first_use(); use != nullptr && is_free; use = use->next())
        is_free = found.left_out.contains(StatementOf(use->user(), (*node)->graph()));
    }
    if (is_free) found.left_out.insert(*node);
  }
}

void AddComposed(const Graph& function, const NodeRemark& remark, ComposedNodes& found) {
  std::vector<Remark> remarks = RemarksOf(function);
  if (remarks.empty()) return;
  std::unordered_map<const Node*, std::size_t> places;
  for (const Node& node : function.nodes()) places.emplace(&node, places.size());
  for (Remark& each : remarks) {
    const auto is_done = [&](const Value* result) {
      return result != nullptr && found.left_out.contains(result->producer());
    };
    const bool is_open =
        each.is_resolved && !each.digest.empty() && std::ranges::none_of(each.op.results, is_done);
    if (!is_open) continue;
    std::optional<ComposedPart> part = FindComposedPart(each.op, remark);
    if (!part || part->digest != each.digest) continue;
    std::ranges::sort(part->nodes, {}, [&](const Node* node) { return places.at(node); });
    auto statements = std::make_unique<ComposedStatements>();
    statements->op = std::move(each.op);
    statements->nodes = std::move(part->nodes);
    LeaveOut(*statements, found);
    const Node* first = nullptr;
    for (const Value* result : statements->op.results) {
      const Node* node = result != nullptr ? result->producer() : nullptr;
      if (node != nullptr && (first == nullptr || places.at(node) < places.at(first))) first = node;
    }
    found.first.emplace(first, statements.get());
    found.all.push_back(std::move(statements));
  }
}

}  // namespace

ComposedNodes FindComposed(const Model& source) {
  ComposedNodes found;
  Digests digests(source);
  const NodeRemark remark = digests.remark();
  for (const Function& function : source.functions) AddComposed(*function.graph, remark, found);
  for (const Entry& entry : source.entries) AddComposed(*entry.graph, remark, found);
  return found;
}

}  // namespace tvmscript

Result<std::map<std::string, std::vector<std::string>>> DigestsOfComposed(std::string text) {
  DRAGOMAN_ASSIGN(const Model source, ReadRelaxText(std::move(text)));
  std::map<std::string, std::vector<std::string>> digests;
  tvmscript::Digests of_nodes(source);
  const NodeRemark remark = of_nodes.remark();
  const auto add = [&](const std::string& name, const Graph& function) {
    for (const tvmscript::Remark& each : tvmscript::RemarksOf(function)) {
      const auto part = each.is_resolved ? FindComposedPart(each.op, remark) : std::nullopt;
      digests[name].push_back(part ? part->digest : "");
    }
  };
  for (const Function& function : source.functions) add(function.op->type, *function.graph);
  for (const Entry& entry : source.entries) add(entry.name, *entry.graph);
  return digests;
}

}  // namespace dragoman
