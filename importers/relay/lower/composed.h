// SPDX-License-Identifier: Apache-2.0
// Calls that compute one operator of the common dialect, as codegen/relay/composed.h remarks on
// them.
#ifndef DRAGOMAN_IMPORTERS_RELAY_LOWER_COMPOSED_H_
#define DRAGOMAN_IMPORTERS_RELAY_LOWER_COMPOSED_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/model.h"
#include "core/lowering/composed.h"
#include "core/support/result.h"

namespace dragoman {

// The digests of the remarks of @main, in order; "" where what a remark names is not there, or
// takes more than its operands.
Result<std::vector<std::string>> DigestsOfComposedCalls(std::string_view text);

namespace relay {

// The remarks of all entries that hold.
ComposedNodes FindComposed(const Model& source);

}  // namespace relay
}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_RELAY_LOWER_COMPOSED_H_
