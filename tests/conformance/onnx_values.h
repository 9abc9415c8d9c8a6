// SPDX-License-Identifier: Apache-2.0
// The values that ONNX's backend suite records: test_data_set_N/{input,output}_M.pb, each a
// serialised TensorProto, SequenceProto or OptionalProto, whichever the model's type says.
#ifndef DRAGOMAN_TESTS_CONFORMANCE_ONNX_VALUES_H_
#define DRAGOMAN_TESTS_CONFORMANCE_ONNX_VALUES_H_

#include <filesystem>
#include <optional>
#include <string>

#include "core/interpreter/array.h"
#include "core/ir/type.h"
#include "core/support/result.h"

namespace dragoman {

Result<RuntimeValue> ReadOnnxValue(const std::filesystem::path& path, const Type& type);

// What differs, or nullopt. Kinds, element types and sizes are to be the same, floating numbers
// close by the limits of ONNX's own runner, 1e-3 relative and 1e-7 absolute, all else equal.
std::optional<std::string> FindDifference(const RuntimeValue& computed,
                                          const RuntimeValue& recorded);

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_CONFORMANCE_ONNX_VALUES_H_
