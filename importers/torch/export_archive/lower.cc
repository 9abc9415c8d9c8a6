// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/lower.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/no_entry.h"
#include "core/ir/find_as.h"
#include "core/ir/for_each_value.h"
#include "core/ir/input_names.h"
#include "core/support/text.h"
#include "importers/torch/export_archive/guards.h"
#include "importers/torch/export_archive/script_form.h"
#include "importers/torch/lower/lower.h"

namespace dragoman {
namespace torch {
namespace {

// The bounds of sizes that the file states, and conditions on them.
class Ranges {
 public:
  explicit Ranges(const Model& source) {
    const auto* members = FindAs<Attribute::Dict>(source.extra, "pt2.program");
    const Attribute* ranges = members != nullptr ? Find(*members, "range_constraints") : nullptr;
    if (ranges != nullptr) ranges_ = ranges->As<Attribute::Dict>();
    const Attribute* guards = members != nullptr ? Find(*members, "guards_code") : nullptr;
    if (guards != nullptr) guards_ = guards->As<Attribute::List>();
  }

  // Errors: `size` of `symbol` lies outside.
  Status Check(const std::string& symbol, std::int64_t size, const std::string& input) const {
    const auto* bounds = FindAs<Attribute::Dict>(ranges_, symbol);
    if (bounds == nullptr) return {};
    const auto lower = Bound(*bounds, "min_val");
    const auto upper = Bound(*bounds, "max_val");
    // 2 stands for what torch.export supposes of every open size; torch runs 0 and 1, too.
    const bool is_below = lower && *lower > 2 && size < *lower;
    if (!is_below && (!upper || size <= *upper)) return {};
    return InvalidInput(fmt::format(
        "input '{}' has size {} where the program was exported for {} from {} to {}", input, size,
        symbol, lower ? std::to_string(*lower) : "0", upper ? std::to_string(*upper) : "any"));
  }

  // Errors: these sizes break a condition.
  Status CheckGuards(const SizeOfInput& size_of) const {
    if (guards_ == nullptr) return {};
    for (const Attribute& item : *guards_) {
      const auto* guard = item.As<std::string>();
      if (guard == nullptr || HoldsFor(*guard, size_of) != Truth::kNo) continue;
      return InvalidInput("the sizes of the inputs break what the program was exported for: " +
                          *guard);
    }
    return {};
  }

 private:
  static std::optional<std::int64_t> Bound(const Attribute::Dict& bounds, const char* name) {
    const auto* value = FindAs<std::int64_t>(bounds, name);
    return value != nullptr ? std::optional(*value) : std::nullopt;
  }

  const Attribute::Dict* ranges_ = nullptr;
  const Attribute::List* guards_ = nullptr;
};

// An input's size by its name and axis.
Dim SizeIn(const Facts& facts, const std::string& input, std::size_t axis) {
  for (const ShapeFact& fact : facts.shapes) {
    if (fact.input == input && axis < fact.dims.size()) return fact.dims[axis].value_or(Dim());
  }
  return Dim();
}

// The types of the inputs under the facts, and what these make of the symbols.
class InputTypes {
 public:
  InputTypes(const Graph& graph, const Facts& facts, const Ranges& ranges)
      : graph_(graph), facts_(facts), ranges_(ranges), sizes_(facts.dims) {}

  Result<Facts> Run() {
    const std::vector<std::string> names = InputNames(graph_);
    DRAGOMAN_TRY(CheckFacts(facts_, names));
    std::vector<Type> types;
    for (std::size_t i = 0; i < names.size(); ++i) {
      DRAGOMAN_ASSIGN(Type type, TypeOf(i));
      types.push_back(std::move(type));
    }
    Facts complete;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!types[i].is_tensor() || types[i].shape() == nullptr) continue;
      ShapeFact fact;
      fact.input = names[i];
      fact.dtype = types[i].dtype();
      for (const Dim& dim : *types[i].shape()) fact.dims.emplace_back(dim.Substitute(sizes_));
      DRAGOMAN_TRY(CheckSizes(i, fact.dims));
      complete.shapes.push_back(std::move(fact));
    }
    DRAGOMAN_TRY(ranges_.CheckGuards(
        [&](const std::string& input, std::size_t axis) { return SizeIn(complete, input, axis); }));
    return complete;
  }

  // What is known of the symbols, then.
  const std::map<std::string, Dim>& sizes() const { return sizes_; }

