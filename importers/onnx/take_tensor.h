// SPDX-License-Identifier: Apache-2.0
// TensorProto and SparseTensorProto to Tensor and SparseTensor.
#ifndef DRAGOMAN_IMPORTERS_ONNX_TAKE_TENSOR_H_
#define DRAGOMAN_IMPORTERS_ONNX_TAKE_TENSOR_H_

#include <optional>
#include <string>
#include <vector>

#include "core/ir/tensor.h"
#include "importers/onnx/read_context.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_reader {

// Takes element type, sizes and elements out of `message`; name, doc string, external_data and the
// like remain. raw_data and external data become windows on their files. The encoding
// (proto/onnx/extra.h) is appended to `encodings`.
//
// nullopt, and `message` is as it was, if it says something that a Tensor cannot: an unknown
// element type, a segment, data in the wrong or in several fields, numbers beyond the element type,
// no data at all. Errors: a number of elements other than the sizes give; external data that cannot
// be had.
Result<std::optional<Tensor>> TakeTensor(onnx_pb::TensorProto* message, const Place& place,
                                         ReadContext& context, std::vector<std::string>* encodings);

// The same; two encodings.
Result<std::optional<SparseTensor>> TakeSparseTensor(onnx_pb::SparseTensorProto* message,
                                                     const Place& place, ReadContext& context,
                                                     std::vector<std::string>* encodings);

// Notes `encodings` in `extra`, unless all are the usual ones.
void AppendEncodings(const std::vector<std::string>& encodings, Extra* extra);

}  // namespace dragoman::onnx_reader

#endif  // DRAGOMAN_IMPORTERS_ONNX_TAKE_TENSOR_H_
