// SPDX-License-Identifier: Apache-2.0
#include "importers/tvm/metadata.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/support/base64.h"
#include "core/support/find_by_key.h"
#include "core/support/size_budget.h"
#include "core/support/text.h"
#include "importers/tvm/nd_array.h"

namespace dragoman::tvm {
namespace {

using Json = nlohmann::json;

constexpr int kMaxJsonDepth = 16;
constexpr int kMaxNodeDepth = 32;

// Fields that hold another node, of the classes of attributes that the text does not spell out.
constexpr std::string_view kNodeFields[] = {
    "relay.attrs.AllClassNonMaximumSuppressionAttrs.score_threshold",
    "relay.attrs.DFTAttrs.inverse",
    "relay.attrs.DilateAttrs.strides",
    "relay.attrs.GetValidCountsAttrs.score_threshold",
    "relay.attrs.NonMaximumSuppressionAttrs.score_threshold",
    "relay.attrs.ROIAlignAttrs.pooled_size",
    "relay.attrs.ROIPoolAttrs.pooled_size",
    "relay.attrs.ScanopAttrs.axis",
    "relay.attrs.ScanopAttrs.exclusive",
    "relay.attrs.ScatterElementsAttrs.axis",
    "relay.attrs.ScatterElementsAttrs.reduction",
    "relay.attrs.ScatterNDAttrs.mode",
};
static_assert(IsSortedBy(kNodeFields));

std::string TextOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<MetaName> ParseMetaName(std::string_view text) {
  const std::size_t close = text.find(']');
  MetaName name;
  name.key = text.substr(5, close - 5);
  const std::string_view digits = text.substr(close + 2, text.size() - close - 3);
  const std::optional<std::uint64_t> index = ParseUint64(digits);
  if (!index) return InvalidInput("'" + std::string(digits) + "' is not an index");
  name.index = *index;
  return name;
}

struct Metadata::Section {
  std::vector<Json> nodes;
  std::vector<std::string> arrays;
  mutable std::map<std::size_t, Tensor> tensors;  // of arrays that were decoded
  std::map<std::string, std::vector<std::size_t>, std::less<>> root;

  Result<const Json*> Node(std::size_t index) const {
    if (index < nodes.size() && nodes[index].is_object()) return &nodes[index];
    return InvalidInput(fmt::format("node {} of the metadata section does not exist", index));
  }

  Result<const Json*> Find(const MetaName& name) const {
    const auto found = root.find(name.key);
    if (found == root.end() || name.index >= found->second.size()) {
      return InvalidInput(
          fmt::format("{}[{}] is not in the metadata section", name.key, name.index));
    }
    return Node(found->second[name.index]);
  }

  Result<std::size_t> IndexIn(const Json& node, const char* field) const {
    const auto attrs = node.find("attrs");
    const std::string text = attrs != node.end() ? TextOf(*attrs, field) : "";
    const std::optional<std::uint64_t> index = ParseUint64(text);
    if (!index)
      return InvalidInput(
          fmt::format("a node {} without field {}", TextOf(node, "type_key"), field));
    return static_cast<std::size_t>(*index);
  }

  Result<Tensor> Array(const Json& node) const {
    DRAGOMAN_ASSIGN(const std::size_t index, IndexIn(node, "data"));
    if (index >= arrays.size())
      return InvalidInput(fmt::format("array {} of the metadata section does not exist", index));
    if (const auto known = tensors.find(index); known != tensors.end()) {
      // What is made of each is as large as if each had its own elements.
      DRAGOMAN_TRY(TakeExpanded(0, known->second.bytes().size()));
      return known->second;
    }
    std::optional<std::string> decoded = DecodeBase64(arrays[index]);
    if (!decoded) return InvalidInput(fmt::format("array {} is not base64", index));
    const auto bytes = std::make_shared<const std::string>(*std::move(decoded));
    std::size_t at = 0;
    DRAGOMAN_ASSIGN(Tensor tensor, ReadNdArray(std::as_bytes(std::span(*bytes)), at, bytes));
    return tensors.emplace(index, std::move(tensor)).first->second;
  }

