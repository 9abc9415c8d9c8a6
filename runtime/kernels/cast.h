// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cast between any two of the real element types and strings, as in ai.onnx 22; convert.h has the
// rules for numbers, but for those that ONNX leaves open. A float outside the range of an integer
// type of 8 bits or more, or NaN, becomes what torch and ONNX Runtime make of it on x86-64: int8,
// int16 and uint16 keep the low bits of int32, uint8 and uint32 those of int64, and what int32 or
// int64 cannot hold is the least of its numbers. Integers of 4 and 2 bits keep the low bits of the
// nearest int64, of two the one farther from 0, as in ONNX Runtime.
//
// To a string a float is written in the fewest digits that read back the same, without exponent
// from 1e-4 up to 1e16, else with; infinities and NaN are "INF", "-INF", "NaN". From a string the
// whole string has to be a decimal number, or one of those names in any case; it may have a plus
// sign. For an integer result a fraction is cut off.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CAST_H_
#define DRAGOMAN_RUNTIME_KERNELS_CAST_H_

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>

#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/cast.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

namespace scalar {

// Towards zero; the least number of To, int32 or int64, where it cannot hold the result.
template <class To, class F>
To TruncateOrLeast(F value) {
  constexpr To kLeast = std::numeric_limits<To>::min();
  constexpr F kBound = static_cast<F>(kLeast);  // a power of two
  return value >= kBound && value < -kBound ? static_cast<To>(value) : kLeast;
}

// Towards zero, as x86-64 converts. F is float or double.
template <class To, class F>
To TruncateAndWrap(F value) {
  if constexpr (std::is_same_v<To, std::uint64_t>) {
    constexpr F kHalf = static_cast<F>(std::uint64_t{1} << 63);
    if (!(value >= kHalf)) return static_cast<To>(TruncateOrLeast<std::int64_t>(value));
    return static_cast<To>(TruncateOrLeast<std::int64_t>(value - kHalf)) ^ (To{1} << 63);
  } else {
    constexpr bool kThroughInt64 = std::is_same_v<To, std::int64_t> ||
                                   std::is_same_v<To, std::uint32_t> ||
                                   std::is_same_v<To, std::uint8_t>;
    using Wide = std::conditional_t<kThroughInt64, std::int64_t, std::int32_t>;
    return static_cast<To>(TruncateOrLeast<Wide>(value));
  }
}

template <class To, class From>
To CastNumber(From value, bool saturate) {
  if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool> && kIsFloating<From>) {
    return TruncateAndWrap<To>(Widen(value));
  } else if constexpr (kIsSmallInt<To> && kIsFloating<From>) {
    return static_cast<To>(TruncateOrLeast<std::int64_t>(std::round(Widen(value))));
  } else {
    return Convert<To>(value, saturate);
  }
}

template <class From>
std::string ToText(From value) {
  const auto wide = Widen(value);
  char text[64];
  std::to_chars_result end{};
  if constexpr (kIsInteger<From>) {
    end =
        std::to_chars(text, text + sizeof(text), static_cast<std::common_type_t<From, int>>(wide));
  } else {
    if (std::isnan(wide)) return "NaN";
    if (std::isinf(wide)) return wide < 0 ? "-INF" : "INF";
    const auto magnitude = std::fabs(wide);
    const bool plain = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
    end = std::to_chars(text, text + sizeof(text), wide,
                        plain ? std::chars_format::fixed : std::chars_format::scientific);
  }
  return std::string(text, end.ptr);
}

// Whether [begin, end) is a number as a whole.
template <class Number>
bool Parse(const char* begin, const char* end, Number* number) {
  const std::from_chars_result result = std::from_chars(begin, end, *number);
  return result.ec == std::errc() && result.ptr == end;
}

// White space around a number does not count, as in C++ and Python.
template <class To>
bool FromText(const std::string& text, bool saturate, To* value) {
  constexpr const char* kSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string::npos) return false;
  const char* begin = text.data() + first;
  const char* end = text.data() + text.find_last_not_of(kSpace) + 1;
  if (end - begin > 1 && begin[0] == '+' && begin[1] != '-') ++begin;
  if constexpr (kIsInteger<To> && !std::is_same_v<To, bool>) {
    using Integer =
        std::conditional_t<std::is_unsigned_v<Compute<To>>, std::uint64_t, std::int64_t>;
    Integer integer;
    if (Parse(begin, end, &integer)) {
      *value = Convert<To>(integer);
      return true;
    }
  }
  std::conditional_t<std::is_same_v<To, float>, float, double> number;
  if (!Parse(begin, end, &number)) return false;
  *value = CastNumber<To>(number, saturate);
  return true;
}

}  // namespace scalar

// Fails only where a string is not a number.
template <class From, class To>
Status Cast(const CastParams& p, TensorView<const From> input, TensorView<To> output) {
  const std::int64_t n = output.size();
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<From, To>) {
      output[i] = input[i];
    } else if constexpr (std::is_same_v<From, std::string>) {
      if (!scalar::FromText(input[i], p.saturate, &output[i])) {
        return Status::Error("a string is not a number in range");
      }
    } else if constexpr (std::is_same_v<To, std::string>) {
      output[i] = scalar::ToText(input[i]);
    } else if constexpr (std::is_same_v<From, bool>) {
      // As bytes, which are 0 or 1: compilers make no vectors of bools.
      const auto* const bytes = reinterpret_cast<const std::uint8_t*>(input.data);
      output[i] = scalar::CastNumber<To>(bytes[i], p.saturate);
    } else {
      output[i] = scalar::CastNumber<To>(input[i], p.saturate);
    }
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CAST_H_
