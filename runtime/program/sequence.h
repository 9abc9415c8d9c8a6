// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences and optionals at run time, and the operators on them.
//
// A sequence holds tensors of one element type, whose sizes and ranks may differ. An optional
// tensor is a sequence of at most one element; an optional sequence is a sequence that may be
// absent.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_SEQUENCE_H_
#define DRAGOMAN_RUNTIME_PROGRAM_SEQUENCE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/guarded.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"
#include "runtime/program/loop.h"
#include "runtime/program/tensor.h"

namespace dragoman::rt {

// Elements are immutable and shared by copies, so that a copy costs pointers only.
template <class T>
class Sequence {
 public:
  std::int64_t size() const { return static_cast<std::int64_t>(items_.size()); }
  TensorView<const T> operator[](std::int64_t i) const {
    return std::as_const(*items_[static_cast<std::size_t>(i)]).view();
  }
  bool present() const { return present_; }

  // Takes the elements of `other`, which may be this sequence.
  Status Assign(const Sequence& other) noexcept {
    return Guarded([&] { *this = other; });
  }
  // No elements; absent, if it is an optional sequence without a value.
  void Clear(bool present = true) noexcept {
    items_.clear();
    present_ = present;
  }
  // `place` is in [0, size()].
  Status Insert(std::int64_t place, TensorView<const T> element) noexcept {
    Status status;
    const Status guarded = Guarded([&] {
      auto item = std::make_shared<Tensor<T>>();
      status = item->Assign(element);
      if (status.ok()) items_.insert(items_.begin() + place, std::move(item));
    });
    present_ = true;
    return guarded.ok() ? status : guarded;
  }
  Status Append(TensorView<const T> element) noexcept { return Insert(size(), element); }
  // `place` is in [0, size()).
  void Erase(std::int64_t place) noexcept { items_.erase(items_.begin() + place); }

 private:
  template <class F>
  static Status Guarded(F&& change) noexcept {
    DRAGOMAN_RT_GUARDED { change(); }
    DRAGOMAN_RT_CAUGHT(std::bad_alloc) { return Status::Error("out of memory"); }
    return Status();
  }

  std::vector<std::shared_ptr<Tensor<T>>> items_;
  bool present_ = true;
};

// The place that operand `position` names among `count` of a sequence of `size` elements; negative
// from the end, `absent` if it is not given.
template <class I>
Status ResolvePlace(TensorView<const I> position, std::int64_t size, std::int64_t count,
                    std::int64_t absent, std::int64_t* place) {
  *place = position.present() ? static_cast<std::int64_t>(position[0]) : absent;
  if (*place < -size || *place >= count)
    return Status::Error("a position in a sequence is out of range");
  if (*place < 0) *place += size;
  return Status();
}

template <class T>
Status SequenceConstruct(Views<const T> inputs, Sequence<T>& sequence) {
  sequence.Clear();
  for (std::int64_t i = 0; i < inputs.size; ++i) DRAGOMAN_RT_TRY(sequence.Append(inputs[i]));
  return Status();
}

template <class T>
Status SequenceEmpty(Sequence<T>& sequence) {
  sequence.Clear();
  return Status();
}

template <class T, class I>
Status SequenceInsert(const Sequence<T>& sequence, TensorView<const T> element,
                      TensorView<const I> position, Sequence<T>& longer) {
  std::int64_t place = 0;
  const std::int64_t size = sequence.size();
  DRAGOMAN_RT_TRY(ResolvePlace(position, size, size + 1, size, &place));
  DRAGOMAN_RT_TRY(longer.Assign(sequence));
  return longer.Insert(place, element);
}

template <class T, class I>
Status SequenceErase(const Sequence<T>& sequence, TensorView<const I> position,
                     Sequence<T>& shorter) {
  std::int64_t place = 0;
  const std::int64_t size = sequence.size();
  DRAGOMAN_RT_TRY(ResolvePlace(position, size, size, size - 1, &place));
  DRAGOMAN_RT_TRY(shorter.Assign(sequence));
  shorter.Erase(place);
  return Status();
}

template <class T, class I>
Status SequenceAtShape(const Sequence<T>& sequence, TensorView<const I> position, Shape* shape) {
  std::int64_t place = 0;
  DRAGOMAN_RT_TRY(ResolvePlace(position, sequence.size(), sequence.size(), 0, &place));
  *shape = sequence[place].shape;
  return Status();
}
template <class T, class I>
Status SequenceAt(const Sequence<T>& sequence, TensorView<const I> position, TensorView<T> y) {
  std::int64_t place = 0;
  DRAGOMAN_RT_TRY(ResolvePlace(position, sequence.size(), sequence.size(), 0, &place));
  const TensorView<const T> element = sequence[place];
  std::copy_n(element.data, element.size(), y.data);
  return Status();
}

template <class T>
Status SequenceLength(const Sequence<T>& sequence, TensorView<std::int64_t> length) {
  length[0] = sequence.size();
  return Status();
}

// Elements after one another along `axis`, or along a new one.
template <class T>
Status ConcatFromSequenceShape(std::int64_t axis, bool new_axis, const Sequence<T>& sequence,
                               Shape* shape) {
  if (sequence.size() == 0) return Status::Error("the sequence is empty");
  const Shape first = sequence[0].shape;
  if (new_axis && first.size() == kMaxRank) return Status::Error("the rank is too high");
  int at = 0;
  DRAGOMAN_RT_TRY(ResolveAxis(axis, first.size() + (new_axis ? 1 : 0), &at));
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < sequence.size(); ++i) {
    const Shape& element = sequence[i].shape;
    const bool fits = new_axis ? element == first
                               : element.size() == first.size() &&
                                     WithoutAxis(element, at) == WithoutAxis(first, at);
    if (!fits) return Status::Error("the sizes of a sequence's elements do not fit each other");
    total += new_axis ? 1 : element[at];
  }
  *shape = WithAxis(new_axis ? first : WithoutAxis(first, at), at, total);
  return Status();
}
template <class T>
Status ConcatFromSequence(std::int64_t axis, bool new_axis, const Sequence<T>& sequence,
                          TensorView<T> y) {
  const AxisRuns runs(y.shape, WrapAxis(axis, y.rank()));
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < sequence.size(); ++i) {
    const TensorView<const T> element = sequence[i];
    const std::int64_t size = new_axis ? 1 : element.shape[WrapAxis(axis, y.rank())];
    for (std::int64_t o = 0; o < runs.outer; ++o) {
      std::copy_n(element.data + o * size * runs.run, size * runs.run,
                  y.data + (o * runs.size + begin) * runs.run);
    }
    begin += size;
  }
  return Status();
}

