// SPDX-License-Identifier: Apache-2.0
// Where TensorFlow's random numbers come from: blocks of four words that Philox makes of a key and
// a counter, which a seed, or the state of a generator, gives.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_RANDOM_STATE_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_RANDOM_STATE_H_

#include "core/lowering/philox.h"
#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// Words of rank 0.
struct RandomState {
  PhiloxWords counter = {};
  PhiloxKeyWords key = {};
};

// Of operands 1 (seed), or 1 to 3 (key, counter, algorithm) in the operators of version 2. Fails
// for an algorithm that TensorFlow does not run on processors.
RandomState TakeRandomState(Call& c);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_RANDOM_STATE_H_
