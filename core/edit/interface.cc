// SPDX-License-Identifier: Apache-2.0
#include "core/edit/interface.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

#include "core/edit/listings.h"
#include "core/ir/for_each_value.h"
#include "core/ir/input_names.h"
#include "core/rewrite/cut.h"
#include "core/support/nearest_name.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

// Patterns are matched by backtracking: longer names are compared as they are.
constexpr std::size_t kMaxMatchedName = 1000;

std::string_view NounOf(Renamed what) {
  switch (what) {
    case Renamed::kInput:
      return "input";
    case Renamed::kOutput:
      return "output";
    case Renamed::kValue:
      return "value";
    case Renamed::kNode:
      return "node";
    case Renamed::kDim:
      return "size";
  }
  return "";
}

// New names of those of `names`, which `what` has, that the pattern matches.
Result<std::map<std::string, std::string>> NewNames(Renamed what,
                                                    const std::set<std::string>& names,
                                                    const std::string& pattern,
                                                    const std::string& name) {
  const Result<std::string> unescaped = Unescape(pattern);  // as it is printed
  for (const std::string& exact : {pattern, unescaped.ok() ? *unescaped : pattern}) {
    if (names.contains(exact)) return std::map<std::string, std::string>{{exact, name}};
  }
  std::map<std::string, std::string> renamed;
  try {
    const std::regex expression(pattern);
    for (const std::string& old : names) {
      std::smatch match;
      if (old.size() > kMaxMatchedName || !std::regex_match(old, match, expression)) continue;
      renamed[old] = match.format(name);
    }
  } catch (const std::regex_error& error) {
    return InvalidInput("'" + pattern +
                        "' is not a name, and no regular expression: " + error.what());
  }
  if (renamed.empty()) {
    const std::vector<std::string> known(names.begin(), names.end());
    const std::string noun(NounOf(what));
    return InvalidInput("no " + noun + " is called '" + pattern + "'" +
                        WhatThereIs(pattern, noun + "s are", known));
  }
  return renamed;
}

// Errors: two are called alike afterwards, or one like another that keeps its name.
Status CheckDistinct(const std::map<std::string, std::string>& renamed,
                     const std::set<std::string>& all) {
  std::set<std::string> taken;
  for (const auto& [old, name] : renamed) {
    const bool is_free = !all.contains(name) || renamed.contains(name);
    if (name.empty()) return InvalidInput("'" + old + "' would have no name");
    if (!taken.insert(name).second || !is_free)
      return InvalidInput("another value is called '" + name + "'");
  }
  return {};
}

std::vector<Value*> ValuesToRename(Model& model, Renamed what) {
  std::vector<Value*> values;
  Graph& graph = model.main();
  for (const auto& input : graph.inputs()) {
    if (what == Renamed::kInput) values.push_back(input.get());
  }
  for (const Use& output : graph.outputs()) {
    if (what == Renamed::kOutput && output.value() != nullptr) values.push_back(output.value());
  }
  if (what != Renamed::kValue) return values;
  ForEachGraph(graph, [&](Graph& part) {
    ForEachValue(part, [&](Value& value) { values.push_back(&value); });
  });
  return values;
}

Status RenameValues(Model& model, Renamed what, const std::string& pattern,
                    const std::string& name) {
  const std::vector<Value*> values = ValuesToRename(model, what);
  std::set<std::string> names;
  for (const Value* value : values) names.insert(value->name());
  DRAGOMAN_ASSIGN(const auto renamed, NewNames(what, names, pattern, name));
  DRAGOMAN_TRY(CheckDistinct(renamed, ValueNames(model)));
  for (Value* value : values) {
    if (const auto found = renamed.find(value->name()); found != renamed.end())
      value->set_name(found->second);
  }
  return {};
}

Status RenameNodes(Model& model, const std::string& pattern, const std::string& name) {
  std::set<std::string> names;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) names.insert(node.name());
  });
  names.erase("");
  if (names.empty())
    return InvalidInput("no node of the model has a name; values have, see --rename-value");
  DRAGOMAN_ASSIGN(const auto renamed, NewNames(Renamed::kNode, names, pattern, name));
  ForEachGraph(model, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (const auto found = renamed.find(node.name()); found != renamed.end())
        node.set_name(found->second);
    }
  });
  return {};
}

Type WithDims(const Type& type, const std::map<std::string, Dim>& dims) {
  if (type.shape() == nullptr) return type;
  Shape shape;
  for (const Dim& size : *type.shape()) shape.push_back(size.Substitute(dims));
  return type.WithShape(std::move(shape));
}

