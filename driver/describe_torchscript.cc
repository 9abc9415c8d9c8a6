// SPDX-License-Identifier: Apache-2.0
#include "driver/describe_torchscript.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/find_as.h"
#include "core/ir/graph.h"
#include "core/ir/origin.h"
#include "core/support/printable.h"
#include "importers/torch/script/class_table.h"
#include "importers/torch/script/inline.h"

namespace dragoman {
namespace {

// One line.
template <class... Args>
std::string Line(fmt::format_string<Args...> format, Args&&... arguments) {
  return Printable(fmt::format(format, std::forward<Args>(arguments)...)) + '\n';
}

std::string TypeText(const Type& type);

std::string ElementTexts(const Type& type) {
  std::string text;
  for (const Type& element : type.elements()) {
    text += (text.empty() ? "" : ", ") + TypeText(element);
  }
  return text.empty() ? "()" : text;
}

std::string KeyText(DType key) {
  switch (key) {
    case DType::kString:
      return "str";
    case DType::kI64:
      return "int";
    case DType::kF64:
      return "float";
    default:
      return std::string(Name(key));
  }
}

// As torch writes it. Types nest at most Type::kMaxNesting deep.
std::string TypeText(const Type& type) {
  switch (type.kind()) {
    case Type::Kind::kTensor:
      return "Tensor";
    case Type::Kind::kSequence:
      return "List[" + ElementTexts(type) + "]";
    case Type::Kind::kOptional:
      return "Optional[" + ElementTexts(type) + "]";
    case Type::Kind::kTuple:
      return "Tuple[" + ElementTexts(type) + "]";
    case Type::Kind::kMap:
      return fmt::format("Dict[{}, {}]", KeyText(type.map_key()), ElementTexts(type));
    case Type::Kind::kOpaque:
      return type.opaque_name();
    default:
      return type.ToString();
  }
}

// "(x: Tensor, n: int) -> Tensor", without self.
std::string SignatureText(const Graph& graph) {
  std::string arguments;
  for (std::size_t i = 1; i < graph.inputs().size(); ++i) {
    const Value& input = *graph.inputs()[i];
    arguments += fmt::format("{}{}: {}", i == 1 ? "" : ", ", input.name(), TypeText(input.type()));
  }
  const std::string result =
      graph.outputs().empty() ? "None" : TypeText(graph.outputs().front().value()->type());
  return fmt::format("({}) -> {}", arguments, result);
}

struct Place {
  std::string_view location;
  std::vector<std::string> ops;  // each once
};

bool IsConstant(const OpName& op) { return op.dialect == "prim" && op.type == "Constant"; }

void AddPlace(const Node& node, std::vector<Place>* places) {
  const SourceOp* source = node.origin() == nullptr ? nullptr : node.origin()->leaf();
  if (source == nullptr || source->location.empty() || IsConstant(node.op())) return;
  if (places->empty() || places->back().location != source->location) {
    places->push_back({source->location, {}});
  }
  std::vector<std::string>& ops = places->back().ops;
  std::string op = node.op().ToString();
  if (std::find(ops.begin(), ops.end(), op) == ops.end()) ops.push_back(std::move(op));
}

// In the order of the nodes; those of blocks come last.
std::vector<Place> PlacesOf(const Graph& graph) {
  std::vector<Place> places;
  std::vector<const Graph*> graphs = {&graph};
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    for (const Node& node : graphs[i]->nodes()) {
      AddPlace(node, &places);
      for (const NamedAttribute& attribute : node.attributes()) {
        if (const Graph* block = attribute.value.graph()) graphs.push_back(block);
      }
    }
  }
  return places;
}

std::string Places(const Graph& graph, std::size_t max_places) {
  const std::vector<Place> places = PlacesOf(graph);
  std::string text;
  for (std::size_t i = 0; i < places.size() && i < max_places; ++i) {
    text += Line("    {}  {}", places[i].location, fmt::join(places[i].ops, ", "));
  }
  if (places.size() > max_places) {
    text += fmt::format("    … and {} more\n", places.size() - max_places);
  }
  return text;
}

bool Lists(const Attribute::Dict& entry, std::string_view key, const std::string& name) {
  const auto* names = FindAs<Attribute::Strings>(entry, key);
  return names != nullptr && std::find(names->begin(), names->end(), name) != names->end();
}

std::string Attributes(const Attribute::Dict& entry) {
  const auto* attributes = FindAs<Attribute::Dict>(entry, "attributes");
  if (attributes == nullptr) return "";
  std::string text;
  for (const NamedAttribute& attribute : *attributes) {
    const auto* type = attribute.value.As<std::string>();
    std::string_view role;
    if (Lists(entry, "parameters", attribute.name)) role = " (parameter)";
    if (Lists(entry, "buffers", attribute.name)) role = " (buffer)";
    text += Line("  {}: {}{}", attribute.name, type == nullptr ? "?" : *type, role);
  }
  return text;
}

std::string Methods(const Model& model, const std::string& class_name, const Attribute::Dict& entry,
                    std::size_t max_places) {
  const auto* methods = FindAs<Attribute::Strings>(entry, "methods");
  if (methods == nullptr) return "";
  std::string text;
  for (const std::string& method : *methods) {
    const Graph* graph = FindTorchFunction(model, class_name + "." + method);
    if (graph == nullptr) {
      text += Line("  {}: never called", method);
    } else {
      text += Line("  {}{}", method, SignatureText(*graph)) + Places(*graph, max_places);
    }
  }
  return text;
}

}  // namespace

std::string DescribeTorchScript(const Model& model, std::size_t max_places) {
  const auto* classes = FindAs<Attribute::Dict>(model.extra, torch::kClassTable);
  if (classes == nullptr) return "";
  std::string text;
  for (const NamedAttribute& known : *classes) {
    const auto* entry = known.value.As<Attribute::Dict>();
    if (entry == nullptr) continue;
    const auto* kind = FindAs<std::string>(*entry, "kind");
    text += Line("class {}: {}", known.name, kind == nullptr ? "class" : *kind);
    text += Attributes(*entry) + Methods(model, known.name, *entry, max_places);
  }
  return text;
}

}  // namespace dragoman
