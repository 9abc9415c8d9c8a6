// SPDX-License-Identifier: Apache-2.0
// Whether a source graph of Relay has the form that the reader gives one. That of a graph text is
// whatever somebody wrote.
#ifndef DRAGOMAN_CODEGEN_RELAY_CHECK_SOURCE_H_
#define DRAGOMAN_CODEGEN_RELAY_CHECK_SOURCE_H_

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman::relay::emit {

// Errors: a graph without exactly one output; a node of several results; an operand, a result or a
// body that is missing, of each node.
Status CheckSource(const Model& model);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_CHECK_SOURCE_H_
