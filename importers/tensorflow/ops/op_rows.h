// SPDX-License-Identifier: Apache-2.0
// The rows of op_table.h, which are too many for one file. Each part is sorted by name, and all
// names of the first come before those of the second.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_OP_ROWS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_OP_ROWS_H_

#include <span>

#include "importers/tensorflow/ops/op_table.h"

namespace dragoman::tf {

std::span<const OpRow> OpRowsAToM();
std::span<const OpRow> OpRowsNToZ();

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_OP_ROWS_H_
