// SPDX-License-Identifier: Apache-2.0
// TypeProto to Type.
#ifndef DRAGOMAN_IMPORTERS_ONNX_TAKE_TYPE_H_
#define DRAGOMAN_IMPORTERS_ONNX_TAKE_TYPE_H_

#include "core/ir/type.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_reader {

// What of `message` a Type can express; it is taken out, and what remains is for `extra`. dim_param
// becomes a symbol of that very name, "?" and negative sizes unknown dims. What nests deeper than
// Type::kMaxNesting remains whole.
Type TakeType(onnx_pb::TypeProto* message);

}  // namespace dragoman::onnx_reader

#endif  // DRAGOMAN_IMPORTERS_ONNX_TAKE_TYPE_H_
