// SPDX-License-Identifier: Apache-2.0
// The instances of Cast are many: one file a group of operand types makes them.
#ifndef DRAGOMAN_CORE_INTERPRETER_CAST_KERNELS_H_
#define DRAGOMAN_CORE_INTERPRETER_CAST_KERNELS_H_

#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/cast.h"

namespace dragoman {

using SmallNumbers =
    Plus<Float8s, Types<rt::Float8E8M0, rt::Float4E2M1, rt::Int4, rt::UInt4, rt::Int2, rt::UInt2>>;
using Castable = Plus<Plus<Numbers, SmallNumbers>, Plus<Bool, String>>;

// Cast<From, To> for From of `Operands` and To of all element types but complex.
template <class Operands>
void AddCasts(KernelTable& table) {
  Add<Operands, Castable>(
      table, "Cast", []<class From, class To>() { return DRAGOMAN_KERNEL_ENTRY(Cast, From, To); });
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_CAST_KERNELS_H_
