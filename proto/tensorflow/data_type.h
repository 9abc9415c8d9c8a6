// SPDX-License-Identifier: Apache-2.0
// TensorFlow's element types and shapes as types of the graph.
#ifndef DRAGOMAN_PROTO_TENSORFLOW_DATA_TYPE_H_
#define DRAGOMAN_PROTO_TENSORFLOW_DATA_TYPE_H_

#include <optional>

#include "core/ir/type.h"
#include "proto/tensorflow/tensorflow.pb.h"

namespace dragoman::tf_codec {

// DataType `number` as a type without a shape: "f32[*]"; what has no element type of ours is
// opaque: opaque<"tf", "resource">, "variant", "qint8", "ref f32", or its number. 0 is unknown.
Type TypeOfDataType(int number);
// The inverse; nullopt: no type that TypeOfDataType gives, but for its shape.
std::optional<int> DataTypeOf(const Type& type);
// What elements of DataType `number` are stored as: that of qint8 is i8. kUnknown: nothing of ours.
DType StorageOf(int number);

// Sizes: -1 is unknown. nullopt: names of sizes, sizes below -1, an unknown rank with sizes.
std::optional<Type> TypeOfShape(const tf_pb::TensorShapeProto& shape);
// The inverse for a type of any element type. false: sizes that are not numbers.
bool FillShape(const Type& type, tf_pb::TensorShapeProto* shape);
// A value's type from the two; the shape is left out if it is none of the above.
Type TypeOf(int data_type, const tf_pb::TensorShapeProto& shape);

}  // namespace dragoman::tf_codec

#endif  // DRAGOMAN_PROTO_TENSORFLOW_DATA_TYPE_H_
