// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/relay_builder.h"

namespace dragoman::relay::emit {

Value* RelayBuilder::Finish(Node* node) {
  if (!span_.empty()) node->extra().emplace_back("relay.span", span_);
  return node->AddResult("v");
}

Value* RelayBuilder::Add(std::string_view type, const Values& operands,
                         Attribute::Dict attributes) {
  Node* node = graph_->Append(InternOp("relay", type), operands);
  for (NamedAttribute& attribute : attributes) node->AddAttribute(std::move(attribute));
  return Finish(node);
}

Value* RelayBuilder::Call(std::string_view name, const Values& operands,
                          Attribute::Dict attributes) {
  const std::size_t point = name.rfind('.');
  const OpName* op = point == std::string_view::npos
                         ? InternOp("relay", name)
                         : InternOp("relay", name.substr(point + 1), name.substr(0, point));
  Node* node = graph_->Append(op, operands);
  node->attributes() = std::move(attributes);
  return Finish(node);
}

Value* RelayBuilder::Tuple(const Values& elements) { return Add("Tuple", elements, {}); }

Value* RelayBuilder::Element(Value* tuple, std::size_t index) {
  return Add("TupleGetItem", {tuple}, {{"index", static_cast<std::int64_t>(index)}});
}

Value* RelayBuilder::Constant(Tensor tensor) { return graph_->AddConstant("c", std::move(tensor)); }

Value* RelayBuilder::If(Value* condition, std::unique_ptr<Graph> then_branch,
                        std::unique_ptr<Graph> else_branch) {
  return Add("If", {condition},
             {{"then_branch", Attribute::GraphPtr(std::move(then_branch))},
              {"else_branch", Attribute::GraphPtr(std::move(else_branch))}});
}

Value* RelayBuilder::Function(std::unique_ptr<Graph> body, Attribute::Dict attributes) {
  attributes.emplace_back("body", Attribute::GraphPtr(std::move(body)));
  return Add("Function", {}, std::move(attributes));
}

Value* RelayBuilder::Let(const std::string& name, Value* value, const std::string& self) {
  Attribute::Dict attributes = {{"name", name}};
  if (!self.empty()) attributes.emplace_back("recursive", self);
  return Add("Let", {value}, std::move(attributes));
}

Value* RelayBuilder::Self(const std::string& self) { return Add("Self", {}, {{"name", self}}); }

Value* RelayBuilder::CallValue(Value* function, const Values& arguments) {
  Values operands = {function};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  return Add("Call", operands, {});
}

}  // namespace dragoman::relay::emit
