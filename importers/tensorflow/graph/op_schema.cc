// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/op_schema.h"

#include <array>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/support/text.h"
#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/graph/op_registry.h"

namespace dragoman::tf {
namespace {

// The registry is our own text: what does not parse is left out, which its test would find.

struct TypeName {
  std::string_view name;
  DType dtype;
};

constexpr std::array<TypeName, 16> kTypes = {{{"float", DType::kF32},
                                              {"double", DType::kF64},
                                              {"int32", DType::kI32},
                                              {"uint8", DType::kU8},
                                              {"int16", DType::kI16},
                                              {"int8", DType::kI8},
                                              {"string", DType::kString},
                                              {"complex64", DType::kC64},
                                              {"int64", DType::kI64},
                                              {"bool", DType::kBool},
                                              {"bfloat16", DType::kBF16},
                                              {"uint16", DType::kU16},
                                              {"complex128", DType::kC128},
                                              {"half", DType::kF16},
                                              {"uint32", DType::kU32},
                                              {"uint64", DType::kU64}}};

// Cuts the part in front of the next `separator` off `rest`, one in quotes or brackets excepted.
std::string_view TakePart(std::string_view separator, std::string_view* rest) {
  bool quoted = false;
  int depth = 0;
  for (std::size_t i = 0; i < rest->size(); ++i) {
    const char c = (*rest)[i];
    if (c == '\'') quoted = !quoted;
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (quoted || depth > 0 || !rest->substr(i).starts_with(separator)) continue;
    const std::string_view part = rest->substr(0, i);
    rest->remove_prefix(i + separator.size());
    return part;
  }
  return std::exchange(*rest, std::string_view());
}

std::optional<std::string> ParseQuoted(std::string_view text) {
  if (text.size() < 2 || !text.starts_with('\'') || !text.ends_with('\'')) return std::nullopt;
  const Result<std::string> plain = Unescape(text.substr(1, text.size() - 2));
  return plain.ok() ? std::optional(*plain) : std::nullopt;
}

std::optional<Attribute> ParseListDefault(std::string_view kind, std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  if (text.empty()) return Attribute(Attribute::List());
  Attribute::Ints ints;
  Attribute::Floats floats;
  while (!text.empty()) {
    const std::string_view item = TakePart(",", &text);
    if (kind == "list(int)") ints.push_back(ParseInt64(item).value_or(0));
    if (kind == "list(float)") floats.push_back(ParseFloat(item).value_or(0));
  }
  if (kind == "list(int)") return Attribute(std::move(ints));
  if (kind == "list(float)") return Attribute(std::move(floats));
  return std::nullopt;
}

std::optional<Attribute> ParseDefault(std::string_view kind, std::string_view text) {
  if (kind == "int") {
    const auto number = ParseInt64(text);
    return number ? std::optional<Attribute>(*number) : std::nullopt;
  }
  if (kind == "float") {
    const auto number = ParseFloat(text);
    return number ? std::optional<Attribute>(*number) : std::nullopt;
  }
  if (kind == "bool") return Attribute(text == "true");
  if (kind == "type") return Attribute(NamedType(text));
  if (kind == "shape") {
    if (text == "shape?") return Attribute(Type::Tensor(DType::kUnknown));
    return Attribute(Type::Tensor(DType::kUnknown, Shape()));
  }
  if (kind == "string") {
    std::optional<std::string> plain = ParseQuoted(text);
    return plain ? std::optional<Attribute>(std::move(*plain)) : std::nullopt;
  }
  if (kind.starts_with("list(")) return ParseListDefault(kind, text);
  return std::nullopt;
}

// "x:N*T", "args:Tin...", "ref:ref T".
ArgSchema ParseArg(std::string_view text) {
  ArgSchema arg;
  const std::size_t colon = text.find(':');
  arg.name = text.substr(0, colon);
  text.remove_prefix(colon + 1);
  if (const std::size_t star = text.find('*'); star != std::string_view::npos) {
    arg.number_attr = text.substr(0, star);
    text.remove_prefix(star + 1);
  }
  if (text.starts_with("ref ")) {
    arg.is_ref = true;
    text.remove_prefix(4);
  }
  if (text.ends_with("...")) {
    arg.type_list_attr = text.substr(0, text.size() - 3);
  } else {
    arg.type = text;
  }
  return arg;
}

std::vector<ArgSchema> ParseArgs(std::string_view text) {
  std::vector<ArgSchema> args;
  while (!text.empty()) args.push_back(ParseArg(TakePart(", ", &text)));
  return args;
}

AttrSchema ParseAttr(std::string_view text) {
  AttrSchema attr;
  const std::size_t colon = text.find(':');
  const std::size_t equals = text.find('=');
  attr.name = text.substr(0, colon);
  attr.kind =
      text.substr(colon + 1, equals == std::string_view::npos ? equals : equals - colon - 1);
  if (equals != std::string_view::npos) {
    attr.default_value = ParseDefault(attr.kind, text.substr(equals + 1));
  }
  return attr;
}

OpSchema ParseSchema(std::string_view line) {
  OpSchema schema;
  schema.name = TakePart("\t", &line);
  schema.inputs = ParseArgs(TakePart("\t", &line));
  schema.outputs = ParseArgs(TakePart("\t", &line));
  std::string_view attributes = TakePart("\t", &line);
  while (!attributes.empty()) schema.attributes.push_back(ParseAttr(TakePart("; ", &attributes)));
  schema.is_stateful = line == "stateful";
  return schema;
}

// Lines by operator; schemas are parsed when they are asked for.
class Registry {
 public:
  Registry() {
    std::string_view text = OpRegistryText();
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      lines_.emplace(line.substr(0, line.find('\t')), line);
    }
  }

  const OpSchema* Find(std::string_view op) {
    const auto line = lines_.find(op);
    if (line == lines_.end()) return nullptr;
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const OpSchema>& schema = schemas_[line->first];
    if (schema == nullptr) schema = std::make_unique<const OpSchema>(ParseSchema(line->second));
    return schema.get();
  }

 private:
  std::map<std::string_view, std::string_view> lines_;
  std::mutex mutex_;
  std::map<std::string_view, std::unique_ptr<const OpSchema>> schemas_;
};

}  // namespace

const OpSchema* FindOpSchema(std::string_view op) {
  static Registry registry;
  return registry.Find(op);
}

Type NamedType(std::string_view name) {
  for (const TypeName& type : kTypes) {
    if (type.name == name) return Type::Tensor(type.dtype);
  }
  return Type::Opaque("tf", std::string(name));
}

const Attribute* AttributeOf(const Node& node, std::string_view name) {
  if (const Attribute* own = node.attribute(name)) return own;
  const OpSchema* schema = FindOpSchema(node.op().type);
  if (schema == nullptr) return nullptr;
  for (const AttrSchema& attr : schema->attributes) {
    if (attr.name == name) return attr.default_value ? &*attr.default_value : nullptr;
  }
  return nullptr;
}

std::optional<std::size_t> CountOf(const Node& node, const ArgSchema& arg) {
  if (!arg.type_list_attr.empty()) {
    const Attribute* types = AttributeOf(node, arg.type_list_attr);
    const auto list = types == nullptr ? std::nullopt : AsTypes(*types);
    return list ? std::optional(list->size()) : std::nullopt;
  }
  if (arg.number_attr.empty()) return 1;
  const Attribute* number = AttributeOf(node, arg.number_attr);
  const auto* count = number == nullptr ? nullptr : number->As<std::int64_t>();
  // More results than a message can say are not an operator's.
  if (count == nullptr || *count < 0 || *count > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(*count);
}

}  // namespace dragoman::tf
