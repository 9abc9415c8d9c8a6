// SPDX-License-Identifier: Apache-2.0
// The functions and constructors of TVM's prelude, which a module may call without holding them.
#ifndef DRAGOMAN_IMPORTERS_RELAY_LOWER_PRELUDE_H_
#define DRAGOMAN_IMPORTERS_RELAY_LOWER_PRELUDE_H_

#include "core/ir/model.h"

namespace dragoman::relay {

// Lists, options and trees, and what folds, maps and searches them, as functions of domain global.
const Model& Prelude();

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_LOWER_PRELUDE_H_