Status RenameDims(Model& model, const std::string& pattern, const std::string& name) {
  std::set<std::string> names;
  ForEachGraph(model, [&](const Graph& graph) {
    ForEachValue(graph, [&](const Value& value) {
      if (value.type().shape() == nullptr) return;
      for (const Dim& size : *value.type().shape()) {
        for (std::string& symbol : size.Symbols()) names.insert(std::move(symbol));
      }
    });
  });
  if (names.empty()) return InvalidInput("no size of the model has a name");
  DRAGOMAN_ASSIGN(const auto renamed, NewNames(Renamed::kDim, names, pattern, name));
  std::map<std::string, Dim> dims;
  for (const auto& [old, wanted] : renamed) {
    if (names.contains(wanted) && !renamed.contains(wanted))
      return InvalidInput("another size is called '" + wanted + "'");
    dims.emplace(old, Dim::Symbol(wanted));
  }
  ForEachGraph(model, [&](Graph& graph) {
    ForEachValue(graph, [&](Value& value) { value.set_type(WithDims(value.type(), dims)); });
  });
  return {};
}

Status CheckOrder(const Entry& entry, const std::vector<std::string>& names) {
  if (!entry.states.empty())
    return Unsupported("the inputs and outputs of an entry with states keep their places");
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) return InvalidInput("'" + name + "' is named twice");
  }
  return {};
}

}  // namespace

std::set<std::string> ValueNames(const Model& model) {
  std::set<std::string> names;
  ForEachGraph(model, [&](const Graph& graph) {
    ForEachValue(graph, [&](const Value& value) { names.insert(value.name()); });
  });
  return names;
}

Status Rename(Model& model, Renamed what, const std::string& pattern, const std::string& name) {
  ForgetListings(model.main());
  if (what == Renamed::kNode) return RenameNodes(model, pattern, name);
  if (what == Renamed::kDim) return RenameDims(model, pattern, name);
  return RenameValues(model, what, pattern, name);
}

Result<Value*> FindInput(const Model& model, const std::string& name) {
  if (Value* input = InputCalled(model.main(), name)) return input;
  return InvalidInput("no input is called '" + name + "'" +
                      WhatThereIs(name, "inputs are", InputNames(model.main())));
}

Result<std::size_t> FindOutput(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  const Graph& graph = model.main();
  for (std::size_t i = 0; i < graph.num_outputs(); ++i) {
    if (graph.output(i) == nullptr) continue;
    if (graph.output(i)->name() == name) return i;
    names.push_back(graph.output(i)->name());
  }
  return InvalidInput("no output is called '" + name + "'" +
                      WhatThereIs(name, "outputs are", names));
}

Status ReorderInputs(Model& model, const std::vector<std::string>& names) {
  Entry& entry = model.entries.front();
  DRAGOMAN_TRY(CheckOrder(entry, names));
  std::vector<Value*> order;
  for (const std::string& name : names) {
    DRAGOMAN_ASSIGN(Value * input, FindInput(model, name));
    order.push_back(input);
  }
  const std::set<const Value*> first(order.begin(), order.end());
  Graph& graph = *entry.graph;
  for (const auto& input : graph.inputs()) {
    if (!first.contains(input.get())) order.push_back(input.get());
  }
  ForgetListings(graph);
  entry.arguments.clear();
  // Inputs do not move: new ones after the old take their places.
  const std::size_t count = order.size();
  for (Value* old : order) {
    Value* input = graph.AddInput(old->name(), old->type());
    if (old->data() != nullptr) input->set_data(*old->data());
    if (old->extra_if_any() != nullptr) input->extra() = *old->extra_if_any();
    old->ReplaceAllUsesWith(input);
  }
  for (std::size_t i = count; i-- > 0;) graph.RemoveInput(i);
  return {};
}

Status ReorderOutputs(Model& model, const std::vector<std::string>& names) {
  Entry& entry = model.entries.front();
  DRAGOMAN_TRY(CheckOrder(entry, names));
  Graph& graph = *entry.graph;
  std::vector<std::size_t> order;
  for (const std::string& name : names) {
    DRAGOMAN_ASSIGN(const std::size_t output, FindOutput(model, name));
    order.push_back(output);
  }
  const std::set<std::size_t> first(order.begin(), order.end());
  for (std::size_t i = 0; i < graph.num_outputs(); ++i) {
    if (!first.contains(i)) order.push_back(i);
  }
  ForgetListings(graph);
  entry.results.clear();
  std::vector<Value*> values;
  for (const std::size_t i : order) values.push_back(graph.output(i));
  for (std::size_t i = 0; i < values.size(); ++i) graph.SetOutput(i, values[i]);
  return {};
}

Status DropInput(Model& model, const std::string& name) {
  Entry& entry = model.entries.front();
  DRAGOMAN_TRY(CheckOrder(entry, {}));
  DRAGOMAN_ASSIGN(Value * input, FindInput(model, name));
  Graph& graph = *entry.graph;
  if (input->used() && input->tensor() == nullptr) {
    const Node* reader = input->first_use()->user();
    return InvalidInput("input '" + name + "' is read by " +
                        (reader != nullptr ? reader->Describe() : "an output"));
  }
  ForgetListings(graph);
  entry.arguments.clear();
  if (input->used()) {
    Value* constant = graph.AddConstant(name, *input->tensor());
    input->ReplaceAllUsesWith(constant);
  }
  graph.RemoveInput(input->index());
  return {};
}

