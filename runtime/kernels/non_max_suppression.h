// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NonMaxSuppression: of boxes that overlap, the ones with the best score.
#ifndef DRAGOMAN_RUNTIME_KERNELS_NON_MAX_SUPPRESSION_H_
#define DRAGOMAN_RUNTIME_KERNELS_NON_MAX_SUPPRESSION_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/order.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/non_max_suppression.h"

namespace dragoman::rt {

namespace internal {

template <class T>
struct Box {
  T top, left, bottom, right, area;

  Box(const T* at, bool center_point) {
    if (center_point) {
      left = at[0] - at[2] / 2, right = at[0] + at[2] / 2;
      top = at[1] - at[3] / 2, bottom = at[1] + at[3] / 2;
    } else {
      top = std::min(at[0], at[2]), bottom = std::max(at[0], at[2]);
      left = std::min(at[1], at[3]), right = std::max(at[1], at[3]);
    }
    area = (bottom - top) * (right - left);
  }
};

// Boxes side by side, all compared with another at once. At first they have no area.
template <class T>
struct BoxBlock {
  static constexpr int kBoxes = 8;
  T top[kBoxes] = {}, left[kBoxes] = {}, bottom[kBoxes] = {}, right[kBoxes] = {}, area[kBoxes] = {};

  void Set(std::int64_t at, const Box<T>& box) {
    top[at] = box.top, bottom[at] = box.bottom;
    left[at] = box.left, right[at] = box.right;
    area[at] = box.area;
  }

  // Whether the intersection with one, over the union, is beyond `threshold`; boxes without area
  // overlap none.
  bool Overlaps(const Box<T>& box, T threshold) const {
    int found = 0;
    for (int i = 0; i < kBoxes; ++i) {
      const T height = std::min(box.bottom, bottom[i]) - std::max(box.top, top[i]);
      const T width = std::min(box.right, right[i]) - std::max(box.left, left[i]);
      const T common = height * width;
      const T ratio = common / (box.area + area[i] - common);
      found |= static_cast<int>((height > 0) & (width > 0) & (ratio > threshold));
    }
    return found != 0;
  }
};

// The number that an optional scalar holds.
template <class T>
T First(TensorView<const T> scalar, T otherwise) {
  return scalar.present() && scalar.size() > 0 ? scalar[0] : otherwise;
}

// One call's selection: `emit(batch, class, box)` in the order of the result.
template <class T, class Emit>
void SelectBoxes(const NonMaxSuppressionParams& p, TensorView<const T> boxes,
                 TensorView<const T> scores, std::int64_t limit, TensorView<const T> iou_threshold,
                 TensorView<const T> score_threshold, void* scratch, const Emit& emit) {
  constexpr std::int64_t kBoxes = BoxBlock<T>::kBoxes;
  const T overlap = First(iou_threshold, T(0));
  const bool thresholded = score_threshold.present() && score_threshold.size() > 0;
  const std::int64_t classes = scores.shape[1], count = scores.shape[2];
  auto* const candidates = static_cast<Placed<T>*>(scratch);
  auto* const selected = reinterpret_cast<BoxBlock<T>*>(candidates + count);
  // Of a heap, in which the best is first, only those are sorted that are asked for.
  const auto is_worse = [](const Placed<T>& a, const Placed<T>& b) {
    return PlacedOrder<T>{/*falling=*/true}(b, a);
  };
  for (std::int64_t line = 0; line < scores.shape[0] * classes; ++line) {
    const T* score = scores.data + line * count;
    const T* box = boxes.data + line / classes * count * 4;
    Placed<T>* end = candidates;
    for (std::int64_t i = 0; i < count; ++i) {
      *end = {score[i], i};
      end += !thresholded || score[i] > score_threshold[0] ? 1 : 0;
    }
    std::make_heap(candidates, end, is_worse);
    for (std::int64_t chosen = 0; end != candidates && chosen < limit; --end) {
      const std::int64_t best = candidates->place;
      std::pop_heap(candidates, end, is_worse);
      const Box<T> candidate(box + best * 4, p.center_point_box);
      const std::int64_t block = chosen / kBoxes;
      BoxBlock<T>* const last = selected + (chosen + kBoxes - 1) / kBoxes;
      const bool suppressed = std::any_of(selected, last, [&](const BoxBlock<T>& others) {
        return others.Overlaps(candidate, overlap);
      });
      if (suppressed) continue;
      if (chosen % kBoxes == 0) selected[block] = {};
      selected[block].Set(chosen++ % kBoxes, candidate);
      emit(line / classes, line % classes, best);
    }
  }
}

}  // namespace internal

// The same for NonMaxSuppressionCount and NonMaxSuppression.
template <class T>
std::int64_t NonMaxSuppressionScratchBytes(const NonMaxSuppressionParams&, TensorView<const T>,
                                           TensorView<const T> scores,
                                           TensorView<const std::int64_t>, TensorView<const T>,
                                           TensorView<const T>, TensorView<std::int64_t>) {
  using Block = internal::BoxBlock<T>;
  const std::int64_t count = scores.shape[2], blocks = (count + Block::kBoxes - 1) / Block::kBoxes;
  return count * std::int64_t{sizeof(Placed<T>)} + blocks * std::int64_t{sizeof(Block)};
}

// The number of rows of the result.
template <class T>
std::int64_t NonMaxSuppressionCount(const NonMaxSuppressionParams& p, TensorView<const T> boxes,
                                    TensorView<const T> scores,
                                    TensorView<const std::int64_t> max_output,
                                    TensorView<const T> iou_threshold,
                                    TensorView<const T> score_threshold, void* scratch) {
  std::int64_t rows = 0;
  internal::SelectBoxes(p, boxes, scores, internal::First<std::int64_t>(max_output, 0),
                        iou_threshold, score_threshold, scratch,
                        [&rows](std::int64_t, std::int64_t, std::int64_t) { ++rows; });
  return rows;
}

// Rows (batch, class, box), for each class of each batch by falling score; of equal scores the
// lower box first, NaN before all. An absent limit is 0, an absent score threshold none.
template <class T>
void NonMaxSuppression(const NonMaxSuppressionParams& p, TensorView<const T> boxes,
                       TensorView<const T> scores, TensorView<const std::int64_t> max_output,
                       TensorView<const T> iou_threshold, TensorView<const T> score_threshold,
                       TensorView<std::int64_t> selected, void* scratch) {
  std::int64_t* to = selected.data;
  internal::SelectBoxes(p, boxes, scores, internal::First<std::int64_t>(max_output, 0),
                        iou_threshold, score_threshold, scratch,
                        [&to](std::int64_t batch, std::int64_t label, std::int64_t box) {
                          *to++ = batch;
                          *to++ = label;
                          *to++ = box;
                        });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_NON_MAX_SUPPRESSION_H_
