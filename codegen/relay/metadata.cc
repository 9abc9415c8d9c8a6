// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/metadata.h"

#include <iterator>

#include <fmt/format.h>

#include "codegen/relay/nd_array.h"
#include "core/support/base64.h"
#include "core/support/find_by_key.h"
#include "core/support/text.h"

namespace dragoman::relay::emit {
namespace {

constexpr AttributeField kScanFields[] = {
    {"axis", true, "None"}, {"dtype", false, ""}, {"exclusive", true, "False"}};
constexpr AttributeField kScatterElementsFields[] = {{"axis", true, "0"},
                                                     {"reduction", true, "update"}};
constexpr AttributeField kScatterNdFields[] = {{"mode", true, "update"}};
constexpr AttributeField kTriluFields[] = {{"upper", false, "1"}};
constexpr AttributeField kUniqueFields[] = {{"sorted", false, "1"}, {"return_counts", false, "0"}};
constexpr AttributeField kRoiAlignFields[] = {
    {"pooled_size", true, "None"}, {"spatial_scale", false, "1"}, {"sample_ratio", false, "-1"},
    {"layout", false, "NCHW"},     {"mode", false, "avg"},
};
constexpr AttributeField kNmsFields[] = {
    {"force_suppress", false, "0"},   {"top_k", false, "-1"},   {"coord_start", false, "2"},
    {"score_index", false, "1"},      {"id_index", false, "0"}, {"return_indices", false, "1"},
    {"invalid_to_bottom", false, "0"}};
constexpr AttributeField kAllClassNmsFields[] = {{"output_format", false, "onnx"}};
constexpr AttributeField kDftFields[] = {{"inverse", true, "False"}};
constexpr AttributeField kDilateFields[] = {{"strides", true, "None"},
                                            {"dilation_value", false, "0"}};

// Sorted by operator.
constexpr AttributeClass kClasses[] = {
    {"cumprod", "relay.attrs.ScanopAttrs", kScanFields},
    {"cumsum", "relay.attrs.ScanopAttrs", kScanFields},
    {"dft", "relay.attrs.DFTAttrs", kDftFields},
    {"nn.dilate", "relay.attrs.DilateAttrs", kDilateFields},
    {"scatter_elements", "relay.attrs.ScatterElementsAttrs", kScatterElementsFields},
    {"scatter_nd", "relay.attrs.ScatterNDAttrs", kScatterNdFields},
    {"trilu", "relay.attrs.TriluAttrs", kTriluFields},
    {"unique", "relay.attrs.UniqueAttrs", kUniqueFields},
    {"vision.all_class_non_max_suppression", "relay.attrs.AllClassNonMaximumSuppressionAttrs",
     kAllClassNmsFields},
    {"vision.non_max_suppression", "relay.attrs.NonMaximumSuppressionAttrs", kNmsFields},
    {"vision.roi_align", "relay.attrs.ROIAlignAttrs", kRoiAlignFields},
};
static_assert(IsSortedBy(kClasses, &AttributeClass::op));

std::string Json(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string Field(std::string_view name, std::string_view value) {
  return fmt::format("{}: {}", Json(name), Json(value));
}

Attribute DefaultOf(const AttributeField& field) {
  if (field.otherwise == "None") return {};
  if (field.otherwise == "False") return Attribute(false);
  if (const auto number = ParseInt64(field.otherwise)) return Attribute(*number);
  return Attribute(std::string(field.otherwise));
}

std::string LiteralOf(const Attribute& value) {
  if (const auto* number = value.As<std::int64_t>()) return std::to_string(*number);
  if (const auto* flag = value.As<bool>()) return *flag ? "1" : "0";
  if (const auto* real = value.As<double>()) return FormatDouble(*real);
  if (const auto* real = value.As<float>()) return FormatFloat(*real);
  const auto* text = value.As<std::string>();
  return text != nullptr ? *text : "";
}

}  // namespace

const AttributeClass* FindAttributeClass(std::string_view op) {
  return FindByKey(kClasses, op, &AttributeClass::op);
}

// Node 0 is null, node 1 the root.
MetadataWriter::MetadataWriter() : nodes_{"{\"type_key\": \"\"}", ""} {}

std::size_t MetadataWriter::AddNode(std::string_view key, const std::string& fields) {
  nodes_.push_back(fmt::format("{{\"type_key\": {}, {}}}", Json(key), fields));
  return nodes_.size() - 1;
}

std::string MetadataWriter::Name(std::string_view key, std::size_t node) {
  std::vector<std::size_t>& all = root_[std::string(key)];
  all.push_back(node);
  return fmt::format("meta[{}][{}]", key, all.size() - 1);
}

std::string MetadataWriter::AddConstant(const Tensor& tensor) {
  const std::string bytes = NdArrayBytes(tensor);
  arrays_.push_back(EncodeBase64({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}));
  const std::string fields =
      fmt::format("\"attrs\": {{{}, {}, {}, {}}}", Field("_checked_type_", "0"),
                  Field("data", std::to_string(arrays_.size() - 1)), Field("span", "0"),
                  Field("virtual_device_", "0"));
  return Name("relay.Constant", AddNode("relay.Constant", fields));
}

std::string MetadataWriter::AddSize(const std::string& symbol) {
  const auto known = sizes_.find(symbol);
  if (known != sizes_.end()) return known->second;
  const std::size_t name = AddValue(Attribute(symbol));
  const std::size_t type =
      AddNode("PrimType", fmt::format("\"attrs\": {{{}}}", Field("dtype", "int32")));
  const std::string fields = fmt::format("\"attrs\": {{{}, {}, {}, {}}}", Field("dtype", "int32"),
                                         Field("name", std::to_string(name)), Field("span", "0"),
                                         Field("type_annotation", std::to_string(type)));
  return sizes_[symbol] = Name("tir.SizeVar", AddNode("tir.SizeVar", fields));
}

// A number, a text or a list of them as a node; 0 for None.
std::size_t MetadataWriter::AddValue(const Attribute& value) {
  const auto number = [this](std::string_view dtype, std::int64_t n) {
    return AddNode("IntImm", fmt::format("\"attrs\": {{{}, {}, {}}}", Field("dtype", dtype),
                                         Field("span", "0"), Field("value", std::to_string(n))));
  };
  if (const auto* n = value.As<std::int64_t>()) return number("int32", *n);
  if (const auto* flag = value.As<bool>()) return number("bool", *flag ? 1 : 0);
  if (const auto* text = value.As<std::string>())
    return AddNode("runtime.String", fmt::format("\"repr_str\": {}", Json(*text)));
  if (const auto* ints = value.As<Attribute::Ints>()) {
    std::vector<std::size_t> items;
    for (const std::int64_t n : *ints) items.push_back(number("int32", n));
    return AddNode("Array", fmt::format("\"data\": [{}]", fmt::join(items, ", ")));
  }
  return 0;
}

std::string MetadataWriter::AddAttributes(const AttributeClass& row,
                                          const std::vector<NamedAttribute>& attributes) {
  std::string fields;
  for (const AttributeField& field : row.fields) {
    const Attribute* given = Find(attributes, field.name);
    Attribute value = given != nullptr ? *given : DefaultOf(field);
    // Files keep truth values as 0 and 1.
    if (const auto* number = value.As<std::int64_t>(); number && field.otherwise == "False")
      value = Attribute(*number != 0);
    const std::string text =
        !field.is_node ? given != nullptr ? LiteralOf(value) : std::string(field.otherwise)
                       : std::to_string(AddValue(value));
    fields += (fields.empty() ? "" : ", ") + Field(field.name, text);
  }
  return Name(row.type_key, AddNode(row.type_key, fmt::format("\"attrs\": {{{}}}", fields)));
}

std::string MetadataWriter::Text() const {
  std::vector<std::string> nodes = nodes_;
  std::vector<std::string> keys;
  std::vector<std::size_t> lists;
  for (const auto& [key, items] : root_) {
    nodes.push_back(
        fmt::format("{{\"type_key\": \"Array\", \"data\": [{}]}}", fmt::join(items, ", ")));
    keys.push_back(Json(key));
    lists.push_back(nodes.size() - 1);
  }
  nodes[1] = fmt::format("{{\"type_key\": \"Map\", \"keys\": [{}], \"data\": [{}]}}",
                         fmt::join(keys, ", "), fmt::join(lists, ", "));
  std::string arrays;
  for (const std::string& array : arrays_)
    arrays += (arrays.empty() ? "\n    " : ",\n    ") + Json(array);
  return fmt::format(
      "#[metadata]\n{{\n  \"root\": 1,\n  \"nodes\": [\n    {}\n  ],\n  \"b64ndarrays\": [{}],\n"
      "  \"attrs\": {{\"tvm_version\": \"0.18.0\"}}\n}}\n",
      fmt::join(nodes, ",\n    "), arrays.empty() ? "" : arrays + "\n  ");
}

}  // namespace dragoman::relay::emit
