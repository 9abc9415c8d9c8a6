// SPDX-License-Identifier: Apache-2.0
// The symbols that stand for sizes in a model.
#ifndef DRAGOMAN_CORE_IR_MODEL_SYMBOLS_H_
#define DRAGOMAN_CORE_IR_MODEL_SYMBOLS_H_

#include <set>
#include <string>

#include "core/ir/model.h"

namespace dragoman {

// Of the types of all values, those of bodies included.
std::set<std::string> SymbolsOf(const Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_MODEL_SYMBOLS_H_
