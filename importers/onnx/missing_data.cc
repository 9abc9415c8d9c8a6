// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/missing_data.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/ir/find_as.h"
#include "core/support/count_elements.h"
#include "core/support/text.h"
#include "proto/onnx/extra.h"

namespace dragoman {
namespace {

// The last entry of that key counts, as in ONNX's own tools.
std::string ExternalEntry(const Attribute::List& entries, std::string_view key) {
  std::string value;
  for (const Attribute& entry : entries) {
    const auto* pair = entry.As<Attribute::Dict>();
    if (pair != nullptr && FindText(*pair, "key") == key) value = FindText(*pair, "value");
  }
  return value;
}

// The initializer as it stands in the file; nullptr: the constant has its elements.
const Attribute::Dict* MessageOf(const Value& constant) {
  if (constant.tensor() != nullptr || constant.data() == nullptr) return nullptr;
  const auto* data = constant.data()->As<Attribute::Dict>();
  return data != nullptr ? FindAs<Attribute::Dict>(*data, onnx_extra::kUntypedInitializer)
                         : nullptr;
}

// The number of its element type; 0: none.
std::int64_t DataTypeOf(const Attribute::Dict& message) {
  const auto* number = FindAs<std::int64_t>(message, "data_type");
  return number != nullptr ? *number : 0;
}

// The file that holds the elements; "": none but the model's own.
std::string LocationIn(const Attribute::Dict& message) {
  const auto* entries = FindAs<Attribute::List>(message, "external_data");
  return entries != nullptr ? ExternalEntry(*entries, "location") : "";
}

// Whether a file of bytes could hold elements of that type.
bool HasBytes(std::int64_t data_type) {
  return IsDTypeNumber(data_type) && static_cast<DType>(data_type) != DType::kString;
}

// What the type says that the elements take; 0 if it leaves it open.
std::uint64_t BytesOf(const Type& type) {
  if (!type.is_tensor() || type.shape() == nullptr) return 0;
  const auto sizes = KnownShape(*type.shape());
  const auto count = sizes ? CountElements(*sizes) : std::nullopt;
  return count ? PackedBytes(type.dtype(), *count).value_or(0) : 0;
}

}  // namespace

std::optional<MissingFile> MissingFileOf(const Value& constant) {
  const Attribute::Dict* message = MessageOf(constant);
  const auto* entries = FindAs<Attribute::List>(message, "external_data");
  if (entries == nullptr || !HasBytes(DataTypeOf(*message))) return std::nullopt;
  MissingFile file = {.name = ExternalEntry(*entries, "location"), .constants = 1};
  if (file.name.empty()) return std::nullopt;
  const std::uint64_t length =
      ParseUint64(ExternalEntry(*entries, "length")).value_or(BytesOf(constant.type()));
  const std::uint64_t offset = ParseUint64(ExternalEntry(*entries, "offset")).value_or(0);
  if (__builtin_add_overflow(offset, length, &file.bytes)) file.bytes = 0;
  return file;
}

std::vector<MissingFile> MissingFiles(const Model& model) {
  std::map<std::string, MissingFile> files;
  const auto add = [&](const Value& value) {
    const std::optional<MissingFile> missing = MissingFileOf(value);
    if (!missing) return;
    MissingFile& file = files[missing->name];
    file.name = missing->name;
    file.bytes = std::max(file.bytes, missing->bytes);
    ++file.constants;
  };
  ForEachGraph(model, [&](const Graph& graph) {
    for (const auto& constant : graph.constants()) add(*constant);
    for (const auto& input : graph.inputs()) add(*input);
  });
  std::vector<MissingFile> sorted;
  for (auto& [name, file] : files) sorted.push_back(std::move(file));
  return sorted;
}

std::vector<std::string> DataFiles(const Model& model) {
  std::set<std::string> files;
  const auto add = [&](const Value& value) {
    const Attribute::Dict* message = MessageOf(value);
    if (message == nullptr && value.extra_if_any() != nullptr)
      message = FindAs<Attribute::Dict>(*value.extra_if_any(), onnx_extra::kInitializer);
    if (message != nullptr) files.insert(LocationIn(*message));
  };
  ForEachGraph(model, [&](const Graph& graph) {
    for (const auto& constant : graph.constants()) add(*constant);
    for (const auto& input : graph.inputs()) add(*input);
  });
  files.erase("");
  return {files.begin(), files.end()};
}

std::string WhyWithoutElements(const Value& constant) {
  if (const std::optional<MissingFile> file = MissingFileOf(constant)) {
    return "its elements lie in a file that is not there: " + Quote(file->name) + ", of at least " +
           std::to_string(file->bytes) +
           " bytes, expected in the model's folder (links are not followed)";
  }
  const Attribute::Dict* message = MessageOf(constant);
  if (message != nullptr && !IsDTypeNumber(DataTypeOf(*message)))
    return "element type " + std::to_string(DataTypeOf(*message)) + " is not known";
  return "its elements are not in the file, or not in the field of their type";
}

}  // namespace dragoman
