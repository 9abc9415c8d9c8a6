// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/cell_table.h"

#include <fmt/format.h>

#include <type_traits>

#include "importers/torch/container/restore_object.h"

namespace dragoman::torch {
namespace {

using Kind = ScriptType::Kind;

Status AddQuantization(const StoredTensor& tensor, Attribute::Dict& entries) {
  const Quantization& q = *tensor.quantization;
  entries.emplace_back("scheme", q.scheme);
  entries.emplace_back("dtype", static_cast<std::int64_t>(tensor.dtype));
  if (!q.per_channel) {
    entries.emplace_back("scale", q.scale);
    entries.emplace_back("zero_point", q.zero_point);
    return {};
  }
  DRAGOMAN_ASSIGN(Tensor scales, DenseTensor(*q.scales));
  DRAGOMAN_ASSIGN(Tensor zero_points, DenseTensor(*q.zero_points));
  entries.emplace_back("scales", std::move(scales));
  entries.emplace_back("zero_points", std::move(zero_points));
  entries.emplace_back("axis", q.axis);
  return {};
}

Result<Attribute> EncodeSparse(const StoredTensor& tensor) {
  Attribute::Tensors parts;
  for (const StoredTensor* part : tensor.parts) {
    DRAGOMAN_ASSIGN(Tensor dense, DenseTensor(*part));
    parts.push_back(std::move(dense));
  }
  Attribute::Dict entries;
  const bool coo = tensor.layout == TensorLayout::kCoo;
  entries.emplace_back("layout", std::string(coo ? "coo" : "csr"));
  entries.emplace_back("parts", std::move(parts));
  entries.emplace_back("sizes", tensor.sizes);
  return Attribute(std::move(entries));
}

Type StateTypeOf(const Stored& value, const ScriptType& type, const Attribute& initial) {
  const auto* tensor = std::get_if<const StoredTensor*>(&value);
  if (tensor == nullptr) return ToIrType(type);
  if (initial.tensor() != nullptr) return initial.tensor()->type();
  const Attribute* inner =
      initial.As<Attribute::Dict>() ? Find(*initial.As<Attribute::Dict>(), "tensor") : nullptr;
  return inner != nullptr && inner->tensor() != nullptr ? inner->tensor()->type()
                                                        : Type::Tensor(DType::kUnknown);
}

// The type of a value that no declaration says anything of.
ScriptType TypeOfStored(const Stored& value) {
  return std::visit(
      [](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool>) return ScriptType(Kind::kBool);
        if constexpr (std::is_same_v<T, std::int64_t>) return ScriptType(Kind::kInt);
        if constexpr (std::is_same_v<T, double>) return ScriptType(Kind::kFloat);
        if constexpr (std::is_same_v<T, StoredComplex>) return ScriptType(Kind::kComplex);
        if constexpr (std::is_same_v<T, StoredString>) return ScriptType(Kind::kString);
        if constexpr (std::is_same_v<T, const StoredDevice*>) return ScriptType(Kind::kDevice);
        if constexpr (std::is_same_v<T, const StoredTensor*>) return ScriptType(Kind::kTensor);
        if constexpr (std::is_same_v<T, const StoredObject*>) {
          return ScriptType::Named(Kind::kClass, v->class_name);
        }
        if constexpr (std::is_same_v<T, const StoredEnum*>) {
          return ScriptType::Named(Kind::kEnum, v->class_name);
        }
        if constexpr (std::is_same_v<T, const StoredTuple*>) {
          std::vector<ScriptType> items;
          for (const Stored& item : v->items) items.push_back(TypeOfStored(item));
          return ScriptType::Tuple(std::move(items));
        }
        return ScriptType(Kind::kNone);
      },
      value);
}

// "layer" after "self" is "self.layer".
std::string Joined(const std::string& path, const std::string& attribute) {
  return path + "." + attribute;
}

std::string KeyText(const Stored& key) {
  if (const auto* text = std::get_if<StoredString>(&key)) return fmt::format("\"{}\"", **text);
  if (const auto* number = std::get_if<std::int64_t>(&key)) return fmt::format("{}", *number);
  if (const auto* number = std::get_if<double>(&key)) return fmt::format("{}", *number);
  if (const auto* flag = std::get_if<bool>(&key)) return *flag ? "True" : "False";
  return "?";
}

}  // namespace

