// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/call.h"

#include <utility>

#include <fmt/format.h>

#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/graph/entries.h"
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

// Of a tensor that is known without a look at the graph.
DType ElementType(const Abstract& operand) {
  const auto* tensor = operand.As<TensorRef>();
  if (tensor == nullptr || tensor->path != nullptr) return DType::kUnknown;
  const auto& contents = std::get<StorageContents>(tensor->storage->contents);
  if (contents.constant) return contents.constant->dtype();
  const bool is_tensor = contents.value != nullptr && contents.value->type().is_tensor();
  return is_tensor ? contents.value->type().dtype() : DType::kUnknown;
}

// What the file says of a result, or of an argument of a function.
DType StatedElementType(const Value* value) {
  if (value == nullptr) return DType::kUnknown;
  const Type type = value->producer() != nullptr
                        ? tf_reader::StatedType(*value->producer(), value->index())
                        : value->type();
  return type.is_tensor() ? type.dtype() : DType::kUnknown;
}

}  // namespace

Type Call::DeclaredType(const ArgSchema& arg, std::size_t i) const {
  const bool is_list = !arg.type_list_attr.empty();
  const Attribute* said = attribute(is_list ? arg.type_list_attr : arg.type);
  if (said == nullptr) return is_list ? Type() : NamedType(arg.type);
  const auto types = is_list ? AsTypes(*said) : std::nullopt;
  if (types) return i < types->size() ? (*types)[i] : Type();
  return said->As<Type>() != nullptr ? *said->As<Type>() : Type();
}

void Call::CheckType(std::size_t i, const Type& declared) {
  if (failed() || !declared.is_tensor() || declared.dtype() == DType::kUnknown) return;
  DType given = StatedElementType(i < node_->num_operands() ? node_->operand(i) : nullptr);
  // What is computed need not have the type that the file says, but text stays text.
  const DType computed = ElementType(operand(i));
  const bool differs_in_text = computed != DType::kUnknown &&
                               (computed == DType::kString) != (declared.dtype() == DType::kString);
  if (differs_in_text) given = computed;
  if (given == DType::kUnknown || given == declared.dtype()) return;
  Fail(InvalidInput(fmt::format("operand {} has elements of {}, expected {}", i, Name(given),
                                Name(declared.dtype()))));
}

void Call::CheckTypes() {
  const OpSchema* schema = FindOpSchema(node_->op().type);
  if (schema == nullptr) return;
  std::size_t first = 0;
  for (const ArgSchema& arg : schema->inputs) {
    const std::optional<std::size_t> count = CountOf(*node_, arg);
    if (!count) return;
    for (std::size_t i = 0; i < *count && first + i < num_operands(); ++i)
      CheckType(first + i, DeclaredType(arg, i));
    first += *count;
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
