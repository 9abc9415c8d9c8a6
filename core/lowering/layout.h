// SPDX-License-Identifier: Apache-2.0
// Layouts: "NCHW", "HWIO", "NCHW4c", where a number and a small letter split an axis in blocks.
#ifndef DRAGOMAN_CORE_LOWERING_LAYOUT_H_
#define DRAGOMAN_CORE_LOWERING_LAYOUT_H_

#include <string_view>

#include "core/lowering/composer.h"

namespace dragoman {

// `x` in layout `from` as it is in layout `to`. Fails for layouts of other axes, for a rank that is
// not that of `from`, and for axes that the blocks do not divide.
Value* ToLayout(Composer& c, Value* x, std::string_view from, std::string_view to);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_LAYOUT_H_