Status DropOutput(Model& model, const std::string& name) {
  Entry& entry = model.entries.front();
  DRAGOMAN_TRY(CheckOrder(entry, {}));
  DRAGOMAN_ASSIGN(const std::size_t output, FindOutput(model, name));
  Graph& graph = *entry.graph;
  if (graph.num_outputs() == 1) return InvalidInput("'" + name + "' is the only output");
  ForgetListings(graph);
  entry.results.clear();
  graph.RemoveOutput(output);
  RemoveUnneeded(graph);
  return {};
}

Status ExposeValue(Model& model, const std::string& name) {
  Entry& entry = model.entries.front();
  DRAGOMAN_TRY(CheckOrder(entry, {}));
  Graph& graph = *entry.graph;
  Value* value = FindValue(graph, name);
  if (value == nullptr) {
    return InvalidInput("no value of the main graph is called '" + name + "'" +
                        DidYouMeanValue(graph, name));
  }
  for (const Use& output : graph.outputs()) {
    if (output.value() == value) return InvalidInput("'" + name + "' is an output already");
  }
  if (value->kind() != Value::Kind::kResult)
    return InvalidInput("'" + name + "' is not a result of a node");
  ForgetListings(graph);
  entry.results.clear();
  graph.AddOutput(value);
  return {};
}

namespace {

// Where the elements of a constant are: a value with data, or the node that gives it.
struct ConstantPlace {
  Value* value = nullptr;
  Node* node = nullptr;
};

bool IsConstantNode(const Node* node) {
  return node != nullptr && node->Is("Constant") && node->attribute("value") != nullptr &&
         node->attribute("value")->tensor() != nullptr;
}

Result<ConstantPlace> FindConstant(const Model& model, const std::string& name) {
  std::vector<std::string> names;
  std::optional<ConstantPlace> found;
  ForEachGraph(model, [&](const Graph& graph) {
    ForEachValue(graph, [&](Value& value) {
      const bool holds = value.tensor() != nullptr || IsConstantNode(value.producer());
      if (!holds) return;
      names.push_back(value.name());
      if (value.name() == name && !found)
        found = ConstantPlace{&value, value.tensor() != nullptr ? nullptr : value.producer()};
    });
  });
  if (found) return *found;
  return InvalidInput("no constant is called '" + name + "'" + DidYouMean(name, names));
}

const Tensor& TensorAt(const ConstantPlace& place) {
  return place.node != nullptr ? *place.node->attribute("value")->tensor() : *place.value->tensor();
}

}  // namespace

Result<Type> ConstantType(const Model& model, const std::string& name) {
  DRAGOMAN_ASSIGN(const ConstantPlace place, FindConstant(model, name));
  return TensorAt(place).type();
}

Status SetConstant(Model& model, const std::string& name, Tensor tensor) {
  DRAGOMAN_ASSIGN(const ConstantPlace place, FindConstant(model, name));
  const Type before = TensorAt(place).type();
  if (!(before == tensor.type())) {
    return InvalidInput("constant '" + name + "' is " + before.ToString() + ", not " +
                        tensor.type().ToString());
  }
  if (place.node != nullptr) {
    place.node->SetAttribute("value", Attribute(std::move(tensor)));
  } else {
    place.value->set_data(Attribute(std::move(tensor)));
    ForgetEncoding(*place.value);
  }
  return {};
}

void SetMetadata(Model& model, const std::string& key, const std::string& value) {
  const auto found =
      std::ranges::find(model.metadata, key, &std::pair<std::string, std::string>::first);
  if (found != model.metadata.end()) {
    found->second = value;
  } else {
    model.metadata.emplace_back(key, value);
  }
}

Status RemoveMetadata(Model& model, const std::string& key) {
  const std::size_t erased =
      std::erase_if(model.metadata, [&](const auto& entry) { return entry.first == key; });
  return erased > 0 ? Status() : InvalidInput("there is no metadata '" + key + "'");
}

void StripDocumentation(Model& model) { ForgetDocumentation(model); }

void StripNames(Model& model) {
  std::set<const Value*> shown;
  std::set<std::string> taken;
  for (const Entry& entry : model.entries) {
    for (const auto& input : entry.graph->inputs()) shown.insert(input.get());
    for (const Use& output : entry.graph->outputs()) shown.insert(output.value());
  }
  for (const Value* value : shown) {
    if (value != nullptr) taken.insert(value->name());
  }
  std::size_t number = 0;
  ForEachGraph(model, [&](Graph& graph) {
    ForgetListings(graph);
    ForEachValue(graph, [&](Value& value) {
      if (shown.contains(&value) || value.name().empty()) return;
      std::string name;
      do {
        name = "v" + std::to_string(number++);
      } while (taken.contains(name));
      value.set_name(std::move(name));
    });
    for (Node& node : graph.nodes()) node.set_name("");
  });
}

std::string FreshName(const Model& model, const std::string& wanted) {
  const std::set<std::string> names = ValueNames(model);
  std::string name = wanted;
  for (int i = 2; names.contains(name); ++i) name = wanted + "_" + std::to_string(i);
  return name;
}

}  // namespace dragoman
