// What a caller hands to a generated program: a pointer with sizes that are known at compile time,
// or rt::Any where known only at run time.
//
//     float x[41], out[10];
//     policy.forward(x, out);                 // View<const float, 1, 41>, View<float, 1, 10>
//     policy.embed({tokens, 1, 17});          // View<const std::int64_t, 1, rt::Any>
#ifndef DRAGOMAN_RUNTIME_PROGRAM_VIEW_H_
#define DRAGOMAN_RUNTIME_PROGRAM_VIEW_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/shape.h"
#include "runtime/program/sizes.h"

namespace dragoman::rt {

// A size that is not known before the run.
inline constexpr std::int64_t Any = -1;

// Dense row-major elements that somebody else owns; outermost size first, none for a scalar.
template <class T, std::int64_t... D>
class View {
 public:
  static constexpr int kRank = static_cast<int>(sizeof...(D));
  static constexpr bool kStatic = ((D != Any) && ...);
  static constexpr std::int64_t kSize = kStatic ? (std::int64_t{1} * ... * D) : 0;
  static_assert(kRank <= kMaxRank);

  // The caller vouches for kSize elements.
  template <class U, std::enable_if_t<std::is_convertible_v<U*, T*> && kStatic, int> = 0>
  explicit constexpr View(U* data) : data_(data), shape_{D...} {}

  // As many elements as the sizes say: an array of another length does not compile.
  template <class U, std::size_t N, std::enable_if_t<std::is_convertible_v<U*, T*>, int> = 0>
  constexpr View(U (&array)[N]) : data_(array), shape_{D...} {
    static_assert(kStatic && static_cast<std::int64_t>(N) == kSize, "another number of elements");
  }
  template <class U, std::size_t N, std::enable_if_t<std::is_convertible_v<U*, T*>, int> = 0>
  constexpr View(std::array<U, N>& array) : data_(array.data()), shape_{D...} {
    static_assert(kStatic && static_cast<std::int64_t>(N) == kSize, "another number of elements");
  }
  template <class U, std::size_t N, std::enable_if_t<std::is_convertible_v<const U*, T*>, int> = 0>
  constexpr View(const std::array<U, N>& array) : data_(array.data()), shape_{D...} {
    static_assert(kStatic && static_cast<std::int64_t>(N) == kSize, "another number of elements");
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

  // Whether there is data and every size is what the type says, none negative or absurd.
  constexpr bool Fits() const {
    if (data_ == nullptr || shape_.size() != kRank) return false;
    constexpr Shape kSizes = {D...};
    for (int i = 0; i < kRank; ++i) {
      if (shape_[i] < 0 || shape_[i] > kMaxBytes || (kSizes[i] != Any && kSizes[i] != shape_[i]))
        return false;
    }
    return true;
  }

 private:
  T* data_ = nullptr;
  Shape shape_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_VIEW_H_
