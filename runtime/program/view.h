// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a caller hands to a generated program: a pointer with sizes that are known at compile time,
// or rt::Any where known only at run time.
//
//     float x[41], out[10];
//     policy.forward(x, out);                 // View<const float, 1, 41>, View<float, 1, 10>
//     std::vector<float> y(10);
//     policy.forward(x, y);                   // its length is checked by the call
//     policy.embed({tokens, 1, 17});          // View<const std::int64_t, 1, rt::Any>
#ifndef DRAGOMAN_RUNTIME_PROGRAM_VIEW_H_
#define DRAGOMAN_RUNTIME_PROGRAM_VIEW_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/shape.h"
#include "runtime/program/sizes.h"

namespace dragoman::rt {

// A size that is not known before the run.
inline constexpr std::int64_t Any = -1;

namespace internal {

// Whether C gives its elements, as many as it says, as a pointer that converts to T*; Views do not.
template <class C, class T, class = void>
struct IsContiguous : std::false_type {};
template <class C, class T>
struct IsContiguous<
    C, T, std::void_t<decltype(std::declval<C&>().data()), decltype(std::declval<C&>().size())>>
    : std::is_convertible<decltype(std::declval<C&>().data()), T*> {};

// The length that is part of a type: of std::array, and of std::span where it is known; -1: none.
template <class C>
struct Length : std::integral_constant<std::int64_t, -1> {};
template <template <class, std::size_t> class C, class U, std::size_t N>
struct Length<C<U, N>> : std::integral_constant<std::int64_t, static_cast<std::int64_t>(N)> {};

}  // namespace internal

// Dense row-major elements that somebody else owns; outermost size first, none for a scalar.
template <class T, std::int64_t... D>
class View {
 public:
  static constexpr int kRank = static_cast<int>(sizeof...(D));
  static constexpr bool kStatic = ((D != Any) && ...);
  static constexpr std::int64_t kSize = kStatic ? (std::int64_t{1} * ... * D) : 0;
  static_assert(kRank <= kMaxRank);

  // The caller vouches for kSize elements. (By reference, so that an array stays one.)
  template <class P, std::enable_if_t<
                         std::is_pointer_v<P> && std::is_convertible_v<P, T*> && kStatic, int> = 0>
  constexpr View(const P& data) : data_(data), shape_{D...} {}

  // As many elements as the sizes say: an array of another length does not compile.
  template <class U, std::size_t N, std::enable_if_t<std::is_convertible_v<U*, T*>, int> = 0>
  constexpr View(U (&array)[N]) : data_(array), shape_{D...} {
    static_assert(kStatic && static_cast<std::int64_t>(N) == kSize, "another number of elements");
  }
  // std::array, std::span, std::vector and their like: a length that is known when the program is
  // compiled is checked then, any other by Fits().
  template <class C, std::enable_if_t<internal::IsContiguous<C, T>::value && kStatic, int> = 0>
  constexpr View(C&& elements) : data_(elements.data()), shape_{D...} {
    constexpr std::int64_t kLength = internal::Length<std::decay_t<C>>::value;
    static_assert(kLength < 0 || kLength == kSize, "another number of elements");
    const auto size = static_cast<std::int64_t>(elements.size());
    if (kLength < 0 && size != kSize) shape_ = Shape{size};
  }
  // A scalar.
  template <class U,
            std::enable_if_t<std::is_same_v<std::remove_const_t<U>, std::remove_const_t<T>> &&
                                 std::is_convertible_v<U*, T*> && kRank == 0,
                             int> = 0>
  constexpr View(U& scalar) : data_(&scalar) {}

  // All sizes, also the known ones, which must be what the type says: see Fits().
  template <class... S, std::enable_if_t<sizeof...(S) == sizeof...(D) && (sizeof...(S) > 0) &&
                                             (std::is_convertible_v<S, std::int64_t> && ...),
                                         int> = 0>
  constexpr View(T* data, S... sizes) : data_(data), shape_{static_cast<std::int64_t>(sizes)...} {}
  constexpr View(T* data, const Shape& shape) : data_(data), shape_(shape) {}

  template <class U, std::enable_if_t<std::is_convertible_v<U*, T*>, int> = 0>
  constexpr View(const View<U, D...>& other) : data_(other.data()), shape_(other.shape()) {}

  constexpr T* data() const { return data_; }
  constexpr const Shape& shape() const { return shape_; }
  constexpr std::int64_t size(int axis) const { return shape_[axis]; }
  constexpr operator TensorView<T>() const { return {data_, shape_}; }

  // Whether every size is what the type says, none negative or absurd, and there is data for them:
  // an empty std::vector has none.
  constexpr bool Fits() const {
    if (shape_.size() != kRank) return false;
    constexpr Shape kSizes = {D...};
    bool is_empty = false;
    for (int i = 0; i < kRank; ++i) {
      if (shape_[i] < 0 || shape_[i] > kMaxBytes || (kSizes[i] != Any && kSizes[i] != shape_[i]))
        return false;
      is_empty = is_empty || shape_[i] == 0;
    }
    return data_ != nullptr || is_empty;
  }

 private:
  T* data_ = nullptr;
  Shape shape_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_VIEW_H_
