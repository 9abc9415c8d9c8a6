// SPDX-License-Identifier: Apache-2.0
// Stack traces of Python, as exporters write them to say where a node came from.
#ifndef DRAGOMAN_CORE_IR_STACK_TRACE_H_
#define DRAGOMAN_CORE_IR_STACK_TRACE_H_

#include <string_view>

#include "core/ir/origin.h"

namespace dragoman {

// Gives `op` the innermost frame of `trace`, outermost first, as its location ("policy.py:87") and
// attribute source_line, the others as called_from. Frames of code that is in no file are left out.
// Files of the installed `package` are called by their path in it ("package/nn/functional.py").
void SetLocation(SourceOp& op, std::string_view trace, std::string_view package);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_STACK_TRACE_H_
