// SPDX-License-Identifier: Apache-2.0
// The messages of a repeated field, parsed already or each when it is asked for.
#ifndef DRAGOMAN_IMPORTERS_ONNX_MESSAGES_H_
#define DRAGOMAN_IMPORTERS_ONNX_MESSAGES_H_

#include <google/protobuf/repeated_field.h>

#include <string_view>

#include "importers/onnx/reduce_model.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_reader {

template <class Message>
class Messages {
 public:
  explicit Messages(google::protobuf::RepeatedPtrField<Message>* parsed) : parsed_(parsed) {}
  explicit Messages(const WireMessages& wire) : wire_(&wire) {}

  int size() const {
    return parsed_ != nullptr ? parsed_->size() : static_cast<int>(wire_->size());
  }
  // Which may be emptied. It may hold only until another one is asked for; asked for again, it may
  // be whole again.
  Message* Get(int i) {
    if (parsed_ != nullptr) return parsed_->Mutable(i);
    const std::string_view bytes = (*wire_)[static_cast<std::size_t>(i)];
    if (!current_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) damaged_ = true;
    return &current_;
  }
  void Clear() {
    if (parsed_ != nullptr) parsed_->Clear();
  }
  // Whether one that was asked for could not be parsed.
  bool damaged() const { return damaged_; }

 private:
  google::protobuf::RepeatedPtrField<Message>* parsed_ = nullptr;
  const WireMessages* wire_ = nullptr;
  Message current_;
  bool damaged_ = false;
};

// What a graph may have a million of.
struct GraphMessages {
  explicit GraphMessages(onnx_pb::GraphProto* graph)
      : nodes(graph->mutable_node()),
        outputs(graph->mutable_output()),
        value_info(graph->mutable_value_info()) {}
  // Of the main graph.
  explicit GraphMessages(const ReducedModel& model)
      : nodes(model.nodes), outputs(model.outputs), value_info(model.value_info) {}

  Messages<onnx_pb::NodeProto> nodes;
  Messages<onnx_pb::ValueInfoProto> outputs, value_info;
};

}  // namespace dragoman::onnx_reader

#endif  // DRAGOMAN_IMPORTERS_ONNX_MESSAGES_H_
