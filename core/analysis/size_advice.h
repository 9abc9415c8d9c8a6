// SPDX-License-Identifier: Apache-2.0
// What to do about sizes that are known at run time only.
#ifndef DRAGOMAN_CORE_ANALYSIS_SIZE_ADVICE_H_
#define DRAGOMAN_CORE_ANALYSIS_SIZE_ADVICE_H_

#include <string>
#include <string_view>

#include "core/ir/graph.h"

namespace dragoman {

// `why`, for which a target refuses `node`. If that is something known at run time only, and inputs
// of the entry have open sizes, it names the option that states these.
std::string WithSizeAdvice(std::string_view why, const Node& node);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_ANALYSIS_SIZE_ADVICE_H_
