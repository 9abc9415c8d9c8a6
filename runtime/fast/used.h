// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loops a program uses of those among which it chooses while it runs. codegen writes a file
// of this name for each program, so that others are not compiled (emit_used.h); this one has them
// all.
#ifndef DRAGOMAN_RUNTIME_FAST_USED_H_
#define DRAGOMAN_RUNTIME_FAST_USED_H_

#include <cstdint>

#include "runtime/fast/post_ops.h"

namespace dragoman::rt {

// Whether the activation follows an operator.
constexpr bool IsUsed(FusedActivation /*activation*/) { return true; }

// The most rows that a tile of a product has (panel_tile.h).
inline constexpr std::int64_t kUsedTileRows = 8;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_USED_H_
