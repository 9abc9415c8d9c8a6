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

// How far floating numbers may be from those recorded: |a - b| <= absolute + relative * |b|.
struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-7;
};

// What differs first, or nullopt. Kinds, element types and sizes are to be the same, and so is
// whatever is not a floating number; NaN is equal to NaN.
std::optional<std::string> FindDifference(const RuntimeValue& computed,
                                          const RuntimeValue& recorded, const Tolerance& tolerance);

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_CONFORMANCE_ONNX_VALUES_H_
