// SPDX-License-Identifier: Apache-2.0
// Type to TypeProto.
#ifndef DRAGOMAN_EXPORTERS_ONNX_FILL_TYPE_H_
#define DRAGOMAN_EXPORTERS_ONNX_FILL_TYPE_H_

#include "core/ir/type.h"
#include "core/support/result.h"
#include "proto/onnx/onnx.pb.h"

namespace dragoman::onnx_writer {

// Adds what `type` says to `message`, which may hold what a Type cannot express. Sizes that are no
// plain symbol are written as expressions. Unsupported: tuples and control edges.
Status FillType(const Type& type, onnx_pb::TypeProto* message);

}  // namespace dragoman::onnx_writer

#endif  // DRAGOMAN_EXPORTERS_ONNX_FILL_TYPE_H_
