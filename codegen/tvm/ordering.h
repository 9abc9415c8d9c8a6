// SPDX-License-Identifier: Apache-2.0
// Which element types TVM puts into order.
#ifndef DRAGOMAN_CODEGEN_TVM_ORDERING_H_
#define DRAGOMAN_CODEGEN_TVM_ORDERING_H_

#include "core/ir/dtype.h"

namespace dragoman::tvm {

// The element type as which topk and argsort order elements of `dtype`: floats as they are,
// integers as i32 or i64. Those of u64, which neither holds, are moved by -2^63.
inline DType OrderedAs(DType dtype) {
  if (!IsInteger(dtype)) return dtype;
  const DTypeInfo& info = Info(dtype);
  return info.bits + (info.is_signed ? 0 : 1) <= 32 ? DType::kI32 : DType::kI64;
}

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_CODEGEN_TVM_ORDERING_H_
