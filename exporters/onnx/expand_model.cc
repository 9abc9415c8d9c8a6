// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/expand_model.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/support/bytes.h"
#include "core/support/wire_reader.h"
#include "proto/onnx/extra.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_writer {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

std::span<const std::byte> AsBytes(std::string_view text) { return std::as_bytes(std::span(text)); }

bool MayHoldTensors(const Descriptor* type) {
  static const std::array<const Descriptor*, 7> kTypes = {
      onnx_pb::GraphProto::descriptor(),        onnx_pb::NodeProto::descriptor(),
      onnx_pb::AttributeProto::descriptor(),    onnx_pb::TensorProto::descriptor(),
      onnx_pb::SparseTensorProto::descriptor(), onnx_pb::FunctionProto::descriptor(),
      onnx_pb::TrainingInfoProto::descriptor()};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

// What becomes of a field of a message of type `type`.
enum class Treatment { kCopy, kDescend, kReplace };

Treatment TreatmentOf(const Descriptor& type, const WireField& field) {
  if (field.type != WireType::kBytes) return Treatment::kCopy;
  const FieldDescriptor* known = type.FindFieldByNumber(static_cast<int>(field.number));
  if (known == nullptr) return Treatment::kCopy;
  if (known->type() == FieldDescriptor::TYPE_MESSAGE) {
    return MayHoldTensors(known->message_type()) ? Treatment::kDescend : Treatment::kCopy;
  }
  const bool is_raw_data = &type == onnx_pb::TensorProto::descriptor() &&
                           field.number == onnx_pb::TensorProto::kRawDataFieldNumber;
  return is_raw_data ? Treatment::kReplace : Treatment::kCopy;
}

std::string HeaderOf(std::uint32_t number, std::uint64_t size) {
  std::string header;
  AppendTag(number, WireType::kBytes, &header);
  AppendVarint(size, &header);
  return header;
}

const Descriptor& TypeOf(const Descriptor& parent, const WireField& field) {
  return *parent.FindFieldByNumber(static_cast<int>(field.number))->message_type();
}

// Both walks recurse into messages, at most kMaxMessageNesting deep, and meet them in the same
// order.
class Measurer {
 public:
  Measurer(const Bulk& bulk, std::vector<std::uint64_t>* sizes) : bulk_(bulk), sizes_(*sizes) {}

  Status Measure(const Descriptor& type, std::span<const std::byte> message, int levels) {
    if (levels == 0) return Unsupported("graphs nest too deeply for an ONNX file");
    const std::size_t slot = sizes_.size();
    sizes_.push_back(0);
    WireReader reader(message);
    std::uint64_t size = 0;
    while (!reader.done()) {
      DRAGOMAN_ASSIGN(const WireField field, reader.Next(onnx_extra::kMaxMessageNesting));
      DRAGOMAN_ASSIGN(const std::uint64_t field_size, MeasureField(type, field, levels));
      size += field_size;
    }
    sizes_[slot] = size;
    return {};
  }

 private:
  Result<std::uint64_t> MeasureField(const Descriptor& type, const WireField& field, int levels) {
    const Treatment treatment = TreatmentOf(type, field);
    if (treatment == Treatment::kCopy) return field.whole.size();
    std::uint64_t size = 0;
    if (treatment == Treatment::kReplace) {
      size = bulk_.Window(AsText(field.payload)).size();
    } else {
      const std::size_t slot = sizes_.size();
      DRAGOMAN_TRY(Measure(TypeOf(type, field), field.payload, levels - 1));
      size = sizes_[slot];
    }
    return HeaderOf(field.number, size).size() + size;
  }

  const Bulk& bulk_;
  std::vector<std::uint64_t>& sizes_;
};

class Expander {
 public:
  Expander(const Bulk& bulk, const std::vector<std::uint64_t>& sizes,
           const ModelExpander::Sink& sink)
      : bulk_(bulk), sizes_(sizes), sink_(sink) {}

  Status Expand(const Descriptor& type, std::span<const std::byte> message) {
    ++next_;
    WireReader reader(message);
    while (!reader.done()) {
      DRAGOMAN_ASSIGN(const WireField field, reader.Next(onnx_extra::kMaxMessageNesting));
      DRAGOMAN_TRY(ExpandField(type, field));
    }
    return {};
  }

 private:
  Status ExpandField(const Descriptor& type, const WireField& field) {
    switch (TreatmentOf(type, field)) {
      case Treatment::kCopy:
        return sink_(field.whole);
      case Treatment::kReplace: {
        const std::span<const std::byte> window = bulk_.Window(AsText(field.payload));
        DRAGOMAN_TRY(sink_(AsBytes(HeaderOf(field.number, window.size()))));
        return sink_(window);
      }
      case Treatment::kDescend:
        break;
    }
    DRAGOMAN_TRY(sink_(AsBytes(HeaderOf(field.number, sizes_[next_]))));
    return Expand(TypeOf(type, field), field.payload);
  }

  const Bulk& bulk_;
  const std::vector<std::uint64_t>& sizes_;
  const ModelExpander::Sink& sink_;
  std::size_t next_ = 0;  // the message that comes next
};

}  // namespace

Result<ModelExpander> ModelExpander::Make(const std::string& message, const Bulk& bulk) {
  ModelExpander expander(message, bulk);
  DRAGOMAN_TRY(Measurer(bulk, &expander.sizes_)
                   .Measure(*onnx_pb::ModelProto::descriptor(), AsBytes(message),
                            onnx_extra::kMaxMessageNesting + 1));
  return expander;
}

Status ModelExpander::Write(const Sink& sink) const {
  return Expander(*bulk_, sizes_, sink)
      .Expand(*onnx_pb::ModelProto::descriptor(), AsBytes(*message_));
}

}  // namespace dragoman::onnx_writer
