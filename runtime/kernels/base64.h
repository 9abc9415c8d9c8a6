// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Base64Encode, Base64Decode: bytes as letters that file names and addresses can have (RFC 4648,
// section 5).
#ifndef DRAGOMAN_RUNTIME_KERNELS_BASE64_H_
#define DRAGOMAN_RUNTIME_KERNELS_BASE64_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/base64.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

namespace internal {

inline constexpr std::string_view kBase64Letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Calls f with groups of `from` bits of `text`, a byte each, as groups of `to` bits. Bits that are
// left over at the end are the first of a group of zeros if `fill`, else they are dropped.
template <class Unit, class F>
void RegroupBits(std::string_view text, int from, int to, bool fill, Unit unit, F f) {
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    bits = (bits << from) | unit(c);
    for (count += from; count >= to; count -= to) f((bits >> (count - to)) & ((1U << to) - 1));
  }
  if (fill && count > 0) f((bits << (to - count)) & ((1U << to) - 1));
}

}  // namespace internal

template <class T>
void Base64Encode(const Base64EncodeParams& p, TensorView<const T> x, TensorView<T> y) {
  const std::int64_t n = y.size();
  for (std::int64_t i = 0; i < n; ++i) {
    T letters;
    internal::RegroupBits(
        x[i], 8, 6, true, [](char c) { return static_cast<std::uint8_t>(c); },
        [&](std::uint32_t letter) { letters += internal::kBase64Letters[letter]; });
    while (p.pad && letters.size() % 4 != 0) letters += '=';
    y[i] = std::move(letters);
  }
}

// Errors: a text that is no such code. Padding may be left out; bits after the last byte may have
// any value.
template <class T>
Status Base64Decode(TensorView<const T> x, TensorView<T> y) {
  const std::int64_t n = y.size();
  for (std::int64_t i = 0; i < n; ++i) {
    std::string_view letters = x[i];
    const std::size_t most = letters.size() % 4 == 0 ? 2 : 0;
    for (std::size_t k = 0; k < most && !letters.empty() && letters.back() == '='; ++k)
      letters.remove_suffix(1);
    const bool is_code =
        letters.size() % 4 != 1 &&
        letters.find_first_not_of(internal::kBase64Letters) == std::string_view::npos;
    if (!is_code) return Status::Error("a text is not in Base64 for file names");
    T bytes;
    internal::RegroupBits(
        letters, 6, 8, false,
        [](char c) { return static_cast<std::uint32_t>(internal::kBase64Letters.find(c)); },
        [&](std::uint32_t byte) { bytes += static_cast<char>(byte); });
    y[i] = std::move(bytes);
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_BASE64_H_
