// Which function of the runtime tells, and checks, the sizes of an operator's results at run time.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_SIZE_FUNCTIONS_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_SIZE_FUNCTIONS_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/ops/op_def.h"

namespace dragoman::onednn {

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
  std::string_view op;  // label; one ending in '*' stands for all that begin so
  std::string_view function;
  std::string_view header;
  std::string_view arguments;
  std::string_view types = {};  // template arguments, in the language of KernelBinding::types
  int sizes = 1;                // shapes that it gives; results beyond have the sizes of the first

  // Whether the function is given the sizes of operand `index`, and so refuses those that do not
  // fit.
  bool SeesOperand(std::size_t index) const;
};

// The words of a list that spaces separate, and the number behind the letter of one.
std::vector<std::string_view> Words(std::string_view text);
std::size_t IndexIn(std::string_view word);

// Whether it gives the sizes that all operands broadcast to.
bool IsBroadcast(const SizeFunction& function);

// nullptr if the results' sizes are those of the first operand, or follow from inference alone.
const SizeFunction* FindSizeFunction(const OpDef& def);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_SIZE_FUNCTIONS_H_
