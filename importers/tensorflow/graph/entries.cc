// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/entries.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/ir/producer.h"
#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "importers/tensorflow/graph/op_schema.h"
#include "proto/tensorflow/extra.h"

namespace dragoman::tf_reader {

Entry MakeEntry(std::string name, std::vector<Port> inputs, std::vector<Port> outputs) {
  Entry entry;
  entry.name = std::move(name);
  entry.graph = std::make_unique<Graph>();
  entry.graph->set_name(entry.name);
  std::vector<Value*> operands;
  Attribute::Strings feeds;
  Attribute::Strings fetches;
  for (Port& port : inputs) {
    Value* value = entry.graph->AddInput(std::move(port.name), std::move(port.type));
    if (!port.extra.empty()) value->extra() = std::move(port.extra);
    operands.push_back(value);
    feeds.push_back(std::move(port.tensor));
  }
  Node* call = entry.graph->Append(tf::MainGraphOp(), operands);
  for (Port& port : outputs) {
    Value* value = call->AddResult(std::move(port.name), std::move(port.type));
    if (!port.extra.empty()) value->extra() = std::move(port.extra);
    entry.graph->AddOutput(value);
    fetches.push_back(std::move(port.tensor));
  }
  call->SetAttribute(tf_extra::kFeeds, std::move(feeds));
  call->SetAttribute(tf_extra::kFetches, std::move(fetches));
  return entry;
}

namespace {

// The element type that the registry has for result `index`, with the shape that the file states.
Type TypeOfResult(const Node& node, std::size_t index) {
  const tf::OpSchema* schema = tf::FindOpSchema(node.op().type);
  std::size_t first = 0;
  for (const tf::ArgSchema& arg :
       schema == nullptr ? std::vector<tf::ArgSchema>() : schema->outputs) {
    const std::size_t count = tf::CountOf(node, arg).value_or(0);
    if (index >= first + count) {
      first += count;
      continue;
    }
    if (arg.is_ref) return Type::Opaque("tf", "ref");
    const bool is_list = !arg.type_list_attr.empty();
    const Attribute* attribute = tf::AttributeOf(node, is_list ? arg.type_list_attr : arg.type);
    const bool is_stated =
        !is_list && std::none_of(schema->attributes.begin(), schema->attributes.end(),
                                 [&](const tf::AttrSchema& attr) { return attr.name == arg.type; });
    if (is_stated) return tf::NamedType(arg.type);
    if (attribute == nullptr) return Type();
    if (!is_list) return attribute->As<Type>() != nullptr ? *attribute->As<Type>() : Type();
    const auto types = tf::AsTypes(*attribute);
    return types && index - first < types->size() ? (*types)[index - first] : Type();
  }
  return Type();
}

Type WithStatedShape(const Node& node, std::size_t index, Type type) {
  const Attribute* stated = node.attribute("_output_shapes");
  const auto shapes = stated == nullptr ? std::nullopt : tf::AsTypes(*stated);
  if (!shapes || index >= shapes->size() || !type.is_tensor()) return type;
  const Shape* shape = (*shapes)[index].shape();
  return shape == nullptr ? type : type.WithShape(*shape);
}

}  // namespace

Type StatedType(const Node& node, std::size_t index) {
  return WithStatedShape(node, index, TypeOfResult(node, index));
}

bool HoldsElements(const Type& type) {
  return !type.known() || (type.is_tensor() && type.dtype() != DType::kUnknown);
}

bool IsLeftOver(const Node& node) {
  return tf::IsPlaceholder(node) && !AnyResultUsed(node) &&
         node.name().find("unused_control_flow_input") != std::string::npos;
}

}  // namespace dragoman::tf_reader
