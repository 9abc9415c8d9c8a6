// SPDX-License-Identifier: Apache-2.0
#ifndef DRAGOMAN_PROTO_ONNX_OPSET_H_
#define DRAGOMAN_PROTO_ONNX_OPSET_H_

#include <cstdint>

namespace dragoman {

// The newest operator set of ai.onnx whose operators are known: that of onnx 1.23.
inline constexpr std::int64_t kNewestOnnxOpset = 28;

}  // namespace dragoman

#endif  // DRAGOMAN_PROTO_ONNX_OPSET_H_
