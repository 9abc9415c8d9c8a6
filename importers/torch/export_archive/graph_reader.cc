// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/graph_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/support/text.h"
#include "importers/torch/export_archive/node_origin.h"
#include "importers/torch/export_archive/numbering.h"
#include "importers/torch/export_archive/size_expression.h"

namespace dragoman::torch {
namespace {

constexpr std::array<const char*, 5> kValueTables = {
    "tensor_values", "sym_int_values", "sym_bool_values", "sym_float_values", "custom_obj_values"};
constexpr std::string_view kTargetPrefix = "torch.ops.";

Error Malformed(std::string_view what, std::string_view expected) {
  return InvalidInput(fmt::format("{} is not {}", what, expected));
}

// The one member of a union.
Result<std::pair<std::string, const Json*>> UnionOf(const Json& json, std::string_view what) {
  if (!json.is_object() || json.size() != 1) return Malformed(what, "a union with one member");
  return std::pair(json.begin().key(), &*json.begin());
}

// Finite numbers, or the words for the others.
std::optional<double> FloatOf(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (!json.is_string()) return std::nullopt;
  const auto text = json.get<std::string>();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

bool CanBe(const Type& type, const Tensor& tensor) {
  if (!type.is_tensor() || type.dtype() != tensor.dtype()) return false;
  return type.shape() == nullptr || std::ranges::equal(*type.shape(), tensor.sizes(),
                                                       [](const Dim& stated, std::int64_t size) {
                                                         return !stated.known() ||
                                                                stated.value() == size;
                                                       });
}

template <class T, class Of>
std::optional<std::vector<T>> ListOf(const Json& json, Of of) {
  if (!json.is_array()) return std::nullopt;
  std::vector<T> items;
  for (const Json& item : json) {
    const std::optional<T> made = of(item);
    if (!made) return std::nullopt;
    items.push_back(*made);
  }
  return items;
}

std::optional<std::string> StringOf(const Json& json) {
  if (!json.is_string()) return std::nullopt;
  return json.get<std::string>();
}

// A literal that has an attribute of its own kind; nullopt: any other union member.
std::optional<Attribute> LiteralOf(const std::string& tag, const Json& value) {
  if (tag == "as_none") return value == true ? std::optional(Attribute()) : std::nullopt;
  if (tag == "as_bool" && value.is_boolean()) return Attribute(value.get<bool>());
  if (tag == "as_string" && value.is_string()) return Attribute(value.get<std::string>());
  if (tag == "as_int") {
    if (const auto number = IntegerOf(value)) return Attribute(*number);
  } else if (tag == "as_float") {
    if (const auto number = FloatOf(value)) return Attribute(*number);
  } else if (tag == "as_ints") {
    if (auto items = ListOf<std::int64_t>(value, IntegerOf)) return Attribute(*std::move(items));
  } else if (tag == "as_floats") {
    if (auto items = ListOf<double>(value, FloatOf)) return Attribute(*std::move(items));
  } else if (tag == "as_strings") {
    if (auto items = ListOf<std::string>(value, StringOf)) return Attribute(*std::move(items));
  } else if (tag == "as_complex" && value.is_object() && value.size() == 2) {
    const Json* re = FindMember(value, "real");
    const Json* im = FindMember(value, "imag");
    const auto real = re != nullptr ? FloatOf(*re) : std::nullopt;
    const auto imaginary = im != nullptr ? FloatOf(*im) : std::nullopt;
    if (real && imaginary) return Attribute(Attribute::Complex(*real, *imaginary));
  }
  return std::nullopt;
}

Json Without(const Json& object, std::initializer_list<const char*> keys) {
  Json rest = object;
  for (const char* key : keys) rest.erase(key);
  return rest;
}

Result<Dim> DimOf(const Json& json) {
  DRAGOMAN_ASSIGN(const auto size, UnionOf(json, "a size"));
  if (size.first == "as_int") {
    if (const auto value = IntegerOf(*size.second); value && *value >= 0) return Dim(*value);
  } else if (size.first == "as_expr") {
    return ParseSizeExpression(TextMember(*size.second, "expr_str"));
  }
  return Malformed("a size", "an integer or an expression");
}

}  // namespace

const OpName* OpOfTarget(const std::string& target) {
  std::string_view text = target;
  const bool is_operator = text.starts_with(kTargetPrefix);
  if (is_operator) text.remove_prefix(kTargetPrefix.size());
  const std::size_t first = is_operator ? text.find('.') : text.rfind('.');
  if (first == std::string_view::npos) return InternOp("python", text);
  const std::string_view rest = text.substr(first + 1);
  const std::size_t second = is_operator ? rest.find('.') : std::string_view::npos;
  if (second == std::string_view::npos) return InternOp(text.substr(0, first), rest);
  return InternOp(text.substr(0, first), rest.substr(0, second), "", rest.substr(second + 1));
}

std::string ReferenceOf(const Json& argument) {
  if (!argument.is_object() || argument.size() != 1) return "";
  const std::string& tag = argument.begin().key();
  const Json& value = *argument.begin();
  if (tag == "as_tensor" || tag == "as_custom_obj") return TextMember(value, "name");
  if (tag == "as_sym_int" || tag == "as_sym_bool" || tag == "as_sym_float")
    return TextMember(value, "as_name");
  return "";
}

bool IsPlainReference(const Attribute& argument, std::size_t index) {
  const auto* symbol = argument.As<Symbol>();
  return symbol != nullptr && symbol->name == std::to_string(index);
}

Result<Type> TypeOfTensorMeta(const Json& json) {
  const Json* number = FindMember(json, "dtype");
  const Json* sizes = FindMember(json, "sizes");
  const auto dtype = number != nullptr ? IntegerOf(*number) : std::nullopt;
  if (!dtype || sizes == nullptr || !sizes->is_array())
    return Malformed("a tensor's description", "one with dtype and sizes");
  Shape shape;
  for (const Json& size : *sizes) {
    DRAGOMAN_ASSIGN(Dim dim, DimOf(size));
    shape.push_back(std::move(dim));
  }
  const std::optional<TorchDType> known = DTypeOfExport(*dtype);
  return Type::Tensor(known ? Info(*known).element : DType::kUnknown, std::move(shape));
}

Status GraphReader::Define(const std::string& name, Value* value) {
  if (values_.emplace(name, value).second) return {};
  return InvalidInput("two values of a graph have the name " + Quote(name));
}

Result<Value*> GraphReader::Lookup(const std::string& name) const {
  const auto found = values_.find(name);
  if (found != values_.end()) return found->second;
  return InvalidInput("there is no value " + Quote(name) + " before its use");
}

// `json` with each reference to a value, {"name": …} or {"as_name": …}, as the Symbol of its index.
Result<Attribute> GraphReader::EncodeReferences(const Json& json, const Refer& refer) {
  if (json.is_object() && json.size() == 1) {
    const std::string& key = json.begin().key();
    if ((key == "name" || key == "as_name") && json.begin()->is_string()) {
      DRAGOMAN_ASSIGN(const std::size_t index, refer(json.begin()->get<std::string>()));
      return Attribute(Symbol{std::to_string(index)});
    }
    if (key == "as_graph") return Unsupported("a graph inside of a structured argument");
  }
  if (json.is_array()) {
    Attribute::List items;
    for (const Json& item : json) {
      DRAGOMAN_ASSIGN(Attribute made, EncodeReferences(item, refer));
      items.push_back(std::move(made));
    }
    return Attribute(std::move(items));
  }
  if (!json.is_object()) return ToAttribute(json);
  Attribute::Dict members;
  for (const auto& [key, value] : json.items()) {
    const bool is_object_name =
        key == "name" && FindMember(json, "class_fqn") != nullptr && value.is_string();
    if (is_object_name) {
      DRAGOMAN_ASSIGN(const std::size_t index, refer(value.get<std::string>()));
      members.emplace_back(key, Attribute(Symbol{std::to_string(index)}));
      continue;
    }
    DRAGOMAN_ASSIGN(Attribute made, EncodeReferences(value, refer));
    members.emplace_back(key, std::move(made));
  }
  return Attribute(std::move(members));
}

Result<Attribute> GraphReader::Encode(const Json& argument, const Refer& refer) {
  DRAGOMAN_ASSIGN(const auto tagged, UnionOf(argument, "an argument"));
  const auto& [tag, value] = tagged;
  if (std::optional<Attribute> literal = LiteralOf(tag, *value)) return *std::move(literal);
  if (tag == "as_graph") return ReadSubgraph(*value);
  DRAGOMAN_ASSIGN(Attribute encoded, EncodeReferences(*value, refer));
  if (tag == "as_tensor" && encoded.As<Symbol>() != nullptr) return encoded;
  Attribute::Dict dict;
  dict.emplace_back(tag, std::move(encoded));
  return Attribute(std::move(dict));
}

Result<Attribute> GraphReader::ReadSubgraph(const Json& json) {
  const Json* graph = FindMember(json, "graph");
  if (graph == nullptr) return Malformed("an argument as_graph", "a graph with a name");
  if (depth_ + 1 >= kMaxGraphNesting) return Unsupported("graphs nest too deep");
  auto made = std::make_shared<Graph>();
  made->set_name(TextMember(json, "name"));
  GraphReader reader(*made, depth_ + 1);
  const Json* inputs = FindMember(*graph, "inputs");
  const auto add_input = [&](std::size_t index, const std::string& name) -> Result<Value*> {
    Value* input = made->AddInput(name);
    if (name.empty()) {
      DRAGOMAN_ASSIGN(Attribute literal, ToAttribute((*inputs)[index]));
      input->extra().emplace_back("pt2.literal", std::move(literal));
    }
    return input;
  };
  DRAGOMAN_TRY(reader.Read(*graph, add_input));
  return Attribute(std::move(made));
}

Status GraphReader::Read(const Json& json, const AddInput& add_input) {
  const Json* inputs = FindMember(json, "inputs");
  const Json* nodes = FindMember(json, "nodes");
  const Json* outputs = FindMember(json, "outputs");
  if (inputs == nullptr || !inputs->is_array() || nodes == nullptr || !nodes->is_array() ||
      outputs == nullptr || !outputs->is_array())
    return Malformed("a graph", "one with inputs, nodes and outputs");
  DRAGOMAN_TRY(ReadInputs(*inputs, add_input));
  for (const Json& node : *nodes) {
    Status status = ReadNode(node);
    if (status.ok()) continue;
    const std::string name = TextMember(node, "name");
    return std::move(status).error().At(
        fmt::format("node {} ({})", Quote(name), TextMember(node, "target")));
  }
  DRAGOMAN_TRY(ReadOutputs(*outputs));
  return ReadTables(json);
}

Status GraphReader::ReadInputs(const Json& inputs, const AddInput& add_input) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = ReferenceOf(inputs[i]);
    DRAGOMAN_ASSIGN(Value * value, add_input(i, name));
    if (!name.empty()) DRAGOMAN_TRY(Define(name, value));
  }
  return {};
}

