// SPDX-License-Identifier: Apache-2.0
// Suppression of boxes one by one, where the operator of the common dialect cannot express it.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_SUPPRESSION_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_SUPPRESSION_H_

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// Boxes (n, 4) and their scores (n), float32; the rest are numbers of rank 0.
struct SoftSuppression {
  Value* boxes = nullptr;
  Value* scores = nullptr;
  Value* most = nullptr;     // how many are kept, int64
  Value* overlap = nullptr;  // what overlaps more with one that is kept does not count any more
  Value* least = nullptr;    // the score that one must exceed
  Value* sigma = nullptr;    // 0: scores do not fade
};

struct KeptBoxes {
  Value* places = nullptr;  // int64, the best first
  Value* scores = nullptr;
};

// Keeps the best box, lets the scores of others fade by how much they overlap with it,
// s · exp(-overlap² / (2 · sigma)), and so on.
KeptBoxes SuppressSoftly(Call& c, const SoftSuppression& given);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_SUPPRESSION_H_
