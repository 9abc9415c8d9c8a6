// SPDX-License-Identifier: Apache-2.0
#include "exporters/tensorflow/write_checkpoint.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/ir/find_as.h"
#include "core/support/crc32c.h"
#include "core/support/sorted_table.h"
#include "core/support/text.h"
#include "core/support/wire_reader.h"
#include "proto/message_dict.h"
#include "proto/tensorflow/checkpoint.pb.h"
#include "proto/tensorflow/data_type.h"
#include "proto/tensorflow/extra.h"

namespace dragoman::tf_writer {
namespace {

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

// Under which key each State is stored; of several with one key, the first.
std::map<std::string, const State*> StatesByKey(const Model& model) {
  const auto* keys = FindAs<Attribute::Dict>(model.extra, tf_extra::kCheckpoint);
  std::map<std::string, const State*> states;
  for (const State& state : model.states) {
    const auto* text = FindAs<std::string>(keys, state.name);
    states.emplace(text == nullptr ? state.name : *text, &state);
  }
  return states;
}

class Writer {
 public:
  explicit Writer(OutputFile* data) : data_(*data) {}

  Result<std::string> Write(const std::map<std::string, const State*>& states) {
    tf_pb::BundleHeaderProto header;
    header.set_num_shards(1);
    header.mutable_version()->set_producer(1);
    index_.Add("", header.SerializeAsString());
    for (const auto& [key, state] : states) {
      tf_pb::BundleEntryProto entry;
      Status status = AddState(*state, &entry);
      if (!status.ok()) return std::move(status).error().At("state " + Quote(state->name));
      index_.Add(key, entry.SerializeAsString());
    }
    return index_.Finish();
  }

 private:
  Status AddState(const State& state, tf_pb::BundleEntryProto* entry) {
    if (const auto* dict = state.initial.As<Attribute::Dict>()) return AddStored(*dict, entry);
    const Tensor* tensor = state.initial.tensor();
    const std::optional<int> data_type = tf_codec::DataTypeOf(
        state.type.is_tensor() ? state.type.WithShape(std::nullopt) : state.type);
    if (tensor == nullptr || !data_type || tf_codec::StorageOf(*data_type) != tensor->dtype()) {
      return InvalidInput("its initial value is not a tensor of its type");
    }
    entry->set_dtype(static_cast<tf_pb::DataType>(*data_type));
    entry->mutable_shape();
    for (const std::int64_t size : tensor->sizes())
      entry->mutable_shape()->add_dim()->set_size(size);
    if (tensor->dtype() == DType::kString) return AppendStrings(*tensor, entry);
    return Append(tensor->bytes(), Crc32c(tensor->bytes()), entry);
  }

  // What was read as its bytes alone.
  Status AddStored(const Attribute::Dict& dict, tf_pb::BundleEntryProto* entry) {
    const Attribute* message = Find(dict, "entry");
    const Attribute* bytes = Find(dict, "bytes");
    const auto* fields = message == nullptr ? nullptr : message->As<Attribute::Dict>();
    if (fields == nullptr || bytes == nullptr || bytes->tensor() == nullptr) {
      return InvalidInput("its initial value is not a tensor");
    }
    DRAGOMAN_TRY(DictToMessage(*fields, entry));
    const std::uint32_t masked = entry->crc32c();
    DRAGOMAN_TRY(Append(bytes->tensor()->bytes(), 0, entry));
    entry->set_crc32c(masked);
    return {};
  }

  Status AppendStrings(const Tensor& tensor, tf_pb::BundleEntryProto* entry) {
    std::string bytes;
    std::uint32_t sum = 0;
    for (const std::string& text : tensor.strings()) {
      const std::uint64_t length = text.size();
      AppendVarint(length, &bytes);
      const std::size_t width = length > UINT32_MAX ? 8 : 4;
      sum = Crc32c(std::as_bytes(std::span(&length, 1)).first(width), sum);
    }
    const std::uint32_t lengths = MaskCrc32c(sum);
    const auto stored = std::as_bytes(std::span(&lengths, 1));
    bytes.append(reinterpret_cast<const char*>(stored.data()), stored.size());
    sum = Crc32c(stored, sum);
    for (const std::string& text : tensor.strings()) {
      bytes += text;
      sum = Crc32c(Bytes(text), sum);
    }
    return Append(Bytes(bytes), sum, entry);
  }

  Status Append(std::span<const std::byte> bytes, std::uint32_t sum,
                tf_pb::BundleEntryProto* entry) {
    entry->set_shard_id(0);
    entry->set_offset(static_cast<std::int64_t>(data_.size()));
    entry->set_size(static_cast<std::int64_t>(bytes.size()));
    entry->set_crc32c(MaskCrc32c(sum));
    return data_.Append(bytes);
  }

  OutputFile& data_;
  SortedTableWriter index_;
};

}  // namespace

Result<std::string> WriteCheckpoint(const Model& model, OutputFile* data) {
  return Writer(data).Write(StatesByKey(model));
}

}  // namespace dragoman::tf_writer
