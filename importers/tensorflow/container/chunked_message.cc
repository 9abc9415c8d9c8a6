// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/container/chunked_message.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/support/size_budget.h"
#include "importers/tensorflow/container/riegeli.h"
#include "proto/tensorflow/chunk.pb.h"
#include "proto/text_message.h"

namespace dragoman::tf_reader {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using tf_pb::ChunkedField;
using tf_pb::ChunkedMessage;
using tf_pb::FieldIndex;

// The place of an element of a list is at most so far beyond those of the others, which are made.
constexpr int kMaxGap = 4096;

// Makes room for element `index` of a list of messages.
Status Extend(const FieldDescriptor* field, int index, Message* message) {
  const Reflection* reflection = message->GetReflection();
  int size = reflection->FieldSize(*message, field);
  if (size > index) return {};
  const auto bytes = reflection->AddMessage(message, field)->SpaceUsedLong();
  DRAGOMAN_TRY(TakeExpanded(0, static_cast<std::uint64_t>(index - size) * bytes));
  while (++size <= index) reflection->AddMessage(message, field);
  return {};
}

Status Merge(const std::string& chunk, Message* message) {
  if (chunk.size() > std::size_t{std::numeric_limits<std::int32_t>::max()})
    return Unsupported("a chunk of more than 2 GiB");
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const std::uint8_t*>(chunk.data()),
                                               static_cast<int>(chunk.size()));
  input.SetRecursionLimit(kMaxMessageNesting);
  const google::protobuf::LogSilencer silence;  // the error below reports it
  if (message->MergePartialFromCodedStream(&input) && input.ConsumedEntireMessage()) return {};
  return InvalidInput("a chunk is no " + message->GetDescriptor()->name());
}

// Outer fields before what lies in them, elements of lists in their order; else as they stand.
bool ComesBefore(const ChunkedField& a, const ChunkedField& b) {
  const int common = std::min(a.field_tag_size(), b.field_tag_size());
  for (int i = 0; i < common; ++i) {
    const FieldIndex& x = a.field_tag(i);
    const FieldIndex& y = b.field_tag(i);
    if (x.kind_case() != y.kind_case()) return x.kind_case() < y.kind_case();
    if (x.has_field() && x.field() != y.field()) return x.field() < y.field();
    if (x.has_index() && x.index() != y.index()) return x.index() < y.index();
    if (x.has_map_key() && x.map_key().s() != y.map_key().s())
      return x.map_key().s() < y.map_key().s();
  }
  return a.field_tag_size() < b.field_tag_size();
}

class Merger {
 public:
  Merger(RiegeliFile& file, const tf_pb::ChunkMetadata& metadata)
      : file_(file), metadata_(metadata) {}

  // Chunks nest no deeper than protobuf has parsed their description.
  Status Read(const ChunkedMessage& chunked, Message* message) {
    if (chunked.has_chunk_index()) {
      DRAGOMAN_ASSIGN(const std::string chunk, Chunk(chunked));
      DRAGOMAN_TRY(Merge(chunk, message));
    }
    std::vector<const ChunkedField*> fields;
    for (const ChunkedField& field : chunked.chunked_fields()) fields.push_back(&field);
    std::stable_sort(
        fields.begin(), fields.end(),
        [](const ChunkedField* a, const ChunkedField* b) { return ComesBefore(*a, *b); });
    for (const ChunkedField* field : fields) DRAGOMAN_TRY(ReadField(*field, message));
    return {};
  }

 private:
  Result<std::string> Chunk(const ChunkedMessage& chunked) {
    if (chunked.chunk_index() >= static_cast<std::uint64_t>(metadata_.chunks_size()))
      return InvalidInput("there is no chunk " + std::to_string(chunked.chunk_index()));
    DRAGOMAN_ASSIGN(
        std::string record,
        file_.Record(metadata_.chunks(static_cast<int>(chunked.chunk_index())).offset()));
    if (!used_.insert(chunked.chunk_index()).second) DRAGOMAN_TRY(TakeExpanded(0, record.size()));
    return record;
  }

