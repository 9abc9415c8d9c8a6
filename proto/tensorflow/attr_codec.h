// SPDX-License-Identifier: Apache-2.0
// AttrValue as an attribute and back.
//
// | AttrValue | Attribute |
// | --- | --- |
// | s, i, f, b | string, int, float, bool |
// | type | a type without a shape (data_type.h) |
// | shape | a type with unknown elements |
// | tensor | a tensor (tensor_codec.h) |
// | list | a list of that kind; types and shapes are Types, bools and functions a mixed list, as is
// an empty one | | func | the Symbol of its name; with attributes {func = @name, attr = {…}} | |
// placeholder | a reference to an attribute of the function | | nothing | none |
//
// What an attribute cannot express is in its `extra`: of a tensor, as tensor_codec.h says; of all
// others the whole AttrValue, a Dict under kAsWritten, which counts as long as it still means the
// attribute's value.
#ifndef DRAGOMAN_PROTO_TENSORFLOW_ATTR_CODEC_H_
#define DRAGOMAN_PROTO_TENSORFLOW_ATTR_CODEC_H_

#include <google/protobuf/map.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/attribute.h"
#include "core/support/result.h"
#include "proto/tensorflow/tensorflow.pb.h"

namespace dragoman::tf_codec {

inline constexpr std::string_view kAsWritten = "tf.as_written";
// The keys of a function with attributes.
inline constexpr std::string_view kFunc = "func";
inline constexpr std::string_view kAttr = "attr";

using AttrMap = google::protobuf::Map<std::string, tf_pb::AttrValue>;

// Takes the elements of tensors out of `message`. Errors: those of DecodeTensor.
Result<NamedAttribute> DecodeAttr(std::string name, tf_pb::AttrValue* message);
// Errors: an attribute of a kind that AttrValue does not have.
Status EncodeAttr(const NamedAttribute& attribute, tf_pb::AttrValue* message);

// All attributes, by name.
Result<std::vector<NamedAttribute>> DecodeAttrs(AttrMap* messages);
Status EncodeAttrs(const std::vector<NamedAttribute>& attributes, AttrMap* messages);

}  // namespace dragoman::tf_codec

#endif  // DRAGOMAN_PROTO_TENSORFLOW_ATTR_CODEC_H_