// A list of the parts' sizes along an axis of `size`: those of `split`, or all equal to its one
// number but the last, or 1.
template <class I>
class PartSizes {
 public:
  PartSizes(TensorView<const I> split, std::int64_t size) : split_(split), size_(size) {}

  bool listed() const { return split_.present() && split_.rank() > 0; }
  std::int64_t part() const {
    return split_.present() ? static_cast<std::int64_t>(split_[0]) : std::int64_t{1};
  }
  std::int64_t count() const {
    return listed() ? split_.size() : size_ / part() + (size_ % part() != 0 ? 1 : 0);
  }
  std::int64_t operator[](std::int64_t i) const {
    if (listed()) return static_cast<std::int64_t>(split_[i]);
    return std::min(part(), size_ - i * part());
  }
  Status Check() const {
    if (!listed()) return part() < 1 ? Status::Error("split is less than 1") : Status();
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < count(); ++i) {
      if ((*this)[i] < 0 || (*this)[i] > size_) return Status::Error("a part's size is wrong");
      total += (*this)[i];
    }
    return total == size_ ? Status() : Status::Error("the parts' sizes do not add up to the whole");
  }

 private:
  TensorView<const I> split_;
  std::int64_t size_;
};

template <class T, class I>
Status SplitToSequence(std::int64_t axis, bool keepdims, TensorView<const T> x,
                       TensorView<const I> split, Sequence<T>& parts) {
  int at = 0;
  DRAGOMAN_RT_TRY(ResolveAxis(axis, x.rank(), &at));
  const AxisRuns runs(x.shape, at);
  const PartSizes<I> sizes(split, runs.size);
  DRAGOMAN_RT_TRY(sizes.Check());
  parts.Clear();
  Tensor<T> part;
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < sizes.count(); ++i) {
    const Shape without = WithoutAxis(x.shape, at);
    const bool drops = !split.present() && !keepdims;
    DRAGOMAN_RT_TRY(part.Resize(drops ? without : WithAxis(without, at, sizes[i])));
    for (std::int64_t o = 0; o < runs.outer; ++o) {
      std::copy_n(x.data + (o * runs.size + begin) * runs.run, sizes[i] * runs.run,
                  part.data() + o * sizes[i] * runs.run);
    }
    DRAGOMAN_RT_TRY(parts.Append(part.view()));
    begin += sizes[i];
  }
  return Status();
}

// A copy: Identity, and what makes a value of an optional or an optional of a value.
template <class T>
Status CopySequence(const Sequence<T>& sequence, Sequence<T>& copy) {
  return copy.Assign(sequence);
}

// An optional without a value; `sequence` says of which kind.
template <class T>
Status OptionalNone(bool sequence, Sequence<T>& none) {
  none.Clear(!sequence);
  return Status();
}

template <class T>
Status OptionalHasElement(bool sequence, const Sequence<T>& optional, TensorView<bool> has) {
  has[0] = sequence ? optional.present() : optional.size() > 0;
  return Status();
}

template <class T>
Status OptionalGetSequence(const Sequence<T>& optional, Sequence<T>& value) {
  if (!optional.present()) return Status::Error("the optional is empty");
  return value.Assign(optional);
}

template <class T>
Status OptionalGetElementShape(const Sequence<T>& optional, Shape* shape) {
  if (optional.size() == 0) return Status::Error("the optional is empty");
  *shape = optional[0].shape;
  return Status();
}
template <class T>
Status OptionalGetElement(const Sequence<T>& optional, TensorView<T> y) {
  std::copy_n(optional[0].data, optional[0].size(), y.data);
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_SEQUENCE_H_