  Status ReadField(const ChunkedField& chunked, Message* message) {
    for (int i = 0; i < chunked.field_tag_size();) {
      if (!chunked.field_tag(i).has_field()) return InvalidInput("a chunk without a field");
      const FieldDescriptor* field = message->GetDescriptor()->FindFieldByNumber(
          static_cast<int>(chunked.field_tag(i++).field()));
      if (field == nullptr)
        return InvalidInput(message->GetDescriptor()->name() + " lacks the field of a chunk");
      const FieldIndex* element =
          field->is_repeated() && i < chunked.field_tag_size() ? &chunked.field_tag(i++) : nullptr;
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
        if (i < chunked.field_tag_size()) return InvalidInput("a chunk within bytes");
        return AppendText(chunked.message(), field, element, message);
      }
      DRAGOMAN_ASSIGN(message, Inner(field, element, message));
    }
    return Read(chunked.message(), message);
  }

  // The message in a field, or in an element of one.
  static Result<Message*> Inner(const FieldDescriptor* field, const FieldIndex* element,
                                Message* message) {
    const Reflection* reflection = message->GetReflection();
    if (!field->is_repeated()) return reflection->MutableMessage(message, field);
    if (field->is_map()) return MapValue(field, element, message);
    if (element == nullptr) return reflection->AddMessage(message, field);
    if (!element->has_index()) return InvalidInput("a chunk without its place in a list");
    const int size = reflection->FieldSize(*message, field);
    if (element->index() > static_cast<std::uint64_t>(size) + kMaxGap)
      return InvalidInput("a chunk far beyond the end of its list");
    const auto index = static_cast<int>(element->index());
    DRAGOMAN_TRY(Extend(field, index, message));
    return reflection->MutableRepeatedMessage(message, field, index);
  }

  // The value of a key of text.
  static Result<Message*> MapValue(const FieldDescriptor* field, const FieldIndex* element,
                                   Message* message) {
    const FieldDescriptor* key = field->message_type()->map_key();
    const FieldDescriptor* value = field->message_type()->map_value();
    const bool fits = element != nullptr && element->has_map_key() &&
                      key->cpp_type() == FieldDescriptor::CPPTYPE_STRING &&
                      value->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (!fits) return InvalidInput("a chunk without its key in " + field->name());
    const std::string& name = element->map_key().s();
    const Reflection* reflection = message->GetReflection();
    const int size = reflection->FieldSize(*message, field);
    DRAGOMAN_TRY(TakeSteps(static_cast<std::uint64_t>(size)));
    Message* entry = nullptr;
    for (int i = 0; i < size && entry == nullptr; ++i) {
      Message* some = reflection->MutableRepeatedMessage(message, field, i);
      if (some->GetReflection()->GetString(*some, key) == name) entry = some;
    }
    if (entry == nullptr) {
      entry = reflection->AddMessage(message, field);
      entry->GetReflection()->SetString(entry, key, name);
    }
    return entry->GetReflection()->MutableMessage(entry, value);
  }

  // Bytes come in one chunk or in several.
  Status AppendText(const ChunkedMessage& chunked, const FieldDescriptor* field,
                    const FieldIndex* element, Message* message) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING || chunked.chunked_fields_size() > 0)
      return Unsupported("a chunk for " + field->name());
    DRAGOMAN_ASSIGN(std::string chunk, Chunk(chunked));
    const Reflection* reflection = message->GetReflection();
    if (!field->is_repeated()) {
      DRAGOMAN_ASSIGN(std::string text, Joined(reflection->GetString(*message, field), chunk));
      reflection->SetString(message, field, std::move(text));
      return {};
    }
    const int size = reflection->FieldSize(*message, field);
    const auto end = static_cast<std::uint64_t>(size);
    const std::uint64_t index = element != nullptr && element->has_index() ? element->index() : end;
    if (index > end) return InvalidInput("a chunk beyond the end of its list");
    if (index == end) {
      reflection->AddString(message, field, std::move(chunk));
      return {};
    }
    const int at = static_cast<int>(index);
    DRAGOMAN_ASSIGN(std::string text,
                    Joined(reflection->GetRepeatedString(*message, field, at), chunk));
    reflection->SetRepeatedString(message, field, at, std::move(text));
    return {};
  }

  // What is there is copied for each chunk, so that it draws on the budget.
  static Result<std::string> Joined(std::string text, const std::string& chunk) {
    DRAGOMAN_TRY(TakeExpanded(chunk.size(), text.size()));
    return std::move(text) + chunk;
  }

  RiegeliFile& file_;
  const tf_pb::ChunkMetadata& metadata_;
  std::set<std::uint64_t> used_;  // the chunks that stand somewhere
};

}  // namespace

Status ReadChunkedSavedModel(std::span<const std::byte> file, tf_pb::SavedModel* message) {
  DRAGOMAN_ASSIGN(RiegeliFile records, RiegeliFile::Open(file));
  DRAGOMAN_ASSIGN(const std::string last, records.LastRecord());
  tf_pb::ChunkMetadata metadata;
  DRAGOMAN_TRY(Merge(last, &metadata));
  return Merger(records, metadata).Read(metadata.message(), message);
}

}  // namespace dragoman::tf_reader
