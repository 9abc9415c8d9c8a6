// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/detect.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/support/bytes.h"
#include "core/support/text.h"
#include "core/support/wire_reader.h"

namespace dragoman {
namespace {

using Bytes = std::span<const std::byte>;

// The first field `number` of a message; nullopt: none, or no message.
std::optional<Bytes> FirstBytes(Bytes message, std::uint32_t number) {
  WireReader reader(message);
  while (!reader.done()) {
    const Result<WireField> field = reader.Next(0);
    if (!field.ok()) return std::nullopt;
    if (field->number == number && field->type == WireType::kBytes) return field->payload;
  }
  return std::nullopt;
}

// A name, an operator, and nothing but fields that a NodeDef has.
bool IsNodeDef(Bytes message) {
  constexpr std::uint32_t kFields = 7;
  bool has_name = false;
  bool has_op = false;
  WireReader reader(message);
  while (!reader.done()) {
    const Result<WireField> field = reader.Next(0);
    if (!field.ok() || field->type != WireType::kBytes || field->number > kFields) return false;
    if (field->number > 2) continue;
    const std::string_view text = AsText(field->payload);
    if (text.empty() || !IsUtf8(text)) return false;
    (field->number == 1 ? has_name : has_op) = true;
  }
  return has_name && has_op;
}

// The types of the fields 1, 2, … that a message may have.
template <std::size_t kCount>
bool HasOnly(Bytes message, const std::array<WireType, kCount>& types) {
  WireReader reader(message);
  bool any = false;
  while (!reader.done()) {
    const Result<WireField> field = reader.Next(0);
    if (!field.ok() || field->number == 0 || field->number > kCount) return false;
    if (field->type != types[field->number - 1]) return false;
    any = true;
  }
  return any;
}

bool IsGraphDef(Bytes file) {
  constexpr std::array kTypes = {WireType::kBytes, WireType::kBytes, WireType::kVarint,
                                 WireType::kBytes};
  const std::optional<Bytes> node = FirstBytes(file, 1);
  return node && IsNodeDef(*node) && HasOnly(file, kTypes);
}

bool IsMetaGraphDef(Bytes file) {
  constexpr std::array kTypes = {WireType::kBytes, WireType::kBytes, WireType::kBytes,
                                 WireType::kBytes, WireType::kBytes, WireType::kBytes,
                                 WireType::kBytes};
  const std::optional<Bytes> graph = FirstBytes(file, 2);
  return graph && IsGraphDef(*graph) && HasOnly(file, kTypes);
}

bool IsSavedModel(Bytes file) {
  constexpr std::array kTypes = {WireType::kVarint, WireType::kBytes};
  const std::optional<Bytes> graph = FirstBytes(file, 2);
  return graph && IsMetaGraphDef(*graph) && HasOnly(file, kTypes);
}

// The name of the first field of a text message; empty: the text begins with something else.
std::string_view FirstField(std::string_view text) {
  while (!text.empty()) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    if (text.front() != '#') break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  const std::size_t end = std::min(
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"), text.size());
  const std::size_t next = text.find_first_not_of(" \t\r\n", end);
  if (next == std::string_view::npos) return {};
  const bool is_field = text[next] == '{' || text[next] == ':' || text[next] == '<';
  return is_field ? text.substr(0, end) : std::string_view();
}

template <std::size_t kCount>
bool IsOneOf(std::string_view name, const std::array<std::string_view, kCount>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TensorFlowFile KindOfText(std::string_view text) {
  constexpr std::array<std::string_view, 4> kGraph = {"node", "library", "versions", "version"};
  constexpr std::array<std::string_view, 7> kMetaGraph = {
      "meta_info_def", "graph_def",      "saver_def",       "collection_def",
      "signature_def", "asset_file_def", "object_graph_def"};
  constexpr std::array<std::string_view, 2> kSavedModel = {"saved_model_schema_version",
                                                           "meta_graphs"};
  const std::string_view first = FirstField(text);
  if (IsOneOf(first, kGraph)) return TensorFlowFile::kGraphDefText;
  if (IsOneOf(first, kMetaGraph)) return TensorFlowFile::kMetaGraphDefText;
  if (IsOneOf(first, kSavedModel)) return TensorFlowFile::kSavedModelText;
  return TensorFlowFile::kNone;
}

// The name of the first entry of a zip archive.
std::string_view FirstZipEntry(std::string_view file) {
  constexpr std::size_t kHeader = 30;
  constexpr std::size_t kNameLength = 26;
  if (!file.starts_with(std::string_view("PK\3\4", 4)) || file.size() < kHeader) return {};
  const auto low = static_cast<unsigned char>(file[kNameLength]);
  const auto high = static_cast<unsigned char>(file[kNameLength + 1]);
  return file.substr(kHeader, low | static_cast<std::size_t>(high) << 8);
}

}  // namespace

TensorFlowFile TensorFlowFileKind(Bytes file) {
  const std::string_view text = AsText(file);
  if (text.starts_with("\x89HDF\r\n\x1a\n")) return TensorFlowFile::kHdf5;
  if (text.size() >= 8 && text.substr(4, 4) == "TFL3") return TensorFlowFile::kTfLite;
  const std::string_view entry = FirstZipEntry(text);
  if (entry == "metadata.json" || entry == "config.json") return TensorFlowFile::kKerasArchive;
  // Riegeli's first block begins with a header that has a fixed checksum.
  if (text.starts_with(std::string_view("\x83\xaf\x70\xd1\x0d\x88\x4a\x3f", 8))) {
    return TensorFlowFile::kChunkedSavedModel;
  }
  if (IsGraphDef(file)) return TensorFlowFile::kGraphDef;
  if (IsMetaGraphDef(file)) return TensorFlowFile::kMetaGraphDef;
  if (IsSavedModel(file)) return TensorFlowFile::kSavedModel;
  return KindOfText(text);
}

bool IsSavedModelFolder(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path folder = path;
  for (const char* name : {"saved_model.pb", "saved_model.pbtxt", "saved_model.cpb"}) {
    if (std::filesystem::exists(folder / name, ignored)) return true;
  }
  return false;
}

}  // namespace dragoman
