// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumberText: numbers as C's printf writes them.
#ifndef DRAGOMAN_RUNTIME_KERNELS_NUMBER_TEXT_H_
#define DRAGOMAN_RUNTIME_KERNELS_NUMBER_TEXT_H_

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/number_text.h"

namespace dragoman::rt {

namespace internal {

inline std::string PlainText(const NumberTextParams& p, double value) {
  const std::chars_format form = p.form == NumberForm::kFixed        ? std::chars_format::fixed
                                 : p.form == NumberForm::kScientific ? std::chars_format::scientific
                                                                     : std::chars_format::general;
  char text[kMostNumberPrecision + 320];  // sign, 309 digits and the point before those
  const auto end =
      std::to_chars(text, text + sizeof(text), value, form, static_cast<int>(p.precision));
  return std::string(text, end.ptr);
}

template <class Integer>
std::string PlainInteger(Integer value) {
  char text[24];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

}  // namespace internal

template <class T>
void NumberText(const NumberTextParams& p, TensorView<const T> x, TensorView<std::string> y) {
  constexpr bool kIsInteger = std::is_integral_v<T>;
  const std::int64_t n = y.size();
  for (std::int64_t i = 0; i < n; ++i) {
    std::string text;
    bool is_finite = true;
    if constexpr (kIsInteger) {
      text = internal::PlainInteger(x[i]);
    } else {
      const auto value = static_cast<double>(static_cast<Compute<T>>(x[i]));
      text = internal::PlainText(p, value);
      is_finite = std::isfinite(value);
    }
    // Integers without a sign take no flag for it.
    const bool may_sign = (!kIsInteger || std::is_signed_v<T>)&&text.front() != '-';
    if (may_sign && p.flag == NumberFlag::kPlus) text.insert(0, 1, '+');
    if (may_sign && p.flag == NumberFlag::kSpace) text.insert(0, 1, ' ');
    const auto width = static_cast<std::size_t>(p.width);
    if (text.size() < width) {
      const bool zeros = p.flag == NumberFlag::kZero && is_finite;
      const std::size_t sign = text.front() == '-' ? 1 : 0;
      const std::size_t place = p.flag == NumberFlag::kLeft ? text.size() : zeros ? sign : 0;
      text.insert(place, width - text.size(), zeros ? '0' : ' ');
    }
    y[i] = std::move(text);
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_NUMBER_TEXT_H_
