// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SplitText: the pieces of strings between separators.
#ifndef DRAGOMAN_RUNTIME_KERNELS_SPLIT_TEXT_H_
#define DRAGOMAN_RUNTIME_KERNELS_SPLIT_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/text.h"

namespace dragoman::rt {

namespace internal {

// Where the next separator begins and ends; the end of the text if there is none.
struct SplitPlace {
  std::size_t begin;
  std::size_t end;
};

inline SplitPlace NextSplit(const SplitTextParams& p, std::string_view text,
                            std::string_view separator) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  if (p.any_byte && separator.empty()) {
    const std::size_t one = std::min<std::size_t>(1, text.size());
    return {one, one};
  }
  if (!p.any_byte && separator.empty()) {
    const std::size_t begin = std::min(text.find_first_of(kSpace), text.size());
    return {begin, std::min(text.find_first_not_of(kSpace, begin), text.size())};
  }
  const std::size_t begin = p.any_byte ? text.find_first_of(separator) : text.find(separator);
  if (begin == std::string_view::npos) return {text.size(), text.size()};
  return {begin, begin + (p.any_byte ? 1 : separator.size())};
}

// Calls f with each piece; gives their number.
template <class F>
std::int64_t ForEachPiece(const SplitTextParams& p, std::string_view text,
                          std::string_view separator, F f) {
  const bool by_space = !p.any_byte && separator.empty();
  const bool by_byte = p.any_byte && separator.empty();
  const SplitPlace first = NextSplit(p, text, separator);
  if (by_space && first.begin == 0) text.remove_prefix(first.end);
  std::int64_t count = 0;
  const auto give = [&](std::string_view piece) {
    if (piece.empty() && (p.skip_empty || by_space || by_byte)) return;
    f(piece);
    ++count;
  };
  for (std::int64_t splits = 0; p.max_splits < 0 || splits < p.max_splits; ++splits) {
    const SplitPlace place = NextSplit(p, text, separator);
    if (place.begin == text.size()) break;
    give(text.substr(0, place.begin));
    text.remove_prefix(place.end);
  }
  give(text);
  return count;
}

}  // namespace internal

// How many pieces the text with the most has.
template <class T>
std::int64_t SplitTextMost(const SplitTextParams& p, TensorView<const T> x,
                           TensorView<const T> separator) {
  std::int64_t most = 0;
  const std::int64_t n = x.size();
  for (std::int64_t i = 0; i < n; ++i) {
    most = std::max(most, internal::ForEachPiece(p, x[i], separator[0], [](std::string_view) {}));
  }
  return most;
}

// `pieces` has one axis more than x, along which the pieces of each text stand, empty ones after
// them; `counts` says how many there are.
template <class T>
void SplitText(const SplitTextParams& p, TensorView<const T> x, TensorView<const T> separator,
               TensorView<T> pieces, TensorView<std::int64_t> counts) {
  const std::int64_t n = x.size();
  const std::int64_t most = pieces.shape.back();
  for (std::int64_t i = 0; i < n; ++i) {
    T* row = pieces.data + i * most;
    T* next = row;
    internal::ForEachPiece(p, x[i], separator[0],
                           [&](std::string_view piece) { *next++ = std::string(piece); });
    if (counts.present()) counts[i] = next - row;
    std::fill(next, row + most, T());
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_SPLIT_TEXT_H_