Status GraphReader::ReadArguments(const Json& inputs, Node& node) {
  const Refer refer = [&](const std::string& name) -> Result<std::size_t> {
    DRAGOMAN_ASSIGN(Value * value, Lookup(name));
    node.AddOperand(value);
    return node.num_operands() - 1;
  };
  for (const Json& input : inputs) {
    const Json* argument = FindMember(input, "arg");
    if (argument == nullptr) return Malformed("an input of a node", "one with an argument");
    DRAGOMAN_ASSIGN(Attribute encoded, Encode(*argument, refer));
    NamedAttribute named(TextMember(input, "name"), std::move(encoded));
    // Positional arguments that have a name and nothing else need no word.
    Json rest = Without(input, {"arg", "name"});
    if (named.name.empty()) named.name = std::to_string(node.attributes().size());
    if (rest != Json{{"kind", 1}}) {
      DRAGOMAN_ASSIGN(Attribute kind, ToAttribute(rest));
      named.extra = std::make_shared<Extra>(Extra{{"pt2.input", std::move(kind)}});
    }
    node.AddAttribute(std::move(named));
  }
  return {};
}

Status GraphReader::ReadNode(const Json& json) {
  const std::string target = TextMember(json, "target");
  const Json* inputs = FindMember(json, "inputs");
  const Json* outputs = FindMember(json, "outputs");
  if (target.empty() || inputs == nullptr || !inputs->is_array() || outputs == nullptr ||
      !outputs->is_array())
    return Malformed("a node", "one with target, inputs and outputs");
  Node& node = *graph_.Append(OpOfTarget(target), {}, TextMember(json, "name"));
  node.set_origin(OriginOfNode(json, node.op()));
  DRAGOMAN_TRY(ReadArguments(*inputs, node));
  const Refer refer = [&](const std::string& name) -> Result<std::size_t> {
    DRAGOMAN_TRY(Define(name, node.AddResult(name)));
    return node.num_results() - 1;
  };
  Attribute::List results;
  bool plain = true;
  for (const Json& output : *outputs) {
    DRAGOMAN_ASSIGN(Attribute encoded, Encode(output, refer));
    plain = plain && IsPlainReference(encoded, results.size());
    results.push_back(std::move(encoded));
  }
  if (!plain) node.extra().emplace_back("pt2.outputs", Attribute(std::move(results)));
  Json rest = Without(json, {"target", "inputs", "outputs"});
  if (!node.name().empty()) rest.erase("name");
  DRAGOMAN_ASSIGN(Attribute said, ToAttribute(rest));
  node.extra().emplace_back("pt2.node", std::move(said));
  return {};
}

