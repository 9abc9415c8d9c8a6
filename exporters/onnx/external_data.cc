// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/external_data.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "core/support/confined_path.h"
#include "core/support/mapped_file.h"
#include "core/support/text.h"

namespace dragoman::onnx_writer {
namespace {

using onnx_pb::TensorProto;

constexpr std::uint64_t kAlignment = 64;  // of a tensor in our own data file

// The last entry of that key counts, as in ONNX's own tools.
const std::string* FindKey(const TensorProto& message, const std::string& key) {
  const std::string* value = nullptr;
  for (const auto& entry : message.external_data()) {
    if (entry.key() == key) value = &entry.value();
  }
  return value;
}

void AddKey(const std::string& key, const std::string& value, TensorProto* message) {
  auto* entry = message->add_external_data();
  entry->set_key(key);
  entry->set_value(value);
}

bool SameBytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() &&
         (a.data() == b.data() || a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// Whether the bytes that both ranges cover are the same. a begins first.
bool Agree(std::uint64_t a_offset, std::span<const std::byte> a, std::uint64_t b_offset,
           std::span<const std::byte> b) {
  const std::uint64_t skip = b_offset - a_offset;
  if (skip >= a.size()) return true;
  const std::size_t common = std::min<std::size_t>(a.size() - skip, b.size());
  return SameBytes(a.subspan(skip, common), b.first(common));
}

// Whether `bytes` at `offset` contradict no range; ranges may overlap where they agree.
bool Fits(const std::map<std::uint64_t, std::span<const std::byte>>& ranges, std::uint64_t offset,
          std::span<const std::byte> bytes) {
  auto next = ranges.lower_bound(offset);
  if (next != ranges.end() && next->first == offset) return SameBytes(next->second, bytes);
  if (next != ranges.begin()) {
    const auto& [before, known] = *std::prev(next);
    if (!Agree(before, known, offset, bytes)) return false;
  }
  for (; next != ranges.end() && next->first - offset < bytes.size(); ++next) {
    if (!Agree(offset, bytes, next->first, next->second)) return false;
  }
  return true;
}

std::uint64_t EndOf(const std::map<std::uint64_t, std::span<const std::byte>>& ranges) {
  std::uint64_t end = 0;
  for (const auto& [offset, bytes] : ranges)
    end = std::max<std::uint64_t>(end, offset + bytes.size());
  return end;
}

}  // namespace

ExternalData::ExternalData(std::string model_name, bool file_each)
    : model_name_(std::move(model_name)),
      file_each_(file_each),
      own_files_{model_name_ + ".data"} {}

void ExternalData::Keep(std::span<const std::byte> bytes, TensorProto* message) {
  const std::string* location = FindKey(*message, "location");
  const std::string* offset_text = FindKey(*message, "offset");
  const std::string* length_text = FindKey(*message, "length");
  const auto offset = offset_text ? ParseUint64(*offset_text) : 0;
  const auto length = length_text ? ParseUint64(*length_text) : bytes.size();
  const bool is_place = location && CheckConfinedName(*location).ok() && offset &&
                        length == bytes.size() && *offset <= UINT64_MAX - bytes.size();
  if (!is_place || !Fits(files_[*location], *offset, bytes)) {
    Add(bytes, message);
  } else {
    files_[*location].emplace(*offset, bytes);
  }
}

void ExternalData::Add(std::span<const std::byte> bytes, TensorProto* message) {
  pending_.push_back({bytes, message});
}

std::string ExternalData::OwnFile(const TensorProto& message) {
  std::string name = model_name_ + ".data";
  if (file_each_) {
    const std::string tensor = message.name().empty() ? "tensor" : FileName(message.name());
    name = own_names_.Unique(model_name_ + "." + tensor) + ".data";
  }
  own_files_.insert(name);
  return name;
}

void ExternalData::Place() {
  std::map<std::string, std::uint64_t> ends;
  for (const Pending& tensor : pending_) {
    const std::string file = OwnFile(*tensor.message);
    Ranges& ranges = files_[file];
    std::uint64_t& end = ends.try_emplace(file, 0).first->second;
    if (end == 0) end = EndOf(ranges);
    end = (end + kAlignment - 1) / kAlignment * kAlignment;
    ranges.emplace(end, tensor.bytes);
    tensor.message->clear_external_data();
    tensor.message->set_data_location(TensorProto::EXTERNAL);
    AddKey("location", file, tensor.message);
    AddKey("offset", std::to_string(end), tensor.message);
    AddKey("length", std::to_string(tensor.bytes.size()), tensor.message);
    end += tensor.bytes.size();
  }
  pending_.clear();
}

namespace {

using Ranges = std::map<std::uint64_t, std::span<const std::byte>>;

bool Holds(std::span<const std::byte> file, const Ranges& ranges) {
  return std::all_of(ranges.begin(), ranges.end(), [file](const auto& range) {
    const auto& [offset, bytes] = range;
    return offset <= file.size() && bytes.size() <= file.size() - offset &&
           SameBytes(file.subspan(offset, bytes.size()), bytes);
  });
}

// Gaps are zero.
Status WriteRanges(const Ranges& ranges, OutputFile* file) {
  const std::string zeros(std::size_t{1} << 16, '\0');
  for (const auto& [offset, bytes] : ranges) {
    while (file->size() < offset) {
      DRAGOMAN_TRY(file->Append(std::string_view(zeros).substr(0, offset - file->size())));
    }
    const std::uint64_t written = std::min<std::uint64_t>(file->size() - offset, bytes.size());
    DRAGOMAN_TRY(file->Append(bytes.subspan(written)));
  }
  return {};
}

}  // namespace

Status ExternalData::Write(const std::string& folder, std::vector<OutputFile>* files) const {
  for (const auto& [location, ranges] : files_) {
    if (ranges.empty()) continue;
    const std::filesystem::path path = std::filesystem::path(folder) / location;
    std::error_code error;
    if (!own_files_.contains(location) && std::filesystem::exists(path, error)) {
      DRAGOMAN_ASSIGN(const std::shared_ptr<const MappedFile> present,
                      OpenConfined(folder, location));
      if (Holds(present->bytes(), ranges)) continue;
      return InvalidInput("the data file " + path.string() +
                          " is there already and holds other data; write to another folder");
    }
    DRAGOMAN_ASSIGN(OutputFile file, OutputFile::Create(path.string()));
    DRAGOMAN_TRY(WriteRanges(ranges, &file));
    files->push_back(std::move(file));
  }
  return {};
}

}  // namespace dragoman::onnx_writer
