// SPDX-License-Identifier: Apache-2.0
// Attributes back to the protobuf messages that they were made of (proto/onnx/extra.h).
#ifndef DRAGOMAN_EXPORTERS_ONNX_DICT_TO_MESSAGE_H_
#define DRAGOMAN_EXPORTERS_ONNX_DICT_TO_MESSAGE_H_

#include <google/protobuf/message.h>

#include <span>
#include <string_view>

#include "core/ir/attribute.h"
#include "core/support/result.h"
#include "exporters/onnx/bulk.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_writer {

// Sets a field of `message` for each entry. Errors: an entry that is not a field, or of another
// kind.
Status FillFromDict(const Attribute::Dict& entries, Bulk* bulk, google::protobuf::Message* message);

// The same for the entries "onnx.<field>", but for those in `special`. nullptr: there are none.
Status FillFromExtra(const Extra* extra, std::span<const std::string_view> special, Bulk* bulk,
                     google::protobuf::Message* message);

// What `messages` say belongs to a list of `size` elements: if they are not as many, it is
// dropped.
template <class T>
void FitSize(std::size_t size, google::protobuf::RepeatedPtrField<T>* messages) {
  if (static_cast<std::size_t>(messages->size()) == size) return;
  messages->Clear();
  for (std::size_t i = 0; i < size; ++i) messages->Add();
}

}  // namespace dragoman::onnx_writer

#endif  // DRAGOMAN_EXPORTERS_ONNX_DICT_TO_MESSAGE_H_
