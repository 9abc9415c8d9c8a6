// SPDX-License-Identifier: Apache-2.0
// The one field of ONNX messages whose bytes are kept out of protobuf's hands.
#ifndef DRAGOMAN_PROTO_ONNX_RAW_DATA_H_
#define DRAGOMAN_PROTO_ONNX_RAW_DATA_H_

#include <google/protobuf/descriptor.h>

#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_pb {

inline bool IsRawData(const google::protobuf::FieldDescriptor& field) {
  return field.containing_type() == TensorProto::descriptor() &&
         field.number() == TensorProto::kRawDataFieldNumber;
}

}  // namespace dragoman::onnx_pb

#endif  // DRAGOMAN_PROTO_ONNX_RAW_DATA_H_
