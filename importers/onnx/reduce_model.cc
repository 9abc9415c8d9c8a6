// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/reduce_model.h"

#include <google/protobuf/descriptor.h>

#include <array>
#include <climits>
#include <cstdint>
#include <cstring>
#include <optional>

#include "core/support/bytes.h"
#include "core/support/wire_reader.h"
#include "proto/onnx/extra.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_reader {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

void AppendBytesField(std::uint32_t number, std::string_view payload, std::string* out) {
  AppendTag(number, WireType::kBytes, out);
  AppendVarint(payload.size(), out);
  out->append(payload);
}

std::size_t FixedWidth(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_FLOAT:
      return sizeof(float);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return sizeof(double);
    default:
      return 0;
  }
}

Error TooLarge() { return Unsupported("the model has more than 2 GB beside its raw tensor data"); }

// That the payload of a packed field is whole numbers.
Status CheckPacked(const FieldDescriptor& descriptor, const WireField& field) {
  if (const std::size_t width = FixedWidth(descriptor)) {
    if (field.payload.size() % width == 0) return {};
    return Error(Finding{ErrorKind::kInvalidInput,
                         {},
                         "byte " + std::to_string(field.payload_offset),
                         "damaged file: " + std::string(descriptor.full_name()) + " has " +
                             std::to_string(field.payload.size()) + " bytes, no multiple of " +
                             std::to_string(width)});
  }
  WireReader numbers(field.payload, field.payload_offset);
  while (!numbers.done()) {
    DRAGOMAN_ASSIGN([[maybe_unused]] const std::uint64_t number, numbers.NextVarint());
  }
  return {};
}

class Reducer {
 public:
  explicit Reducer(ReducedModel* model) : model_(model) {}

  // Appends the reduced form of a message of `type`. Recursion is bounded by `levels`.
  Status Reduce(const Descriptor& type, std::span<const std::byte> bytes, std::size_t base,
                int levels, std::string* out) {
    WireReader reader(bytes, base);
    while (!reader.done()) {
      DRAGOMAN_ASSIGN(const WireField field, reader.Next(levels));
      DRAGOMAN_TRY(ReduceField(type, field, levels, out));
    }
    return {};
  }

 private:
  Status ReduceField(const Descriptor& type, const WireField& field, int levels, std::string* out) {
    const FieldDescriptor* known = type.FindFieldByNumber(static_cast<int>(field.number));
    if (known == nullptr || field.type != WireType::kBytes) {
      out->append(AsText(field.whole));
    } else if (known->type() == FieldDescriptor::TYPE_MESSAGE) {
      if (WireMessages* apart = KeptApart(type, field, levels))
        return ReduceMessage(*known->message_type(), field, levels, apart);
      return ReduceMessage(*known->message_type(), field, levels, out);
    } else if (known == raw_data_) {
      AppendBytesField(field.number, NewToken(field.payload), out);
    } else {
      if (known->is_packable()) DRAGOMAN_TRY(CheckPacked(*known, field));
      out->append(AsText(field.whole));
    }
    return {};
  }

  // Where a field of the main graph is collected; nullptr: in the message itself.
  WireMessages* KeptApart(const Descriptor& type, const WireField& field, int levels) {
    const bool main = levels == onnx_extra::kMaxMessageNesting - 1;
    if (!main || &type != onnx_pb::GraphProto::descriptor()) return nullptr;
    switch (field.number) {
      case onnx_pb::GraphProto::kNodeFieldNumber:
        return &model_->nodes;
      case onnx_pb::GraphProto::kOutputFieldNumber:
        return &model_->outputs;
      case onnx_pb::GraphProto::kValueInfoFieldNumber:
        return &model_->value_info;
      default:
        return nullptr;
    }
  }

  static void Append(const WireField&, std::string_view message, WireMessages* out) {
    out->bytes += message;
    out->ends.push_back(out->bytes.size());
  }

  static void Append(const WireField& field, std::string_view message, std::string* out) {
    AppendBytesField(field.number, message, out);
  }

  template <class Out>
  Status ReduceMessage(const Descriptor& type, const WireField& field, int levels, Out* out) {
    if (levels == 0) {
      return Error(Finding{
          ErrorKind::kInvalidInput,
          {},
          "byte " + std::to_string(field.payload_offset),
          "messages nest more than " + std::to_string(onnx_extra::kMaxMessageNesting) + " deep"});
    }
    std::string& inner = inner_[static_cast<std::size_t>(levels - 1)];
    inner.clear();
    DRAGOMAN_TRY(Reduce(type, field.payload, field.payload_offset, levels - 1, &inner));
    if (inner.size() > INT_MAX) return TooLarge();
    Append(field, inner, out);
    return {};
  }

  std::string NewToken(std::span<const std::byte> window) {
    const std::uint64_t number = model_->windows.size();
    model_->windows.push_back(window);
    return {reinterpret_cast<const char*>(&number), sizeof number};
  }

  const FieldDescriptor* const raw_data_ = onnx_pb::TensorProto::descriptor()->FindFieldByNumber(
      onnx_pb::TensorProto::kRawDataFieldNumber);
  ReducedModel* model_;
  // The reduced message of each level that is being written; kept, since most are small.
  std::array<std::string, onnx_extra::kMaxMessageNesting> inner_;
};

}  // namespace

std::span<const std::byte> ReducedModel::Window(std::string_view token) const {
  std::uint64_t number = 0;
  std::memcpy(&number, token.data(), sizeof number);
  return windows[number];
}

Result<ReducedModel> ReduceModel(std::span<const std::byte> file) {
  ReducedModel model;
  DRAGOMAN_TRY(Reducer(&model).Reduce(*onnx_pb::ModelProto::descriptor(), file, 0,
                                      onnx_extra::kMaxMessageNesting, &model.message));
  if (model.message.size() > INT_MAX) return TooLarge();
  return model;
}

namespace {

// The `index`th message field `number` of `message`, nullopt if there is none.
std::optional<WireField> FindMessage(std::span<const std::byte> message, std::size_t base,
                                     int number, int index) {
  WireReader reader(message, base);
  while (!reader.done()) {
    Result<WireField> field = reader.Next(onnx_extra::kMaxMessageNesting);
    if (!field.ok()) return std::nullopt;
    if (field->number != static_cast<std::uint32_t>(number) || field->type != WireType::kBytes)
      continue;
    if (index-- == 0) return *field;
  }
  return std::nullopt;
}

}  // namespace

std::size_t FindOffset(std::span<const std::byte> file, const Place& place) {
  std::vector<const Place*> path;
  for (const Place* at = &place; at->parent != nullptr; at = at->parent) path.push_back(at);
  std::size_t offset = 0;
  for (; !path.empty(); path.pop_back()) {
    const auto field = FindMessage(file, offset, path.back()->field, path.back()->index);
    if (!field) break;
    file = field->payload;
    offset = field->payload_offset;
  }
  return offset;
}

}  // namespace dragoman::onnx_reader
