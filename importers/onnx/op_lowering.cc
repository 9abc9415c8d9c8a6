// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/op_lowering.h"

#include <utility>

#include "core/ir/set_attributes.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

template <class T>
Result<std::optional<T>> Take(OpLowering& op, std::string_view name, std::string_view expected) {
  const Attribute* attribute = Find(op.attributes, name);
  if (attribute == nullptr) return std::optional<T>();
  const T* value = attribute->As<T>();
  if (value == nullptr) {
    return op.Invalid("attribute '" + std::string(name) + "' is of kind " +
                      std::string(Name(attribute->kind())) + ", expected " + std::string(expected));
  }
  std::optional<T> taken = *value;
  op.Drop(name);
  return taken;
}

}  // namespace

std::string OpLowering::ResultName(std::size_t i) const {
  const Value* result = source.result(i);
  return result != nullptr ? result->name() : "";
}

Result<std::optional<std::int64_t>> OpLowering::TakeInt(std::string_view name) {
  return Take<std::int64_t>(*this, name, "int");
}
Result<std::optional<float>> OpLowering::TakeFloat(std::string_view name) {
  return Take<float>(*this, name, "float");
}
Result<std::optional<std::string>> OpLowering::TakeString(std::string_view name) {
  return Take<std::string>(*this, name, "string");
}
Result<std::optional<std::vector<std::int64_t>>> OpLowering::TakeInts(std::string_view name) {
  return Take<std::vector<std::int64_t>>(*this, name, "list of ints");
}
Result<std::optional<std::vector<float>>> OpLowering::TakeFloats(std::string_view name) {
  return Take<std::vector<float>>(*this, name, "list of floats");
}

void OpLowering::Drop(std::string_view name) {
  std::erase_if(attributes, [name](const NamedAttribute& a) { return a.name == name; });
}

Status OpLowering::Require(std::initializer_list<std::size_t> required) const {
  for (const std::size_t i : required) {
    if (operand(i) == nullptr) return Invalid("operand " + std::to_string(i) + " is missing");
  }
  return {};
}

Result<int> OpLowering::Rank(std::size_t i) const {
  DRAGOMAN_TRY(Require({i}));
  const Value* value = operand(i);
  if (std::optional<int> rank = builder.rank(value)) return *rank;
  return Unsupported("the rank of operand " + std::to_string(i) + " ('" + value->name() +
                     "') is not known; state the inputs' sizes with --shape");
}

Result<Value*> OpLowering::Scalar(double value, const Value* like) {
  DRAGOMAN_ASSIGN(Tensor tensor, Tensor::Full(like->type().dtype(), {}, value));
  return builder.Constant(std::move(tensor));
}

std::vector<Value*> OpLowering::EmitForeign() {
  Node* copy = builder.graph().Append(&source.op(), operands, source.name());
  SetAttributes(*copy, std::exchange(attributes, {}));
  copy->set_origin(builder.origin());
  std::vector<Value*> results;
  for (std::size_t i = 0; i < num_results(); ++i) {
    const Value* result = source.result(i);
    if (result == nullptr) {
      copy->AddOmittedResult();
      results.push_back(nullptr);
    } else {
      results.push_back(copy->AddResult(builder.UniqueName(result->name()), result->type()));
    }
  }
  return results;
}

Result<std::vector<Value*>> OpLowering::Emit(std::string_view type) {
  if (FindOp(type) == nullptr && type == source.op().type) return EmitForeign();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < num_results(); ++i) names.push_back(ResultName(i));
  DRAGOMAN_ASSIGN(Node * node, builder.Append(type, operands, std::exchange(attributes, {}), names,
                                              source.name()));
  std::vector<Value*> results;
  for (std::size_t i = 0; i < node->num_results(); ++i) results.push_back(node->result(i));
  return results;
}

Result<std::vector<Value*>> OpLowering::EmitOne(std::string_view type, std::vector<Value*> with,
                                                std::vector<NamedAttribute> attrs) {
  const std::string names[] = {ResultName(0)};
  DRAGOMAN_ASSIGN(Node * node, builder.Append(type, with, std::move(attrs), names, source.name()));
  return std::vector<Value*>{node->result()};
}

Error OpLowering::Unsupported(std::string message) const {
  return dragoman::Unsupported(std::move(message)).At(source.Describe());
}

Error OpLowering::Invalid(std::string message) const {
  return InvalidInput(std::move(message)).At(source.Describe());
}

}  // namespace dragoman
