// SPDX-License-Identifier: Apache-2.0
// TensorProto as a Tensor and back.
//
// A Tensor is dense: where a message has fewer values than elements, the last value is repeated.
// What the Tensor cannot express stands beside it:
#ifndef DRAGOMAN_PROTO_TENSORFLOW_TENSOR_CODEC_H_
#define DRAGOMAN_PROTO_TENSORFLOW_TENSOR_CODEC_H_

#include <cstdint>
#include <string_view>

#include "core/ir/attribute.h"
#include "core/support/result.h"
#include "proto/tensorflow/tensorflow.pb.h"

namespace dragoman::tf_codec {

// How many values the field of its element type has ("float_val"), kInContent if tensor_content has
// them. Otherwise a single number and all strings are in that field, several numbers in
// tensor_content.
inline constexpr std::string_view kValues = "tf.values";
inline constexpr std::int64_t kInContent = -1;
// The number of the DataType, where it is not that of the Tensor's element type.
inline constexpr std::string_view kDataType = "tf.data_type";
// There if the message has no shape at all, which means rank 0.
inline constexpr std::string_view kNoShape = "tf.no_shape";
// What remains of the message, a Dict.
inline constexpr std::string_view kTensor = "tf.tensor";

// Takes the elements out of `message`. A tensor of resources or variants, or one that is not well
// formed in a way that TensorFlow would refuse when it runs (an unknown size, another number of
// elements), is a Dict of the message.
// Errors: unsupported, a constant that is described by fewer values, beyond the size budget.
Result<Attribute> DecodeTensor(tf_pb::TensorProto* message, Extra* extra);

// The inverse. Errors: an element type that TensorFlow does not have; extra that does not fit.
Status EncodeTensor(const Attribute& value, const Extra* extra, tf_pb::TensorProto* message);

}  // namespace dragoman::tf_codec

#endif  // DRAGOMAN_PROTO_TENSORFLOW_TENSOR_CODEC_H_
