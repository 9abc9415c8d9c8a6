// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/graph_json.h"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/find_as.h"
#include "core/ir/for_each_value.h"
#include "core/support/text.h"

namespace dragoman::pt2 {
namespace {

constexpr std::string_view kTablePrefix = "pt2.";
constexpr std::string_view kTableSuffix = "_values";

// The value that a reference of an argument stands for, by index.
using ValueOf = std::function<const Value*(std::size_t index)>;

ValueOf Operands(const Node& node) {
  return [&node](std::size_t i) -> const Value* { return node.operand(i); };
}
ValueOf Results(const Node& node) {
  return [&node](std::size_t i) -> const Value* { return node.result(i); };
}
ValueOf Outputs(const Graph& graph) {
  return [&graph](std::size_t i) -> const Value* {
    return i < graph.num_outputs() ? graph.output(i) : nullptr;
  };
}

Result<Json> GraphJson(const Graph& graph);

Result<std::string> NameOf(const Symbol& reference, const ValueOf& value_of) {
  const auto index = ParseUint64(reference.name);
  const Value* value = index ? value_of(static_cast<std::size_t>(*index)) : nullptr;
  if (value != nullptr && !value->name().empty()) return value->name();
  return InvalidInput("an argument refers to @" + reference.name + ", which is not a value here");
}

// `tag`: of the union that the references stand in, which says how they are written.
Result<Json> WithNames(const Attribute& attribute, const std::string& tag,
                       const ValueOf& value_of) {
  if (const auto* reference = attribute.As<Symbol>()) {
    DRAGOMAN_ASSIGN(std::string name, NameOf(*reference, value_of));
    return Json{{tag.starts_with("as_sym_") ? "as_name" : "name", std::move(name)}};
  }
  if (const auto* list = attribute.As<Attribute::List>()) {
    Json items = Json::array();
    for (const Attribute& item : *list) {
      DRAGOMAN_ASSIGN(Json made, WithNames(item, tag, value_of));
      items.push_back(std::move(made));
    }
    return items;
  }
  const auto* dict = attribute.As<Attribute::Dict>();
  if (dict == nullptr) return FromAttribute(attribute);
  Json members = Json::object();
  for (const NamedAttribute& member : *dict) {
    const auto* reference = member.value.As<Symbol>();
    if (reference != nullptr && member.name == "name") {  // of a custom object
      DRAGOMAN_ASSIGN(members["name"], NameOf(*reference, value_of));
      continue;
    }
    const bool is_tag = member.name.starts_with("as_");
    DRAGOMAN_ASSIGN(members[member.name],
                    WithNames(member.value, is_tag ? member.name : tag, value_of));
  }
  return members;
}

Result<Json> ArgumentJson(const Attribute& argument, const ValueOf& value_of) {
  if (argument.As<Symbol>() != nullptr) {
    DRAGOMAN_ASSIGN(Json named, WithNames(argument, "as_tensor", value_of));
    return Json{{"as_tensor", std::move(named)}};
  }
  if (argument.kind() == Attribute::Kind::kNone) return Json{{"as_none", true}};
  if (const auto* v = argument.As<bool>()) return Json{{"as_bool", *v}};
  if (const auto* v = argument.As<std::int64_t>()) return Json{{"as_int", *v}};
  if (const auto* v = argument.As<double>()) return Json{{"as_float", FloatJson(*v)}};
  if (const auto* v = argument.As<std::string>()) return Json{{"as_string", *v}};
  if (const auto* v = argument.As<Attribute::Ints>()) return Json{{"as_ints", *v}};
  if (const auto* v = argument.As<Attribute::Strings>()) return Json{{"as_strings", *v}};
  if (const auto* v = argument.As<Attribute::Doubles>()) {
    Json items = Json::array();
    for (double item : *v) items.push_back(FloatJson(item));
    return Json{{"as_floats", std::move(items)}};
  }
  if (const auto* v = argument.As<Attribute::Complex>()) {
    return Json{{"as_complex", {{"real", FloatJson(v->real())}, {"imag", FloatJson(v->imag())}}}};
  }
  if (const Graph* graph = argument.graph()) {
    DRAGOMAN_ASSIGN(Json made, GraphJson(*graph));
    return Json{{"as_graph", {{"name", graph->name()}, {"graph", std::move(made)}}}};
  }
  if (argument.As<Attribute::Dict>() != nullptr) return WithNames(argument, "", value_of);
  return InvalidInput("an argument that is a " + std::string(Name(argument.kind())) +
                      " has no form in .pt2");
}

Json PlainTensor(const Value& value) { return {{"as_tensor", {{"name", value.name()}}}}; }

// The argument that stands for a value alone, by the table that lists it.
Json ArgumentOf(const Value& value) {
  for (const auto& [table, tag] : {std::pair("pt2.sym_int_values", "as_sym_int"),
                                   std::pair("pt2.sym_bool_values", "as_sym_bool"),
                                   std::pair("pt2.sym_float_values", "as_sym_float")}) {
    if (FindIn(value.extra_if_any(), table) != nullptr) return {{tag, {{"as_name", value.name()}}}};
  }
  if (value.type().kind() == Type::Kind::kOpaque) {
    return {{"as_custom_obj", {{"name", value.name()}, {"class_fqn", value.type().opaque_name()}}}};
  }
  return PlainTensor(value);
}

Result<Json> InputsJson(const Node& node) {
  Json inputs = Json::array();
  for (std::size_t i = 0; i < node.attributes().size(); ++i) {
    const NamedAttribute& attribute = node.attributes()[i];
    Json input = {{"kind", 1}};
    if (const Attribute* said = FindIn(attribute.extra.get(), "pt2.input")) {
      DRAGOMAN_ASSIGN(input, FromAttribute(*said));
    }
    const bool is_positional = attribute.name == std::to_string(i);
    input["name"] = is_positional ? "" : attribute.name;
    DRAGOMAN_ASSIGN(input["arg"], ArgumentJson(attribute.value, Operands(node)));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

std::string TargetOf(const OpName& op) {
  if (op.dialect == "python") return op.type;
  const bool is_operator = !op.overload.empty() || op.dialect == "higher_order";
  return fmt::format("{}{}.{}{}{}", is_operator ? "torch.ops." : "", op.dialect, op.type,
                     op.overload.empty() ? "" : ".", op.overload);
}

Result<Json> NodeJson(const Node& node) {
  DRAGOMAN_ASSIGN(Json json, RequiredJson(node.extra_if_any(), "pt2.node"));
  if (!node.name().empty()) json["name"] = node.name();
  json["target"] = TargetOf(node.op());
  DRAGOMAN_ASSIGN(json["inputs"], InputsJson(node));
  Json outputs = Json::array();
  if (const Attribute* said = FindIn(node.extra_if_any(), "pt2.outputs")) {
    const auto* list = said->As<Attribute::List>();
    if (list == nullptr) return InvalidInput("pt2.outputs is not a list");
    for (const Attribute& output : *list) {
      DRAGOMAN_ASSIGN(Json made, ArgumentJson(output, Results(node)));
      outputs.push_back(std::move(made));
    }
  } else {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) == nullptr) return InvalidInput("a result is missing");
      outputs.push_back(PlainTensor(*node.result(i)));
    }
  }
  json["outputs"] = std::move(outputs);
  return json;
}

// Nodes and tables; inputs and outputs are left to the caller.
Result<Json> BodyJson(const Graph& graph) {
  DRAGOMAN_ASSIGN(Json json, RequiredJson(graph.extra_if_any(), "pt2.graph"));
  Json nodes = Json::array();
  for (const Node& node : graph.nodes()) {
    Result<Json> made = NodeJson(node);
    if (!made.ok()) return std::move(made).error().At(node.Describe());
    nodes.push_back(*std::move(made));
  }
  json["nodes"] = std::move(nodes);
  std::set<std::string> names;
  Status status;
  ForEachValue(graph, [&](const Value& value) {
    if (!value.name().empty() && !names.insert(value.name()).second)
      status = InvalidInput("two values have the name " + Quote(value.name()));
    const Extra* extra = value.extra_if_any();
    for (std::size_t i = 0; extra != nullptr && i < extra->size(); ++i) {
      const NamedAttribute& entry = (*extra)[i];
      if (!entry.name.starts_with(kTablePrefix) || !entry.name.ends_with(kTableSuffix)) continue;
      Result<Json> said = FromAttribute(entry.value);
      if (!said.ok()) {
        status = std::move(said).error();
        continue;
      }
      const std::string table = entry.name.substr(kTablePrefix.size());
      if (table == "tensor_values") UpdateSizes(value.type(), *said);
      json[table][value.name()] = *std::move(said);
    }
  });
  DRAGOMAN_TRY(std::move(status));
  return json;
}

// A graph within a graph.
Result<Json> GraphJson(const Graph& graph) {
  DRAGOMAN_ASSIGN(Json json, BodyJson(graph));
  Json inputs = Json::array();
  for (const auto& input : graph.inputs()) {
    const Attribute* literal = FindIn(input->extra_if_any(), "pt2.literal");
    if (literal == nullptr) {
      inputs.push_back(ArgumentOf(*input));
      continue;
    }
    DRAGOMAN_ASSIGN(Json said, FromAttribute(*literal));
    inputs.push_back(std::move(said));
  }
  Json outputs = Json::array();
  const Attribute* said = FindIn(graph.extra_if_any(), "pt2.outputs");
  if (const auto* list = said != nullptr ? said->As<Attribute::List>() : nullptr) {
    for (const Attribute& output : *list) {
      DRAGOMAN_ASSIGN(Json made, ArgumentJson(output, Outputs(graph)));
      outputs.push_back(std::move(made));
    }
  } else {
    for (const Use& output : graph.outputs()) outputs.push_back(PlainTensor(*output.value()));
  }
  json["inputs"] = std::move(inputs);
  json["outputs"] = std::move(outputs);
  return json;
}

// The member `key` of the one member of a specification.
Json* SpecMember(Json& spec, const char* key) {
  if (!spec.is_object() || spec.size() != 1 || !spec.begin()->is_object()) return nullptr;
  const auto found = spec.begin()->find(key);
  return found != spec.begin()->end() ? &*found : nullptr;
}

// A specification whose argument is `argument`; some name the value alone.
void SetArgument(const Json& argument, Json& spec) {
  Json* place = SpecMember(spec, "arg");
  if (place == nullptr) return;
  const bool is_union =
      place->is_object() && place->size() == 1 && place->begin().key().starts_with("as_");
  *place = is_union ? argument : *argument.begin();
}

Status AddInputs(const Graph& graph, ProgramGraph& program) {
  DRAGOMAN_ASSIGN(const Attribute* order, Required(graph.extra_if_any(), "pt2.inputs"));
  const auto* list = order->As<Attribute::List>();
  if (list == nullptr) return InvalidInput("pt2.inputs is not a list");
  Json inputs = Json::array();
  program.input_specs = Json::array();
  const auto add = [&](const Value& value) -> Status {
    Result<Json> spec = RequiredJson(value.extra_if_any(), "pt2.spec");
    if (!spec.ok()) return std::move(spec).error().At("value %" + value.name());
    const Json argument = ArgumentOf(value);
    SetArgument(argument, *spec);
    program.input_specs.push_back(*std::move(spec));
    inputs.push_back(argument);
    return {};
  };
  std::size_t constant = 0;
  std::size_t input = 0;
  for (const Attribute& item : *list) {
    const auto* kind = item.As<Symbol>();
    if (kind != nullptr && kind->name == "constant") {
      if (constant < graph.constants().size()) DRAGOMAN_TRY(add(*graph.constants()[constant++]));
    } else if (kind != nullptr) {
      if (input < graph.num_inputs()) DRAGOMAN_TRY(add(*graph.input(input++)));
    } else {
      DRAGOMAN_ASSIGN(Json literal, FromAttribute(item));
      inputs.push_back(literal.value("arg", Json()));
      program.input_specs.push_back(literal.value("spec", Json()));
    }
  }
  for (; constant < graph.constants().size(); ++constant)
    DRAGOMAN_TRY(add(*graph.constants()[constant]));
  for (; input < graph.num_inputs(); ++input) DRAGOMAN_TRY(add(*graph.input(input)));
  program.graph["inputs"] = std::move(inputs);
  return {};
}

Status AddOutputs(const Graph& graph, ProgramGraph& program) {
  DRAGOMAN_ASSIGN(const Attribute* said, Required(graph.extra_if_any(), "pt2.outputs"));
  const auto* list = said->As<Attribute::List>();
  if (list == nullptr) return InvalidInput("pt2.outputs is not a list");
  Json outputs = Json::array();
  program.output_specs = Json::array();
  for (const Attribute& item : *list) {
    const auto* dict = item.As<Attribute::Dict>();
    const Attribute* argument = dict != nullptr ? Find(*dict, "arg") : nullptr;
    const Attribute* stated = dict != nullptr ? Find(*dict, "spec") : nullptr;
    if (argument == nullptr || stated == nullptr)
      return InvalidInput("an output lacks its argument or specification");
    DRAGOMAN_ASSIGN(Json made, ArgumentJson(*argument, Outputs(graph)));
    DRAGOMAN_ASSIGN(Json spec, FromAttribute(*stated));
    SetArgument(made, spec);
    outputs.push_back(std::move(made));
    program.output_specs.push_back(std::move(spec));
  }
  program.graph["outputs"] = std::move(outputs);
  return {};
}

}  // namespace

void UpdateSizes(const Type& type, Json& meta) {
  const auto sizes = meta.find("sizes");
  if (type.shape() == nullptr || sizes == meta.end() || !sizes->is_array()) return;
  const Shape& shape = *type.shape();
  while (sizes->size() > shape.size()) sizes->erase(sizes->size() - 1);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool is_stated = i < sizes->size();
    Json size = is_stated ? (*sizes)[i] : Json();
    if (shape[i].known()) {
      size = Json{{"as_int", shape[i].value()}};
    } else if (shape[i].symbolic() && (!is_stated || size.contains("as_int"))) {
      size = Json{{"as_expr", {{"expr_str", shape[i].ToString()}, {"hint", nullptr}}}};
    }
    if (is_stated) {
      (*sizes)[i] = std::move(size);
    } else {
      sizes->push_back(std::move(size));
    }
  }
}

Result<ProgramGraph> ProgramGraphJson(const Graph& graph) {
  ProgramGraph program;
  DRAGOMAN_ASSIGN(program.graph, BodyJson(graph));
  DRAGOMAN_TRY(AddInputs(graph, program));
  DRAGOMAN_TRY(AddOutputs(graph, program));
  return program;
}

}  // namespace dragoman::pt2
