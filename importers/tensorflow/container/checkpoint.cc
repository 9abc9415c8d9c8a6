// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/container/checkpoint.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/support/bytes.h"
#include "core/support/count_elements.h"
#include "core/support/crc32c.h"
#include "core/support/mapped_file.h"
#include "core/support/sorted_table.h"
#include "core/support/text.h"
#include "importers/tensorflow/container/slices.h"
#include "proto/message_dict.h"
#include "proto/tensorflow/data_type.h"
#include "proto/tensorflow/tensor_codec.h"

namespace dragoman::tf_reader {
namespace {

using tf_pb::BundleEntryProto;

std::optional<std::vector<std::int64_t>> SizesOf(const tf_pb::TensorShapeProto& shape) {
  const std::optional<Type> type = tf_codec::TypeOfShape(shape);
  return type && type->shape() != nullptr ? KnownShape(*type->shape()) : std::nullopt;
}

Type TypeOf(int data_type, const std::vector<std::int64_t>& sizes) {
  const Type type = tf_codec::TypeOfDataType(data_type);
  return type.is_tensor() ? Type::Tensor(type.dtype(), sizes) : type;
}

Error InTensor(std::string_view name, Error error) {
  return std::move(error.At("tensor " + Quote(name)));
}

class Bundle {
 public:
  explicit Bundle(std::string prefix) : prefix_(std::move(prefix)) {}

  Result<std::vector<CheckpointEntry>> Read() {
    DRAGOMAN_TRY(ReadIndex());
    std::vector<CheckpointEntry> entries;
    for (const auto& [key, entry] : entries_) {
      if (parts_.contains(key)) continue;
      Result<CheckpointEntry> read = ReadTensor(key, entry);
      if (!read.ok()) return InTensor(key, std::move(read).error());
      entries.push_back(std::move(*read));
    }
    return entries;
  }

 private:
  Status ReadIndex() {
    const std::string path = prefix_ + ".index";
    DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
    Status status =
        ReadSortedTable(file->bytes(), [&](std::string_view key, std::string_view value) {
          return ReadIndexEntry(std::string(key), std::string(value));
        });
    if (!status.ok()) return std::move(status).error().InFile(path);
    for (const auto& [key, entry] : entries_) {
      for (const auto& slice : entry.slices()) parts_.insert(SliceKey(key, slice));
    }
    return {};
  }

  Status ReadIndexEntry(std::string key, const std::string& value) {
    if (key.empty()) {
      tf_pb::BundleHeaderProto header;
      if (!header.ParseFromString(value))
        return InvalidInput("the header of the bundle is damaged");
      if (header.endianness() != tf_pb::BundleHeaderProto::LITTLE) {
        return Unsupported("the bundle was written by a big-endian machine");
      }
      num_shards_ = header.num_shards();
      return {};
    }
    BundleEntryProto entry;
    if (!entry.ParseFromString(value)) return InvalidInput("entry " + Quote(key) + " is damaged");
    if (!entries_.emplace(key, std::move(entry)).second) {
      return InvalidInput("there are two entries " + Quote(key));
    }
    return {};
  }

  Result<std::shared_ptr<const MappedFile>> Shard(int number) {
    if (number < 0 || number >= num_shards_) {
      return InvalidInput(fmt::format("lies in file {} of {}", number, num_shards_));
    }
    std::shared_ptr<const MappedFile>& shard = shards_[number];
    if (shard == nullptr) {
      DRAGOMAN_ASSIGN(shard, MappedFile::Open(fmt::format("{}.data-{:05}-of-{:05}", prefix_, number,
                                                          num_shards_)));
      unread_ += shard->bytes().size();
    }
    return shard;
  }

  Result<Buffer> Elements(const BundleEntryProto& entry) {
    DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> shard, Shard(entry.shard_id()));
    const std::span<const std::byte> bytes = shard->bytes();
    const auto offset = static_cast<std::uint64_t>(entry.offset());
    const auto size = static_cast<std::uint64_t>(entry.size());
    if (offset > bytes.size() || size > bytes.size() - offset) {
      return InvalidInput(fmt::format("bytes {} to {} do not lie in {}, which has {}", offset,
                                      offset + size, shard->path(), bytes.size()));
    }
    if (size > unread_) return InvalidInput("tensors of the checkpoint overlap");
    unread_ -= size;
    return Buffer::Window(bytes.subspan(offset, size), shard);
  }

  static Status CheckSum(const BundleEntryProto& entry, std::uint32_t found) {
    if (MaskCrc32c(found) == entry.crc32c()) return {};
    return InvalidInput("its elements are damaged: their checksum is another");
  }

