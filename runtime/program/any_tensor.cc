// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/any_tensor.h"

#include "runtime/program/error.h"
#include "runtime/program/sizes.h"

namespace dragoman::rt {

const ElementType* FindElementType(const std::string& name) {
  for (const ElementType& type : kElementTypes) {
    if (name == type.name) return &type;
  }
  return nullptr;
}

void AnyTensor::Resize(const char* type_name, const Shape& sizes) {
  type = FindElementType(type_name);
  if (type == nullptr) throw Error(std::string("no such element type: ") + type_name);
  std::int64_t total = 0;
  ThrowIfError(CheckedBytes(sizes, type->bytes == 0 ? sizeof(std::string) : type->bytes, &total));
  shape = sizes;
  bytes.clear();
  strings.clear();
  if (type->bytes == 0) {
    strings.resize(static_cast<std::size_t>(size()));
  } else {
    bytes.resize(static_cast<std::size_t>(total));
  }
}

}  // namespace dragoman::rt
