// SPDX-License-Identifier: Apache-2.0
// Losses, which importers of training graphs write in both of TVM's languages.
#ifndef DRAGOMAN_IMPORTERS_TVM_LOSS_H_
#define DRAGOMAN_IMPORTERS_TVM_LOSS_H_

#include <cstdint>
#include <string>

#include "core/lowering/composer.h"

namespace dragoman::tvm {

struct NllLoss {
  Value* x = nullptr;        // logarithms of probabilities, (images, classes, …) or (classes)
  Value* targets = nullptr;  // the class of each place, int64
  Value* weights = nullptr;  // of classes; nullptr: 1
  std::string reduction;     // mean (by weight), sum or none
  std::int64_t ignored = 0;  // the target of places that do not count
};
Value* LossOf(Composer& c, const NllLoss& loss);

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_IMPORTERS_TVM_LOSS_H_
