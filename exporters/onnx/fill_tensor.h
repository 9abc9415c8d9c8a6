// SPDX-License-Identifier: Apache-2.0
// Tensor and SparseTensor to TensorProto and SparseTensorProto.
#ifndef DRAGOMAN_EXPORTERS_ONNX_FILL_TENSOR_H_
#define DRAGOMAN_EXPORTERS_ONNX_FILL_TENSOR_H_

#include <string>
#include <string_view>

#include "core/ir/attribute.h"
#include "core/ir/tensor.h"
#include "exporters/onnx/write_context.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_writer {

// The encodings of the tensors of one attribute or initializer (proto/onnx/extra.h), handed out in
// order.
class Encodings {
 public:
  explicit Encodings(const Extra* extra);
  std::string_view Next() { return next_ < list_.size() ? std::string_view(list_[next_++]) : ""; }

 private:
  Attribute::Strings list_;
  std::size_t next_ = 0;
};

// Adds `tensor` to `message`, which may hold what a Tensor cannot. An encoding that does not
// suit the element type gives way to raw_data. context.options says where the data goes.
void FillTensor(const Tensor& tensor, std::string_view encoding, WriteContext* context,
                onnx_pb::TensorProto* message);

void FillSparseTensor(const SparseTensor& tensor, Encodings* encodings, WriteContext* context,
                      onnx_pb::SparseTensorProto* message);

}  // namespace dragoman::onnx_writer

#endif  // DRAGOMAN_EXPORTERS_ONNX_FILL_TENSOR_H_
