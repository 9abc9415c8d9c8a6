// SPDX-License-Identifier: Apache-2.0
// Values of ONNX test-data sets: files that hold one TensorProto, SequenceProto or OptionalProto.
#ifndef DRAGOMAN_IMPORTERS_ONNX_READ_VALUE_H_
#define DRAGOMAN_IMPORTERS_ONNX_READ_VALUE_H_

#include <string>

#include "core/ir/attribute.h"
#include "core/ir/type.h"
#include "core/support/result.h"

namespace dragoman {

// The value in the file `path`, which does not say of which kind it is: `type` decides. A tensor, a
// List of values for a sequence, None for an optional that holds nothing. A map is the List of its
// keys, ascending, and its values; a list of maps with the same keys that of the keys and a matrix,
// a row a map. Errors: the file cannot be read as such a value.
Result<Attribute> ReadOnnxValue(const std::string& path, const Type& type);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_READ_VALUE_H_