Result<Attribute> EncodeTensor(const StoredTensor& tensor, bool with_place) {
  if (tensor.layout != TensorLayout::kStrided) return EncodeSparse(tensor);
  DRAGOMAN_ASSIGN(Tensor dense, DenseTensor(tensor));
  const bool row_major = IsRowMajor(tensor);
  const bool is_part = tensor.offset != 0;
  if (row_major && !is_part && !with_place && !tensor.quantization)
    return Attribute(std::move(dense));
  Attribute::Dict entries;
  entries.emplace_back("tensor", std::move(dense));
  if (!row_major || with_place) entries.emplace_back("strides", tensor.strides);
  if (with_place) entries.emplace_back("storage", std::int64_t{tensor.storage->number});
  if (with_place || is_part) entries.emplace_back("offset", tensor.offset);
  if (tensor.conjugated || tensor.negated) entries.emplace_back("sign", true);
  if (tensor.quantization) DRAGOMAN_TRY(AddQuantization(tensor, entries));
  return Attribute(std::move(entries));
}

Status CellTable::AddRoot(const Stored& root) {
  const auto* object = std::get_if<const StoredObject*>(&root);
  if (object == nullptr) return InvalidInput("the root of data.pkl is not an object");
  CellOf(*object, root, ScriptType::Named(Kind::kClass, (*object)->class_name), "self");
  return FillPending();
}

Result<std::pair<Attribute, ScriptType>> CellTable::Constant(const Stored& constant,
                                                             const std::string& name) {
  const ScriptType type = TypeOfStored(constant);
  if (const auto* tensor = std::get_if<const StoredTensor*>(&constant)) {
    DRAGOMAN_ASSIGN(Attribute value, EncodeTensor(**tensor, false));
    return std::pair(std::move(value), type);
  }
  DRAGOMAN_ASSIGN(Attribute value, Encode(constant, type, name));
  DRAGOMAN_TRY(FillPending());
  return std::pair(std::move(value), type);
}

Attribute CellTable::CellOf(const void* identity, const Stored& value, ScriptType type,
                            const std::string& path) {
  const auto [found, added] = names_.try_emplace(identity);
  if (!added) return Symbol{found->second};
  std::string name = path;
  for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}~{}", path, i);
  found->second = name;
  pending_.push_back({value, model_.states.size(), std::move(type)});
  model_.states.push_back({name, Type(), Attribute()});
  return Symbol{std::move(name)};
}

ScriptType CellTable::ContainerType(const ScriptType& declared, const std::string& tag, Kind kind) {
  const ScriptType& type = declared.WithoutOptional();
  if (type.Is(kind)) return type;
  if (!tag.empty()) {
    auto tagged = program_.ResolveTypeText(tag);
    if (tagged.ok() && tagged->Is(kind)) return *std::move(tagged);
  }
  const ScriptType any(Kind::kAny);
  return kind == Kind::kList ? ScriptType::List(any) : ScriptType::Dict(any, any);
}

Result<Attribute> CellTable::EncodeEnum(const StoredEnum& value) {
  const ScriptClass* owner = program_.FindClass(value.class_name);
  if (owner == nullptr) {
    return InvalidInput(fmt::format("enum {} is not defined in this archive", value.class_name));
  }
  DRAGOMAN_ASSIGN(const Attribute wanted, Encode(value.value, TypeOfStored(value.value), ""));
  for (const Member& member : owner->def->members) {
    const auto literal = member.value ? LiteralOf(*member.value) : std::nullopt;
    if (literal && Identical(*literal, wanted)) {
      return Attribute(Symbol{value.class_name + "." + member.name});
    }
  }
  return InvalidInput(fmt::format("enum {} has no such value", value.class_name));
}