  // The tensor of one entry.
  Result<Tensor> Whole(const BundleEntryProto& entry, DType dtype,
                       const std::vector<std::int64_t>& sizes) {
    DRAGOMAN_ASSIGN(Buffer bytes, Elements(entry));
    if (dtype == DType::kString) return Strings(entry, bytes, sizes);
    DRAGOMAN_TRY(CheckSum(entry, Crc32c(bytes.bytes())));
    if (dtype == DType::kBool) {
      for (const std::byte byte : bytes.bytes()) {
        if (byte > std::byte{1}) return InvalidInput("a bool is neither 0 nor 1");
      }
    }
    return Tensor::Make(dtype, sizes, std::move(bytes));
  }

  static Result<Tensor> Strings(const BundleEntryProto& entry, const Buffer& bytes,
                                const std::vector<std::int64_t>& sizes) {
    std::string_view rest = AsText(bytes.bytes());
    const std::optional<std::int64_t> count = CountElements(sizes);
    if (!count || static_cast<std::uint64_t>(*count) > rest.size()) {
      return InvalidInput("its number of strings does not match its sizes");
    }
    std::vector<std::uint64_t> lengths;
    std::uint32_t sum = 0;
    for (std::int64_t i = 0; i < *count; ++i) {
      std::uint64_t length = 0;
      for (int shift = 0;; shift += 7) {
        if (rest.empty() || shift > 63) return InvalidInput("the length of a string is damaged");
        const auto byte = static_cast<unsigned char>(rest.front());
        rest.remove_prefix(1);
        length |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) break;
      }
      lengths.push_back(length);
      // The checksum is of lengths as 32 bits, or 64 where they need them.
      const std::size_t width = length > UINT32_MAX ? 8 : 4;
      sum = Crc32c(std::as_bytes(std::span(&lengths.back(), 1)).first(width), sum);
    }
    if (rest.size() < 4) return InvalidInput("its elements end within the checksum of lengths");
    std::uint32_t stored = 0;
    std::memcpy(&stored, rest.data(), sizeof stored);
    if (stored != MaskCrc32c(sum)) return InvalidInput("the checksum of its lengths is another");
    sum = Crc32c(std::as_bytes(std::span(rest.data(), 4)), sum);
    rest.remove_prefix(4);
    DRAGOMAN_TRY(CheckSum(entry, Crc32c(std::as_bytes(std::span(rest)), sum)));
    std::vector<std::string> strings;
    for (const std::uint64_t length : lengths) {
      if (length > rest.size()) return InvalidInput("a string does not lie in its elements");
      strings.emplace_back(rest.substr(0, static_cast<std::size_t>(length)));
      rest.remove_prefix(static_cast<std::size_t>(length));
    }
    return Tensor::MakeStrings(sizes, std::move(strings));
  }

  Result<Tensor> Joined(const std::string& key, const BundleEntryProto& entry, DType dtype,
                        const std::vector<std::int64_t>& sizes) {
    std::vector<Part> parts;
    for (const auto& message : entry.slices()) {
      const std::optional<Slice> slice = SliceOf(message, sizes);
      const auto part = entries_.find(SliceKey(key, message));
      if (!slice || part == entries_.end()) {
        return InvalidInput("a part of it is not in the checkpoint");
      }
      DRAGOMAN_ASSIGN(Tensor elements, Whole(part->second, dtype, slice->sizes));
      parts.push_back({*slice, std::move(elements)});
    }
    return JoinParts(dtype, sizes, parts);
  }

  Result<CheckpointEntry> ReadTensor(const std::string& key, const BundleEntryProto& entry) {
    const DType dtype = tf_codec::StorageOf(entry.dtype());
    const auto sizes = SizesOf(entry.shape());
    if (!sizes) return InvalidInput("its sizes are not known");
    CheckpointEntry read{key, TypeOf(entry.dtype(), *sizes), {}};
    if (dtype == DType::kUnknown) {
      DRAGOMAN_ASSIGN(Buffer bytes, Elements(entry));
      const auto size = static_cast<std::int64_t>(bytes.size());
      DRAGOMAN_ASSIGN(Tensor stored, Tensor::Make(DType::kU8, {size}, std::move(bytes)));
      Attribute::Dict dict;
      dict.emplace_back("entry", MessageToDict(entry));
      dict.emplace_back("bytes", std::move(stored));
      read.value = std::move(dict);
      return read;
    }
    if (entry.slices().empty()) {
      DRAGOMAN_ASSIGN(Tensor tensor, Whole(entry, dtype, *sizes));
      read.value = std::move(tensor);
    } else {
      DRAGOMAN_ASSIGN(Tensor tensor, Joined(key, entry, dtype, *sizes));
      read.value = std::move(tensor);
    }
    return read;
  }

