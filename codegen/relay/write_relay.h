// SPDX-License-Identifier: Apache-2.0
// Makes a common model a Relay module for TVM 0.8 to 0.18, which write_source.h writes: text of
// version 0.0.5, and the weights beside it.
#ifndef DRAGOMAN_CODEGEN_RELAY_WRITE_RELAY_H_
#define DRAGOMAN_CODEGEN_RELAY_WRITE_RELAY_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/model.h"
#include "core/ops/op_support.h"
#include "core/support/result.h"

namespace dragoman {

// How a module has nodes of operator `def`, with some attributes at least.
OpSupport RelaySupport(const OpDef& def);

// Takes a line on what is left out of a module.
using RelayNote = std::function<void(std::string_view)>;

// Gives the digests of what @main remarks on calls that are one operator (composed.h), in order.
// Not set: there are no remarks.
using RelayDigests = std::function<Result<std::vector<std::string>>(std::string_view text)>;

// The source model of dialect relay. The default entry is @main; weights are parameters with
// contents after the true inputs. A state is an input and a result. Sizes that are not known are
// `?`. Other entries are left out, with a note, where Relay cannot express them; so
// are effects.
// Errors: unsupported, listing every node of the default entry that Relay cannot express.
Result<Model> EmitRelay(const Model& model, const RelayNote& note = {},
                        const RelayDigests& digests = {});

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_RELAY_WRITE_RELAY_H_
