// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/call.h"

#include <utility>

#include <fmt/format.h>

#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "importers/tensorflow/graph/op_schema.h"

namespace dragoman::tf {

const Attribute* ResolveAttribute(const Node& node, std::string_view name,
                                  std::span<const NamedAttribute> bound) {
  const Attribute* attribute = AttributeOf(node, name);
  const auto* reference = attribute != nullptr ? attribute->As<AttributeRef>() : nullptr;
  if (reference == nullptr) return attribute;
  for (const NamedAttribute& given : bound) {
    if (given.name == reference->name) return &given.value;
  }
  return nullptr;
}

std::size_t Call::num_results() const { return NumDataResults(*node_); }

namespace {

// Of a tensor that is told without a look at the graph.
DType ElementType(const Abstract& operand) {
  const auto* tensor = operand.As<TensorRef>();
  if (tensor == nullptr || tensor->path != nullptr) return DType::kUnknown;
  const auto& contents = std::get<StorageContents>(tensor->storage->contents);
  if (contents.constant) return contents.constant->dtype();
  const bool is_tensor = contents.value != nullptr && contents.value->type().is_tensor();
  return is_tensor ? contents.value->type().dtype() : DType::kUnknown;
}

}  // namespace

void Call::CheckTexts() {
  const OpSchema* schema = FindOpSchema(node_->op().type);
  if (schema == nullptr) return;
  std::size_t i = 0;
  for (const ArgSchema& arg : schema->inputs) {
    const std::optional<std::size_t> count = CountOf(*node_, arg);
    if (!count) return;
    const Type declared = NamedType(arg.type);
    for (const std::size_t end = i + *count; i < end && i < num_operands() && !failed(); ++i) {
      if (!declared.is_tensor() || declared.dtype() == DType::kUnknown) continue;
      const DType given = ElementType(operand(i));
      if (given == DType::kUnknown) continue;
      if ((given == DType::kString) != (declared.dtype() == DType::kString) && !failed())
        Fail(InvalidInput(fmt::format("operand {} has elements of {}, expected {}", i, Name(given),
                                      Name(declared.dtype()))));
    }
  }
}

Value* Call::IndexNumber(std::size_t i) {
  Value* value = Index(i);
  return MaybeRank(value) == 0 ? value : Reshape(value, tf::Ints());
}

std::vector<Value*> Call::Tensors(std::size_t first, std::size_t count) {
  std::vector<Value*> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(Tensor(first + i));
  return values;
}

int Call::AxisOperand(std::size_t i, const Value* value, std::string_view what) {
  const std::int64_t axis = KnownInt(i, what);
  return failed() ? 0 : AxisOf(axis, value);
}

const Attribute* Call::Required(std::string_view name) {
  const Attribute* found = attribute(name);
  if (found == nullptr) Fail(InvalidInput(fmt::format("attribute {} is missing", name)));
  return found;
}

void Call::WrongKind(std::string_view name) {
  Fail(InvalidInput(fmt::format("attribute {} is of another kind", name)));
}

std::int64_t Call::IntAttribute(std::string_view name) {
  const Attribute* found = Required(name);
  if (found == nullptr) return 0;
  if (const auto* value = found->As<std::int64_t>()) return *value;
  WrongKind(name);
  return 0;
}

double Call::FloatAttribute(std::string_view name) {
  const Attribute* found = Required(name);
  if (found == nullptr) return 0;
  if (const auto* value = found->As<float>()) return *value;
  WrongKind(name);
  return 0;
}

bool Call::BoolAttribute(std::string_view name) {
  const Attribute* found = Required(name);
  if (found == nullptr) return false;
  if (const auto* value = found->As<bool>()) return *value;
  WrongKind(name);
  return false;
}

std::string Call::TextAttribute(std::string_view name) {
  const Attribute* found = Required(name);
  if (found == nullptr) return "";
  if (const auto* value = found->As<std::string>()) return *value;
  WrongKind(name);
  return "";
}

Ints Call::IntsAttribute(std::string_view name) {
  const Attribute* found = Required(name);
  if (found == nullptr) return {};
  if (std::optional<Attribute::Ints> ints = AsInts(*found)) return *std::move(ints);
  WrongKind(name);
  return {};
}

DType Call::TypeAttribute(std::string_view name) {
  const Attribute* found = Required(name);
  if (found == nullptr) return DType::kUnknown;
  if (const std::optional<DType> dtype = AsDType(*found)) return *dtype;
  const auto* type = found->As<Type>();
  Fail(fmt::format("elements of type {} are not supported",
                   type != nullptr ? type->ToString() : "?"));
  return DType::kUnknown;
}

std::optional<dragoman::Shape> Call::ShapeAttribute(std::string_view name) {
  const Attribute* found = Required(name);
  if (found == nullptr) return std::nullopt;
  const auto* type = found->As<Type>();
  if (type == nullptr || !type->is_tensor()) {
    WrongKind(name);
    return std::nullopt;
  }
  if (type->shape() == nullptr) return std::nullopt;
  return *type->shape();
}

}  // namespace dragoman::tf
