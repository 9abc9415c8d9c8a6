// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unique: the distinct elements, or slices along an axis.
#ifndef DRAGOMAN_RUNTIME_KERNELS_UNIQUE_H_
#define DRAGOMAN_RUNTIME_KERNELS_UNIQUE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "runtime/kernels/order.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/unique.h"

namespace dragoman::rt {

namespace internal {

// The tensor as (outer, count, run): `count` items to compare, each `outer` runs.
template <class T>
struct UniqueItems {
  const T* data;
  std::int64_t outer, count, run;

  UniqueItems(const UniqueParams& p, TensorView<const T> x)
      : data(x.data), outer(1), count(x.size()), run(1) {
    if (!p.has_axis) return;
    const int axis = WrapAxis(p.axis, x.rank());
    outer = ProductOfSizes(x.shape, 0, axis);
    count = x.shape[axis];
    run = ProductOfSizes(x.shape, axis + 1, x.rank());
  }

  const T* At(std::int64_t item, std::int64_t o) const { return data + (o * count + item) * run; }

  int Compare(std::int64_t a, std::int64_t b) const {
    for (std::int64_t o = 0; o < outer; ++o) {
      for (std::int64_t i = 0; i < run; ++i) {
        const int compared = CompareElements(At(a, o)[i], At(b, o)[i]);
        if (compared != 0) return compared;
      }
    }
    return 0;
  }

  // Sorts items into `order`, equal ones by position. `placed` has room for numbers.
  void Sort(std::int64_t* order, void* placed) const {
    if constexpr (!std::is_same_v<T, std::string>) {
      if (outer * run == 1) return SortNumbers(order, static_cast<Placed<T>*>(placed));
    }
    for (std::int64_t i = 0; i < count; ++i) order[i] = i;
    std::sort(order, order + count, [this](std::int64_t a, std::int64_t b) {
      const int compared = Compare(a, b);
      return compared == 0 ? a < b : compared < 0;
    });
  }

  // Items that are one number each.
  void SortNumbers(std::int64_t* order, Placed<T>* placed) const {
    PlaceElements(data, count, 1, placed);
    std::sort(placed, placed + count, PlacedOrder<T>{/*falling=*/false});
    for (std::int64_t i = 0; i < count; ++i) order[i] = placed[i].place;
  }

  // Gives each item of `order` the first of its equals. Returns how many are distinct.
  std::int64_t Group(const std::int64_t* order, std::int64_t* first) const {
    std::int64_t distinct = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const bool equal = i > 0 && Compare(order[i - 1], order[i]) == 0;
      first[order[i]] = equal ? first[order[i - 1]] : order[i];
      distinct += !equal;
    }
    return distinct;
  }
};

}  // namespace internal

// The same for UniqueCount and Unique: the order, two numbers an item, and what is sorted.
template <class T>
std::int64_t UniqueScratchBytes(const UniqueParams& p, TensorView<const T> x, TensorView<T>,
                                TensorView<std::int64_t>, TensorView<std::int64_t>,
                                TensorView<std::int64_t>) {
  return internal::UniqueItems<T>(p, x).count *
         static_cast<std::int64_t>(3 * sizeof(std::int64_t) + sizeof(Placed<T>));
}

// The number of distinct items. T is the real element type; NaNs are equal to each other and
// sort last.
template <class T>
std::int64_t UniqueCount(const UniqueParams& p, TensorView<const T> x, void* scratch) {
  const internal::UniqueItems<T> items(p, x);
  auto* order = static_cast<std::int64_t*>(scratch);
  items.Sort(order, order + 3 * items.count);
  return items.Group(order, order + items.count);
}

// Slices sort lexicographically. `indices` are first occurrences. All results but y may be absent.
template <class T>
void Unique(const UniqueParams& p, TensorView<const T> x, TensorView<T> y,
            TensorView<std::int64_t> indices, TensorView<std::int64_t> inverse_indices,
            TensorView<std::int64_t> counts, void* scratch) {
  const internal::UniqueItems<T> items(p, x);
  auto* order = static_cast<std::int64_t*>(scratch);
  std::int64_t* first = order + items.count;
  std::int64_t* number = first + items.count;
  items.Sort(order, number + items.count);
  const std::int64_t distinct = items.Group(order, first);
  if (counts.present()) std::fill_n(counts.data, distinct, 0);
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < items.count; ++i) {
    const std::int64_t item = p.sorted ? order[i] : i;
    if (first[item] != item) continue;
    number[item] = next;
    if (indices.present()) indices[next] = item;
    for (std::int64_t o = 0; o < items.outer; ++o) {
      std::copy_n(items.At(item, o), items.run, y.data + (o * distinct + next) * items.run);
    }
    ++next;
  }
  for (std::int64_t i = 0; i < items.count; ++i) {
    if (inverse_indices.present()) inverse_indices[i] = number[first[i]];
    if (counts.present()) ++counts[number[first[i]]];
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_UNIQUE_H_
