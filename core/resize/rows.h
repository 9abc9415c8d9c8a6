// SPDX-License-Identifier: Apache-2.0
// Where the samples of a batch lie in the elements of a value.
#ifndef DRAGOMAN_CORE_RESIZE_ROWS_H_
#define DRAGOMAN_CORE_RESIZE_ROWS_H_

#include <cstdint>
#include <utility>

#include "core/ir/dim.h"

namespace dragoman {

struct Rows {
  enum class Kind : std::uint8_t {
    kShared,  // the value is the same whatever the batch
    kAxis,    // `axis` is of outer * samples * inner elements, and (o, s, i) belongs to sample s
    kCount,   // integers that are computed from the number of samples
    kLost,    // nobody knows, since a node before it was refused
  };

  static Rows Shared(bool of_input) {
    return {.kind = Kind::kShared, .axis = 0, .outer = 1, .inner = 1, .of_input = of_input};
  }
  static Rows At(int axis, Dim outer = 1, Dim inner = 1) {
    return {.kind = Kind::kAxis,
            .axis = axis,
            .outer = std::move(outer),
            .inner = std::move(inner),
            .of_input = false};
  }
  static Rows Count() { return {.kind = Kind::kCount}; }
  static Rows Lost() { return {.kind = Kind::kLost}; }

  bool is_axis() const { return kind == Kind::kAxis; }
  bool is_shared() const { return kind == Kind::kShared; }
  bool is_count() const { return kind == Kind::kCount; }
  bool is_lost() const { return kind == Kind::kLost; }
  // Nothing but the samples lies along the axis.
  bool alone() const { return outer == Dim(1) && inner == Dim(1); }
  // The same at another axis.
  Rows Moved(int to) const { return At(to, outer, inner); }
  Dim Size(const Dim& samples) const { return outer * samples * inner; }

  Kind kind = Kind::kShared;
  int axis = 0;
  Dim outer = 1;
  Dim inner = 1;
  bool of_input = false;  // kShared: it is computed from an input
};

inline bool SamePlace(const Rows& a, const Rows& b) {
  return a.axis == b.axis && a.outer == b.outer && a.inner == b.inner;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_RESIZE_ROWS_H_