  Result<std::string> String(const Json& node) const {
    const std::string text = TextOf(node, "repr_str");
    const std::string packed = TextOf(node, "repr_b64");
    if (packed.empty()) return text;
    const std::optional<std::string> decoded = DecodeBase64(packed);
    if (!decoded || decoded->size() < 8) return InvalidInput("a string that is not base64");
    return decoded->substr(8);
  }

  Result<Attribute> Value(const Json& node, const MetaName& name, int depth) const {
    if (depth > kMaxNodeDepth) return InvalidInput("nodes of the metadata section nest too deep");
    const std::string type = TextOf(node, "type_key");
    const auto attrs = node.find("attrs");
    if (type == "runtime.String" || type == "Op" || type == "SourceName") {
      DRAGOMAN_ASSIGN(std::string text, String(node));
      return Attribute(std::move(text));
    }
    if (type == "runtime.BoxInt" || type == "runtime.BoxBool" || type == "runtime.BoxFloat")
      return Literal(TextOf(node, "repr_str"), type);
    if ((type == "IntImm" || type == "FloatImm") && attrs != node.end())
      return Literal(TextOf(*attrs, "value"), type);
    if (type == "Array") return List(node, name, depth);
    if (type == "relay.Constant") {
      DRAGOMAN_ASSIGN(Tensor tensor, Array(node));
      return Attribute(std::move(tensor));
    }
    if (type.empty()) return Attribute();
    return Attribute(Symbol{fmt::format("meta[{}][{}]", name.key, name.index)});
  }

  static Result<Attribute> Literal(const std::string& text, const std::string& type) {
    const std::optional<std::int64_t> number = ParseInt64(text);
    if (number && type == "runtime.BoxBool") return Attribute(*number != 0);
    if (number && type != "FloatImm" && type != "runtime.BoxFloat") return Attribute(*number);
    const std::optional<double> real = ParseDouble(text);
    if (!real) return InvalidInput("'" + text + "' is not a number");
    return Attribute(*real);
  }