Status GraphReader::ReadOutputs(const Json& outputs) {
  const Refer refer = [&](const std::string& name) -> Result<std::size_t> {
    DRAGOMAN_ASSIGN(Value * value, Lookup(name));
    graph_.AddOutput(value);
    return graph_.num_outputs() - 1;
  };
  bool plain = true;
  for (const Json& output : outputs) {
    DRAGOMAN_ASSIGN(Attribute encoded, Encode(output, refer));
    plain = plain && IsPlainReference(encoded, outputs_.size());
    outputs_.push_back(std::move(encoded));
  }
  if (depth_ > 0 && !plain)
    graph_.extra().emplace_back("pt2.outputs", Attribute(Attribute::List(outputs_)));
  return {};
}

// Gives the values their types and what else the tables say of them; the rest of the tables stays
// with the graph.
Status GraphReader::ReadTables(const Json& json) {
  Json rest = Without(json, {"inputs", "nodes", "outputs"});
  for (const char* table : kValueTables) {
    if (const auto entries = rest.find(table); entries != rest.end() && entries->is_object())
      DRAGOMAN_TRY(SetTypes(table, *entries));
  }
  DRAGOMAN_ASSIGN(Attribute graph, ToAttribute(rest));
  graph_.extra().emplace_back("pt2.graph", std::move(graph));
  return {};
}

