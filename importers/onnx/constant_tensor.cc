// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/constant_tensor.h"

#include <string>

#include "core/ir/densify.h"

namespace dragoman {

Result<Tensor> ConstantTensor(const Attribute& attribute) {
  if (const Tensor* tensor = attribute.tensor()) return *tensor;
  if (const SparseTensor* sparse = attribute.sparse_tensor()) return Densify(*sparse);
  if (const auto* value = attribute.As<std::int64_t>()) return Tensor::Int(*value);
  if (const auto* value = attribute.As<float>()) return Tensor::Float(*value);
  if (const auto* value = attribute.As<std::string>()) return Tensor::MakeStrings({}, {*value});
  if (const auto* values = attribute.As<Attribute::Ints>()) return Tensor::Ints(*values);
  if (const auto* values = attribute.As<Attribute::Floats>()) {
    return Tensor::Of<float>({static_cast<std::int64_t>(values->size())}, *values);
  }
  if (const auto* values = attribute.As<Attribute::Strings>()) {
    return Tensor::MakeStrings({static_cast<std::int64_t>(values->size())}, *values);
  }
  return InvalidInput("a Constant cannot hold a " + std::string(Name(attribute.kind())));
}

}  // namespace dragoman
