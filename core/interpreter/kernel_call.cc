// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_call.h"

namespace dragoman::kernel_internal {
namespace {

const Array& At(std::span<const Array> arrays, std::size_t place) {
  static const Array kAbsent;
  return place < arrays.size() ? arrays[place] : kAbsent;
}

}  // namespace

const Array& OperandAt(const KernelArguments& arguments, std::size_t place) {
  return At(arguments.operands, place);
}

const Array& ResultAt(const KernelArguments& arguments, std::size_t place) {
  return At(arguments.results, place);
}

}  // namespace dragoman::kernel_internal