Status GraphReader::SetTypes(const std::string& table, Json& entries) {
  Json unused = Json::object();
  for (const auto& [name, entry] : entries.items()) {
    const auto found = values_.find(name);
    if (found == values_.end()) {
      unused[name] = entry;
      continue;
    }
    Value& value = *found->second;
    DRAGOMAN_ASSIGN(Attribute said, ToAttribute(entry));
    value.extra().emplace_back("pt2." + table, std::move(said));
    Type type = value.type();
    if (table == "tensor_values") {
      Result<Type> stated = TypeOfTensorMeta(entry);
      if (!stated.ok()) return std::move(stated).error().At("value " + Quote(name));
      type = *std::move(stated);
    } else if (table == "sym_int_values") {
      type = Type::Tensor(DType::kI64, Shape{});
    } else if (table == "sym_bool_values") {
      type = Type::Tensor(DType::kBool, Shape{});
    } else if (table == "sym_float_values") {
      type = Type::Tensor(DType::kF64, Shape{});
    } else {
      type = Type::Opaque("torch", TextMember(entry, "class_fqn"));
    }
    if (!value.is_constant()) {
      value.set_type(std::move(type));
    } else if (value.tensor() != nullptr && !CanBe(type, *value.tensor())) {
      return InvalidInput("the graph declares " + type.ToString() + ", and its weights hold " +
                          value.tensor()->type().ToString())
          .At("value " + Quote(name));
    }
  }
  entries = std::move(unused);
  return {};
}

}  // namespace dragoman::torch
