// SPDX-License-Identifier: Apache-2.0
// Boxes that detectors found: which of them count, and which others suppress.
#ifndef DRAGOMAN_IMPORTERS_RELAY_OPS_SUPPRESSION_H_
#define DRAGOMAN_IMPORTERS_RELAY_OPS_SUPPRESSION_H_

#include "importers/relay/ops/call.h"

namespace dragoman::relay {

// Rows of (images, boxes, …) with those that `keep` (images, boxes) names first, in their order,
// and -1 after them.
struct Compacted {
  Value* rows = nullptr;
  Value* places = nullptr;  // (images, boxes) of int64: where each row was, -1 after them
  Value* count = nullptr;   // (images) of int64
};
Compacted Compact(Call& c, Value* rows, Value* keep);

// Row `places` (images, boxes) of each image of `rows` (images, boxes, …).
Value* RowsAt(Call& c, Value* rows, Value* places);

// Four values (images, boxes): the ends of boxes along both axes.
struct Boxes {
  Value* left = nullptr;
  Value* top = nullptr;
  Value* right = nullptr;
  Value* bottom = nullptr;
};
// Elements `first` to `first + 3` of the last axis of `rows`.
Boxes BoxesOf(Call& c, Value* rows, std::int64_t first);
// Of every pair of boxes of an image, (images, boxes, boxes), the area of both together, as a part
// of what they cover; 0 where that is nothing. `extent` is the size of a box whose ends are equal.
Value* Overlaps(Call& c, const Boxes& boxes, double extent);

// Takes the boxes of each image one after the other: a candidate that a box before it suppresses
// (`over`, images × boxes × boxes before) and that is alive dies; so does every box once `limit`
// (int64, 0-d; nullptr: never) candidates stay. What is alive at first, and at the end, is
// (images, boxes) of bool.
struct Suppression {
  Value* over = nullptr;
  Value* candidates = nullptr;
  Value* alive = nullptr;
  Value* limit = nullptr;
};
Value* Survivors(Call& c, const Suppression& suppression);

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_OPS_SUPPRESSION_H_