  std::string prefix_;
  int num_shards_ = 0;
  std::map<std::string, BundleEntryProto> entries_;
  std::set<std::string> parts_;  // keys of entries that are parts of others
  std::map<int, std::shared_ptr<const MappedFile>> shards_;
  std::uint64_t unread_ = 0;  // bytes of the shards that no tensor was read from
};

// A checkpoint of TensorFlow's first format.
class OldCheckpoint {
 public:
  Result<std::vector<CheckpointEntry>> Read(const std::string& path) {
    DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
    Status status = ReadSortedTable(
        file->bytes(), [&](std::string_view, std::string_view value) { return ReadEntry(value); });
    if (!status.ok()) return std::move(status).error().InFile(path);
    std::vector<CheckpointEntry> entries;
    for (auto& [name, tensor] : tensors_) {
      Result<Tensor> whole = JoinParts(tensor.dtype, tensor.sizes, tensor.parts);
      if (!whole.ok()) return InTensor(name, std::move(whole).error());
      entries.push_back({name, tensor.type, std::move(*whole)});
    }
    return entries;
  }

 private:
  struct Stored {
    Type type;
    DType dtype = DType::kUnknown;
    std::vector<std::int64_t> sizes;
    std::vector<Part> parts;
  };

  Status ReadEntry(std::string_view value) {
    tf_pb::SavedTensorSlices message;
    if (!message.ParseFromArray(value.data(), static_cast<int>(value.size()))) {
      return InvalidInput("an entry of the checkpoint is damaged");
    }
    for (const auto& tensor : message.meta().tensor()) DRAGOMAN_TRY(AddTensor(tensor));
    return message.has_data() ? AddPart(message.mutable_data()) : Status();
  }

  Status AddTensor(const tf_pb::SavedSliceMeta& message) {
    Stored tensor;
    const auto sizes = SizesOf(message.shape());
    tensor.dtype = tf_codec::StorageOf(message.type());
    if (!sizes || tensor.dtype == DType::kUnknown) {
      return Unsupported("tensor " + Quote(message.name()) + " has no elements of a known type");
    }
    tensor.sizes = *sizes;
    tensor.type = TypeOf(message.type(), *sizes);
    if (!tensors_.emplace(message.name(), std::move(tensor)).second) {
      return InvalidInput("there are two tensors " + Quote(message.name()));
    }
    return {};
  }

  Status AddPart(tf_pb::SavedSlice* message) {
    const auto found = tensors_.find(message->name());
    if (found == tensors_.end()) {
      return InvalidInput("a part belongs to " + Quote(message->name()) +
                          ", which is not a tensor");
    }
    Stored& tensor = found->second;
    const std::optional<Slice> slice = SliceOf(message->slice(), tensor.sizes);
    const std::optional<std::int64_t> count = slice ? CountElements(slice->sizes) : std::nullopt;
    tf_pb::TensorProto& data = *message->mutable_data();
    // Every element is there.
    if (!count || static_cast<std::uint64_t>(*count) > data.ByteSizeLong()) {
      return InvalidInput("a part of " + Quote(message->name()) + " is damaged");
    }
    data.set_dtype(static_cast<tf_pb::DataType>(*tf_codec::DataTypeOf(
        tensor.type.is_tensor() ? tensor.type.WithShape(std::nullopt) : tensor.type)));
    data.mutable_tensor_shape()->Clear();
    for (const std::int64_t size : slice->sizes)
      data.mutable_tensor_shape()->add_dim()->set_size(size);
    Extra extra;
    DRAGOMAN_ASSIGN(Attribute elements, tf_codec::DecodeTensor(&data, &extra));
    if (elements.tensor() == nullptr) {
      return InvalidInput("a part of " + Quote(message->name()) + " is damaged");
    }
    tensor.parts.push_back({*slice, *elements.tensor()});
    return {};
  }

  std::map<std::string, Stored> tensors_;
};

bool Exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

}  // namespace

bool HasCheckpoint(const std::string& prefix) {
  return Exists(prefix + ".index") || Exists(prefix);
}

Result<std::vector<CheckpointEntry>> ReadCheckpoint(const std::string& prefix) {
  if (Exists(prefix + ".index")) return Bundle(prefix).Read();
  if (Exists(prefix)) return OldCheckpoint().Read(prefix);
  return InvalidInput("there is no checkpoint: neither " + Quote(prefix + ".index") + " nor " +
                      Quote(prefix) + " is a file");
}

}  // namespace dragoman::tf_reader