  Result<Attribute> List(const Json& node, const MetaName& name, int depth) const {
    Attribute::List items;
    Attribute::Ints ints;
    const auto data = node.find("data");
    for (std::size_t i = 0; data != node.end() && i < data->size(); ++i) {
      if (!(*data)[i].is_number_unsigned()) return InvalidInput("an Array of other than nodes");
      const auto index = (*data)[i].get<std::size_t>();
      DRAGOMAN_TRY(TakeExpanded(0, sizeof(Attribute)));  // lists may share lists
      Attribute item;
      if (index != 0) {
        DRAGOMAN_ASSIGN(const Json* element, Node(index));
        DRAGOMAN_ASSIGN(item, Value(*element, name, depth + 1));
      }
      if (const auto* number = item.As<std::int64_t>()) ints.push_back(*number);
      items.push_back(std::move(item));
    }
    if (ints.size() == items.size()) return Attribute(std::move(ints));
    return Attribute(std::move(items));
  }
};

Metadata::Metadata() : section_(std::make_unique<const Section>()) {}
Metadata::~Metadata() = default;
Metadata::Metadata(Metadata&&) noexcept = default;
Metadata& Metadata::operator=(Metadata&&) noexcept = default;

bool Metadata::empty() const { return section_->nodes.empty(); }

Result<Metadata> Metadata::Parse(std::string_view text) {
  Metadata metadata;
  if (text.find('{') == std::string_view::npos) return metadata;
  Json json;
  bool deep = false;
  try {
    json = Json::parse(text.begin(), text.end(), [&](int depth, Json::parse_event_t, Json&) {
      deep = deep || depth > kMaxJsonDepth;
      return !deep;
    });
  } catch (const Json::exception&) {
    return InvalidInput("the metadata section is no JSON").At("the metadata section");
  }
  const auto fail = [] {
    return InvalidInput("the metadata section is not as TVM writes it").At("the metadata section");
  };
  if (deep || !json.is_object() || !json.contains("nodes") || !json["nodes"].is_array() ||
      !json.contains("root") || !json["root"].is_number_unsigned())
    return fail();
  auto section = std::make_unique<Section>();
  for (Json& node : json["nodes"]) section->nodes.push_back(std::move(node));
  if (json.contains("b64ndarrays") && json["b64ndarrays"].is_array()) {
    for (Json& array : json["b64ndarrays"]) {
      if (!array.is_string()) return fail();
      section->arrays.push_back(std::move(array.get_ref<std::string&>()));
    }
  }
  const auto root = json["root"].get<std::size_t>();
  if (root >= section->nodes.size()) return fail();
  const Json& map = section->nodes[root];
  if (!map.is_object()) return fail();
  const auto keys = map.find("keys");
  const auto data = map.find("data");
  if (keys != map.end() && data != map.end()) {
    if (keys->size() != data->size()) return fail();
    for (std::size_t i = 0; i < keys->size(); ++i) {
      if (!(*keys)[i].is_string() || !(*data)[i].is_number_unsigned()) return fail();
      const auto index = (*data)[i].get<std::size_t>();
      if (index >= section->nodes.size()) return fail();
      std::vector<std::size_t>& list = section->root[(*keys)[i].get<std::string>()];
      const Json& array = section->nodes[index];
      if (!array.is_object()) return fail();
      const auto members = array.find("data");
      for (std::size_t j = 0; members != array.end() && j < members->size(); ++j) {
        if (!(*members)[j].is_number_unsigned()) return fail();
        list.push_back((*members)[j].get<std::size_t>());
      }
    }
  }
  metadata.section_ = std::move(section);
  return metadata;
}

Result<Tensor> Metadata::Constant(const MetaName& name) const {
  DRAGOMAN_ASSIGN(const Json* node, section_->Find(name));
  return section_->Array(*node);
}

Result<Attribute> Metadata::Value(const MetaName& name) const {
  if (empty()) return Attribute(Symbol{fmt::format("meta[{}][{}]", name.key, name.index)});
  DRAGOMAN_ASSIGN(const Json* node, section_->Find(name));
  return section_->Value(*node, name, 0);
}

Result<std::vector<NamedAttribute>> Metadata::Fields(const MetaName& name) const {
  DRAGOMAN_ASSIGN(const Json* node, section_->Find(name));
  std::vector<NamedAttribute> fields;
  const auto attrs = node->find("attrs");
  if (attrs == node->end() || !attrs->is_object()) return fields;
  for (const auto& [field, value] : attrs->items()) {
    if (!value.is_string()) return InvalidInput("a field of a node is not text");
    const auto& text = value.get_ref<const std::string&>();
    const std::string path = name.key + "." + field;
    const std::optional<std::int64_t> number = ParseInt64(text);
    if (FindByKey(kNodeFields, path) != nullptr) {
      if (!number || *number < 0) return InvalidInput("field " + path + " is not a node");
      Attribute read;
      if (*number != 0) {
        DRAGOMAN_ASSIGN(const Json* target, section_->Node(static_cast<std::size_t>(*number)));
        DRAGOMAN_ASSIGN(read, section_->Value(*target, name, 0));
      }
      fields.emplace_back(field, std::move(read));
    } else if (number) {
      fields.emplace_back(field, Attribute(*number));
    } else if (const std::optional<double> real = ParseDouble(text)) {
      fields.emplace_back(field, Attribute(*real));
    } else {
      fields.emplace_back(field, Attribute(text));
    }
  }
  return fields;
}

Result<std::string> Metadata::Variable(const MetaName& name) const {
  DRAGOMAN_ASSIGN(const Json* node, section_->Find(name));
  const auto attrs = node->find("attrs");
  const std::string field = attrs != node->end() ? TextOf(*attrs, "name") : "";
  if (const std::optional<std::uint64_t> index = ParseUint64(field)) {
    DRAGOMAN_ASSIGN(const Json* text, section_->Node(static_cast<std::size_t>(*index)));
    return section_->String(*text);
  }
  return field;
}

}  // namespace dragoman::tvm
