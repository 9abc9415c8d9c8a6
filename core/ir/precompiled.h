// SPDX-License-Identifier: Apache-2.0
// What nearly every file above core/ir includes, compiled once per build; see dragoman_precompile
// in cmake/CompilerSettings.cmake. Standard headers and the graph only: whatever is added here
// rebuilds everything when it changes.
#ifndef DRAGOMAN_CORE_IR_PRECOMPILED_H_
#define DRAGOMAN_CORE_IR_PRECOMPILED_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/ir/graph.h"

#endif  // DRAGOMAN_CORE_IR_PRECOMPILED_H_