 private:
  // Takes note of what becomes of the symbols that are sizes of the input.
  Result<Type> TypeOf(std::size_t index) {
    const Value& input = *graph_.input(index);
    const Type& declared = input.type();
    DRAGOMAN_ASSIGN(Type type, ApplyFacts(facts_, input.name(), index, declared));
    if (declared.dtype() != DType::kUnknown && type.is_tensor()) {
      // Arrays hold bfloat16 as bits.
      const bool is_bits = declared.dtype() == DType::kBF16 && type.dtype() == DType::kU16;
      if (type.dtype() != declared.dtype() && !is_bits) {
        return InvalidInput(fmt::format("input '{}' has type {}, not {}", input.name(),
                                        declared.ToString(), type.ToString()));
      }
      type = type.WithDType(declared.dtype());
    }
    if (declared.shape() == nullptr || type.shape() == nullptr) return type;
    if (declared.shape()->size() != type.shape()->size()) {
      return InvalidInput(fmt::format("input '{}' has {} sizes, not {}", input.name(),
                                      declared.shape()->size(), type.shape()->size()));
    }
    for (std::size_t axis = 0; axis < type.shape()->size(); ++axis) {
      const std::string* symbol = (*declared.shape())[axis].symbol();
      const Dim& size = (*type.shape())[axis];
      if (symbol == nullptr || size.unknown()) continue;
      if (size.known()) DRAGOMAN_TRY(ranges_.Check(*symbol, size.value(), input.name()));
      if (size.symbol() == nullptr || *size.symbol() != *symbol) sizes_.emplace(*symbol, size);
    }
    return type;
  }

  // Errors: sizes that are not those that the file states, once all symbols are known.
  Status CheckSizes(std::size_t index, const std::vector<std::optional<Dim>>& sizes) const {
    const Value& input = *graph_.input(index);
    if (input.type().shape() == nullptr) return {};
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      const Dim declared = (*input.type().shape())[axis].Substitute(sizes_);
      if (!sizes[axis] || Equal(declared, *sizes[axis]) != Truth::kNo) continue;
      return InvalidInput(fmt::format("input '{}' has size {} on axis {}, expected {}",
                                      input.name(), sizes[axis]->ToString(), axis,
                                      declared.ToString()));
    }
    return {};
  }

  const Graph& graph_;
  const Facts& facts_;
  const Ranges& ranges_;
  std::map<std::string, Dim> sizes_;  // of symbols
};

// Whether torch named the value after its operator: "add_3", "getitem_1".
bool IsNamedAfterOperator(const Value& value) {
  const Node* const node = value.producer();
  return node == nullptr || value.name().starts_with(node->op().type) ||
         value.name().starts_with("getitem");
}

// Outputs have the names that someone has given them in the file.
void NameOutputs(const Graph& source, Entry& entry) {
  Graph& graph = *entry.graph;
  if (graph.num_outputs() != source.num_outputs() + entry.states.size()) return;
  std::set<std::string> taken;
  ForEachGraph(std::as_const(graph), [&](const Graph& each) {
    ForEachValue(each, [&](const Value& value) { taken.insert(value.name()); });
  });
  for (std::size_t i = 0; i < source.num_outputs(); ++i) {
    const Value* const given = source.output(i);
    Value* const output = graph.output(i);
    if (given == nullptr || output->kind() != Value::Kind::kResult || IsNamedAfterOperator(*given))
      continue;
    if (taken.insert(given->name()).second) output->set_name(given->name());
  }
}

// The sets that kept operators are of, each reported once.
void AddForeignDomains(Model& common, const std::function<void(std::string_view)>& note) {
  std::set<std::string> domains;
  ForEachGraph(std::as_const(common), [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      const std::string& domain = node.op().domain;
      if (node.op().dialect != "onnx" || domain.empty()) continue;
      if (domains.insert(domain).second) common.opsets.push_back({domain, 1});
      if (note)
        note("operator " + domain + "::" + node.op().type + " is not known, and kept as it is");
    }
  });
}

}  // namespace
}  // namespace torch

Result<Model> LowerExportArchive(const Model& source, const Facts& facts,
                                 const std::function<void(std::string_view)>& note) {
  const std::string name = facts.entry.value_or(source.entries.front().name);
  const Entry* entry = source.FindEntry(name);
  if (entry == nullptr) return NoEntry(source, name);
  const torch::Ranges ranges(source);
  torch::InputTypes types(*entry->graph, facts, ranges);
  DRAGOMAN_ASSIGN(const Facts complete, types.Run());
  DRAGOMAN_ASSIGN(const Model script, torch::ToScriptForm(source, types.sizes()));
  DRAGOMAN_ASSIGN(Model common, LowerTorchScript(script, complete, note));
  torch::NameOutputs(*entry->graph, common.entries.front());
  torch::AddForeignDomains(common, note);
  return common;
}

}  // namespace dragoman
