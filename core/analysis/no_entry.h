// SPDX-License-Identifier: Apache-2.0
// What to say where a model has no entry of a name that the user gave.
#ifndef DRAGOMAN_CORE_ANALYSIS_NO_ENTRY_H_
#define DRAGOMAN_CORE_ANALYSIS_NO_ENTRY_H_

#include <string_view>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// "the model has no entry 'forwrad' (did you mean 'forward'?); its entries are 'forward', 'reset'"
Error NoEntry(const Model& model, std::string_view name);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_ANALYSIS_NO_ENTRY_H_
