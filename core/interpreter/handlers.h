// SPDX-License-Identifier: Apache-2.0
// The handlers of nodes that are more than a kernel call; see NodeHandler in interpreter.h.
#ifndef DRAGOMAN_CORE_INTERPRETER_HANDLERS_H_
#define DRAGOMAN_CORE_INTERPRETER_HANDLERS_H_

#include <span>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/support/result.h"

namespace dragoman {

#define DRAGOMAN_HANDLER(NAME)                                                                     \
  Result<std::vector<RuntimeValue>> NAME(const Node& node, std::span<const RuntimeValue> operands, \
                                         const Execution& execution, const Frame& frame)

// control_flow.cc
DRAGOMAN_HANDLER(RunFused);
DRAGOMAN_HANDLER(RunIf);
DRAGOMAN_HANDLER(RunLoop);
DRAGOMAN_HANDLER(RunScan);

// effect.cc
DRAGOMAN_HANDLER(RunAssert);
DRAGOMAN_HANDLER(RunPrint);

// sequence.cc
DRAGOMAN_HANDLER(RunConcatFromSequence);
DRAGOMAN_HANDLER(RunIdentity);
DRAGOMAN_HANDLER(RunOptional);
DRAGOMAN_HANDLER(RunOptionalGetElement);
DRAGOMAN_HANDLER(RunOptionalHasElement);
DRAGOMAN_HANDLER(RunSequenceAt);
DRAGOMAN_HANDLER(RunSequenceConstruct);
DRAGOMAN_HANDLER(RunSequenceEmpty);
DRAGOMAN_HANDLER(RunSequenceErase);
DRAGOMAN_HANDLER(RunSequenceInsert);
DRAGOMAN_HANDLER(RunSequenceLength);
DRAGOMAN_HANDLER(RunSplitToSequence);

#undef DRAGOMAN_HANDLER

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_HANDLERS_H_
