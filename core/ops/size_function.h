// SPDX-License-Identifier: Apache-2.0
// Which function of the runtime gives, and checks, the sizes of an operator's results at run time.
#ifndef DRAGOMAN_CORE_OPS_SIZE_FUNCTION_H_
#define DRAGOMAN_CORE_OPS_SIZE_FUNCTION_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace dragoman {

// `arguments` are words, in the function's order:
//   p    the parameter struct
//   sN   the shape of operand N
//   vN   the values of operand N, integers; fN: floats
//   xN   operand N itself
//   S    the shapes of all operands, and their number
//   gN   one list of the shapes of operands 0 to N
//   m    scratch memory
//   R    the results' shapes are one array, followed by their number
//   B    the shapes of all operands, in braces: rt::BroadcastShape
struct SizeFunction {
  std::string_view function = {};  // empty: none
  std::string_view header = {};
  std::string_view arguments = {};
  std::string_view types = {};  // template arguments, in the language of KernelBinding::types
  int sizes = 1;                // shapes that it gives; results beyond have the sizes of the first

  // Whether the function is given the sizes of operand `index`, and so refuses those that do not
  // fit.
  bool SeesOperand(std::size_t index) const;
};

// The sizes that all operands broadcast to.
inline constexpr SizeFunction kBroadcastSizes = {
    .function = "BroadcastShape", .header = "runtime/program/sizes.h", .arguments = "B"};

// The words of a list that spaces separate, and the number after the letter of one.
std::vector<std::string_view> SpacedWords(std::string_view text);
std::size_t IndexIn(std::string_view word);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_SIZE_FUNCTION_H_
