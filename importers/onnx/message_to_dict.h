// SPDX-License-Identifier: Apache-2.0
// Protobuf messages as attributes, for what the graph has no typed home for (proto/onnx/extra.h).
#ifndef DRAGOMAN_IMPORTERS_ONNX_MESSAGE_TO_DICT_H_
#define DRAGOMAN_IMPORTERS_ONNX_MESSAGE_TO_DICT_H_

#include <google/protobuf/message.h>

#include <functional>
#include <string>

#include "core/ir/attribute.h"
#include "core/ir/tensor.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_reader {

// The bytes that a raw_data token stands for.
using ResolveToken = std::function<Buffer(const std::string& token)>;

// Every field that is set, by number; unknown ones last. Messages nest no deeper than protobuf lets
// them.
Attribute::Dict ToDict(const google::protobuf::Message& message, const ResolveToken& resolve);

// The same with the prefix "onnx." on the outermost names.
Extra ToExtra(const google::protobuf::Message& message, const ResolveToken& resolve);

// Whether nothing at all is set, so that nothing remains to be kept.
inline bool IsEmpty(const google::protobuf::Message& message) {
  return message.ByteSizeLong() == 0;
}

// Clears `messages` if nothing is set in any of them.
template <class T>
void ClearIfAllEmpty(google::protobuf::RepeatedPtrField<T>* messages) {
  for (const T& message : *messages) {
    if (!IsEmpty(message)) return;
  }
  messages->Clear();
}

}  // namespace dragoman::onnx_reader

#endif  // DRAGOMAN_IMPORTERS_ONNX_MESSAGE_TO_DICT_H_
