#include "core/interpreter/kernel_call.h"

namespace dragoman::kernel_internal {
namespace {

// The next of `arrays`, or an absent one behind the last.
const Array& Next(std::span<const Array> arrays, std::size_t* next) {
  static const Array kAbsent;
  return *next < arrays.size() ? arrays[(*next)++] : kAbsent;
}

}  // namespace

const Array& Cursor::NextOperand() { return Next(arguments.operands, &operand); }

const Array& Cursor::NextResult() { return Next(arguments.results, &result); }

}  // namespace dragoman::kernel_internal
