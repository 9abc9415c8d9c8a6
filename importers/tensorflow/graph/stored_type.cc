// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/stored_type.h"

#include <optional>

#include "core/ir/type.h"
#include "proto/tensorflow/data_type.h"

namespace dragoman::tf {

DType StoredType(const Attribute& attribute) {
  const auto* type = attribute.As<Type>();
  const std::optional<int> number =
      type != nullptr ? tf_codec::DataTypeOf(*type) : std::optional<int>();
  return number ? tf_codec::StorageOf(*number) : DType::kUnknown;
}

}  // namespace dragoman::tf