Result<Attribute> CellTable::Encode(const Stored& value, const ScriptType& declared,
                                    const std::string& path) {
  if (const auto* flag = std::get_if<bool>(&value)) return Attribute(*flag);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return Attribute(*number);
  if (const auto* number = std::get_if<double>(&value)) return Attribute(*number);
  if (const auto* number = std::get_if<StoredComplex>(&value)) return Attribute(**number);
  if (const auto* text = std::get_if<StoredString>(&value)) return Attribute(**text);
  if (const auto* device = std::get_if<const StoredDevice*>(&value)) {
    Attribute::Dict entries;
    entries.emplace_back("device", (*device)->name);
    return Attribute(std::move(entries));
  }
  if (const auto* tensor = std::get_if<const StoredTensor*>(&value)) {
    return CellOf(*tensor, value, ScriptType(Kind::kTensor), path);
  }
  if (const auto* list = std::get_if<const StoredList*>(&value)) {
    return CellOf(*list, value, ContainerType(declared, (*list)->type_tag, Kind::kList), path);
  }
  if (const auto* dict = std::get_if<const StoredDict*>(&value)) {
    return CellOf(*dict, value, ContainerType(declared, (*dict)->type_tag, Kind::kDict), path);
  }
  if (const auto* object = std::get_if<const StoredObject*>(&value)) {
    return CellOf(*object, value, ScriptType::Named(Kind::kClass, (*object)->class_name), path);
  }
  if (const auto* enumerator = std::get_if<const StoredEnum*>(&value)) {
    return EncodeEnum(**enumerator);
  }
  if (const auto* tuple = std::get_if<const StoredTuple*>(&value)) {
    const ScriptType& type = declared.WithoutOptional();
    const bool known = type.Is(Kind::kTuple) && type.elements().size() == (*tuple)->items.size();
    Attribute::List items;
    for (std::size_t i = 0; i < (*tuple)->items.size(); ++i) {
      const ScriptType item = known ? type.element(i) : ScriptType(Kind::kAny);
      DRAGOMAN_ASSIGN(Attribute encoded,
                      Encode((*tuple)->items[i], item, fmt::format("{}[{}]", path, i)));
      items.push_back(std::move(encoded));
    }
    return Attribute(std::move(items));
  }
  if (IsNone(value)) return Attribute();
  return InvalidInput(fmt::format("{}: a {} is not a value of a program", path, Describe(value)));
}

Status CellTable::FillPending() {
  while (!pending_.empty()) {
    const Pending cell = std::move(pending_.front());
    pending_.pop_front();
    DRAGOMAN_TRY(Fill(cell));
  }
  return {};
}

Status CellTable::Fill(const Pending& cell) {
  const std::string path = model_.states[cell.state].name;
  Result<Attribute> initial = Attribute();
  if (const auto* tensor = std::get_if<const StoredTensor*>(&cell.value)) {
    initial = EncodeTensor(**tensor, false);
    if ((*tensor)->storage != nullptr) {
      by_storage_[(*tensor)->storage->number].emplace_back(cell.state, *tensor);
    }
  } else if (const auto* list = std::get_if<const StoredList*>(&cell.value)) {
    initial = FillList(**list, cell.type, path);
  } else if (const auto* dict = std::get_if<const StoredDict*>(&cell.value)) {
    initial = FillDict(**dict, cell.type, path);
  } else {
    initial = FillObject(*std::get<const StoredObject*>(cell.value), path);
  }
  if (!initial.ok()) return std::move(initial).error().At(path);
  State& state = model_.states[cell.state];
  state.type = StateTypeOf(cell.value, cell.type, *initial);
  state.initial = *std::move(initial);
  return {};
}

Result<Attribute> CellTable::FillObject(const StoredObject& object, const std::string& path) {
  classes_.insert(object.class_name);
  const ScriptClass* owner = program_.FindClass(object.class_name);
  DRAGOMAN_ASSIGN(const auto attributes, AttributesOf(object, program_, heap_, context_));
  Attribute::Dict entries;
  for (const auto& [name, value] : attributes) {
    const auto type = owner != nullptr ? program_.AttributeType(*owner, name) : std::nullopt;
    DRAGOMAN_ASSIGN(Attribute encoded,
                    Encode(value, type ? *type : TypeOfStored(value), Joined(path, name)));
    entries.emplace_back(name, std::move(encoded));
  }
  return Attribute(std::move(entries));
}

Result<Attribute> CellTable::FillList(const StoredList& list, const ScriptType& type,
                                      const std::string& path) {
  Attribute::List items;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    DRAGOMAN_ASSIGN(Attribute item,
                    Encode(list.items[i], type.element(), fmt::format("{}[{}]", path, i)));
    items.push_back(std::move(item));
  }
  return Attribute(std::move(items));
}

Result<Attribute> CellTable::FillDict(const StoredDict& dict, const ScriptType& type,
                                      const std::string& path) {
  Attribute::List items;
  for (const auto& [key, value] : dict.items) {
    const std::string place = fmt::format("{}[{}]", path, KeyText(key));
    DRAGOMAN_ASSIGN(Attribute encoded_key, Encode(key, type.element(0), place + ".key"));
    DRAGOMAN_ASSIGN(Attribute encoded, Encode(value, type.element(1), place));
    items.push_back(std::move(encoded_key));
    items.push_back(std::move(encoded));
  }
  return Attribute(std::move(items));
}

void CellTable::Finish() {
  for (const auto& [number, tensors] : by_storage_) {
    if (tensors.size() < 2) continue;
    for (const auto& [state, tensor] : tensors) {
      auto placed = EncodeTensor(*tensor, true);
      if (placed.ok()) model_.states[state].initial = *std::move(placed);
    }
  }
}

}  // namespace dragoman::torch
