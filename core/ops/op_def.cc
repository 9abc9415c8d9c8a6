// SPDX-License-Identifier: Apache-2.0
#include "core/ops/op_def.h"

namespace dragoman {

OpDef::OpDef() = default;
OpDef::OpDef(const OpDef&) = default;
OpDef::OpDef(OpDef&&) noexcept = default;
OpDef& OpDef::operator=(const OpDef&) = default;
OpDef& OpDef::operator=(OpDef&&) noexcept = default;
OpDef::~OpDef() = default;

OpBuilder::OpBuilder(const OpName* name, OpVersions versions, std::string_view signature,
                     std::string_view variables) {
  def_.name = name;
  def_.versions = versions;
  def_.signature = ParseSignature(signature, variables);
}

OpBuilder&& OpBuilder::Attributes(std::vector<AttributeDef> attributes,
                                  std::function<Result<Params>(const Node&)> fill) && {
  for (AttributeDef& attribute : attributes) def_.attributes.push_back(std::move(attribute));
  def_.fill_params = std::move(fill);
  return std::move(*this);
}

OpBuilder&& OpBuilder::Attribute(std::string name, dragoman::Attribute::Kind kind,
                                 dragoman::Attribute value) && {
  def_.attributes.push_back({std::move(name), kind, std::move(value)});
  return std::move(*this);
}

OpBuilder&& OpBuilder::Required(std::string_view name) && {
  for (AttributeDef& attribute : def_.attributes) {
    if (attribute.name != name) continue;
    attribute.default_value = {};
    attribute.required = true;
  }
  return std::move(*this);
}

OpBuilder&& OpBuilder::FillWith(std::function<Result<Params>(const Node&)> fill) && {
  def_.fill_params = std::move(fill);
  return std::move(*this);
}

OpBuilder&& OpBuilder::Infer(InferFunction infer) && {
  def_.infer = std::move(infer);
  return std::move(*this);
}

OpBuilder&& OpBuilder::Kernel(KernelBinding kernel) && {
  def_.kernel = kernel;
  return std::move(*this);
}

OpBuilder&& OpBuilder::Sizes(SizeFunction function) && {
  def_.size_function = function;
  return std::move(*this);
}

OpBuilder&& OpBuilder::Class(OpClass op_class) && {
  def_.op_class = op_class;
  if (op_class == OpClass::kBroadcast) def_.size_function = kBroadcastSizes;
  return std::move(*this);
}

OpBuilder&& OpBuilder::Axis(AxisUse axis_use) && {
  def_.axis_use = axis_use;
  return std::move(*this);
}

OpBuilder&& OpBuilder::Facts(const ValueFacts& facts) && {
  def_.facts = facts;
  return std::move(*this);
}

OpBuilder&& OpBuilder::Expand(ExpandFunction expand) && {
  def_.expand = std::move(expand);
  return std::move(*this);
}

OpBuilder&& OpBuilder::Effect() && {
  def_.effect = true;
  return std::move(*this);
}

OpBuilder&& OpBuilder::Random() && {
  def_.random = true;
  return std::move(*this);
}

OpBuilder&& OpBuilder::Commutative() && {
  def_.commutative = true;
  return std::move(*this);
}

}  // namespace dragoman
