// SPDX-License-Identifier: Apache-2.0
// The lowering functions of random numbers, as lowerings.h lists the others.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_RANDOM_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_RANDOM_LOWERINGS_H_

#include <vector>

#include "core/lowering/abstract.h"
#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// stateless_random.cc
Value* LowerStatelessUniform(Call& c);
Value* LowerStatelessUniformInt(Call& c);
Value* LowerStatelessUniformFullInt(Call& c);
Value* LowerStatelessNormal(Call& c);
Value* LowerStatelessTruncatedNormal(Call& c);

// random_state.cc
std::vector<Value*> LowerStatelessGetKeyCounter(Call& c);
Value* LowerStatelessGetAlg(Call& c);
std::vector<Abstract> LowerRngReadAndSkip(Call& c);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_RANDOM_LOWERINGS_H_
