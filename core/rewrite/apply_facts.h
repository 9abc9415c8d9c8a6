// SPDX-License-Identifier: Apache-2.0
// States what the user says about the inputs of a model that is common already.
#ifndef DRAGOMAN_CORE_REWRITE_APPLY_FACTS_H_
#define DRAGOMAN_CORE_REWRITE_APPLY_FACTS_H_

#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// A copy of `common` (tensors are shared) whose inputs have the types that `facts` give them and
// whose other types are inferred from these; of its entries only facts.entry, if set. Facts name
// inputs of the default entry; those of other entries that are called the same get the same.
// Errors: an entry or an input that does not exist; sizes that contradict a declared rank, or that
// an operator refuses.
Result<Model> ApplyFactsToModel(const Model& common, const Facts& facts);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_APPLY_FACTS_H_
