// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/closeness.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>

#include "runtime/kernels/element.h"

namespace dragoman::rt {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of one pair of elements that are not equal.
struct Difference {
  double distance;
  double relative;
  bool close;
};

double ScaleOf(double found, double expected, Scale scale) {
  return scale == Scale::kLarger ? std::max(std::fabs(found), std::fabs(expected))
                                 : std::fabs(expected);
}

Difference Measure(double found, double expected, const Closeness& closeness) {
  if (found == expected || (std::isnan(found) && std::isnan(expected))) return {0, 0, true};
  if (!std::isfinite(found) || !std::isfinite(expected)) return {kInfinity, kInfinity, false};
  const double scale = ScaleOf(found, expected, closeness.scale);
  const double distance = std::fabs(found - expected);
  if (std::isinf(distance)) {
    const double half = std::fabs(found / 2 - expected / 2);
    return {distance, half / scale * 2,
            half <= closeness.absolute / 2 + closeness.relative * (scale / 2)};
  }
  return {distance, distance / scale, distance <= closeness.absolute + closeness.relative * scale};
}

template <class T>
Difference MeasureIntegers(T found, T expected, const Closeness& closeness) {
  const auto a = static_cast<std::uint64_t>(found), b = static_cast<std::uint64_t>(expected);
  const std::uint64_t distance = found > expected ? a - b : b - a;
  const double scale =
      ScaleOf(static_cast<double>(found), static_cast<double>(expected), closeness.scale);
  const double bound = closeness.absolute + closeness.relative * scale;
  const bool close =
      bound >= 0x1p64 || (bound >= 0 && distance <= static_cast<std::uint64_t>(bound));
  const auto rounded = static_cast<double>(distance);
  return {rounded, rounded == 0 ? 0 : rounded / scale, distance == 0 || close};
}

template <class T>
Difference Measure(const T& found, const T& expected, const Closeness& closeness) {
  if constexpr (std::is_same_v<T, std::string>) {
    return {kInfinity, 0, false};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {1, 1, false};
  } else if constexpr (kIsComplex<T>) {
    const Difference real =
        Measure(static_cast<double>(found.real()), static_cast<double>(expected.real()), closeness);
    const Difference imaginary =
        Measure(static_cast<double>(found.imag()), static_cast<double>(expected.imag()), closeness);
    return {std::max(real.distance, imaginary.distance),
            std::max(real.relative, imaginary.relative), real.close && imaginary.close};
  } else if constexpr (kIsFloating<T>) {
    return Measure(static_cast<double>(found), static_cast<double>(expected), closeness);
  } else {
    return MeasureIntegers(found, expected, closeness);
  }
}

// Element `i` of an array in memory.
template <class T>
T Read(const void* data, std::int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + i * std::int64_t{sizeof(T)}, sizeof(T));
  return value;
}

template <class T>
bool HaveSameBits(const void* a, const void* b, std::int64_t i) {
  if constexpr (std::is_same_v<T, std::string>) {
    return static_cast<const std::string*>(a)[i] == static_cast<const std::string*>(b)[i];
  } else {
    const std::int64_t at = i * std::int64_t{sizeof(T)};
    return std::memcmp(static_cast<const std::byte*>(a) + at, static_cast<const std::byte*>(b) + at,
                       sizeof(T)) == 0;
  }
}

template <class T>
Difference MeasureAt(const void* found, const void* expected, std::int64_t i,
                     const Closeness& closeness) {
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, bool>) {
    return Measure(T(), T(), closeness);
  } else {
    return Measure(Read<T>(found, i), Read<T>(expected, i), closeness);
  }
}

template <class T>
ElementDifferences FindDifferencesOf(const void* found, const void* expected, std::int64_t count,
                                     const Closeness& closeness) {
  ElementDifferences all;
  for (std::int64_t i = 0; i < count; ++i) {
    if (HaveSameBits<T>(found, expected, i)) continue;
    const Difference difference = MeasureAt<T>(found, expected, i, closeness);
    if (all.changed++ == 0) all.first_changed = i;
    if (!difference.close) ++all.outside;
    if (difference.distance > all.largest) {
      all.largest = difference.distance;
      all.worst = i;
    }
    all.largest_relative = std::max(all.largest_relative, difference.relative);
  }
  return all;
}

// Element `i` as the numbers that it is made of.
template <class T>
std::complex<double> ReadNumber(const void* data, std::int64_t i) {
  const T value = Read<T>(data, i);
  if constexpr (kIsComplex<T>) {
    return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
  } else {
    return static_cast<double>(value);
  }
}

double Larger(double largest, double part) {
  return std::isfinite(part) ? std::max(largest, std::fabs(part)) : largest;
}

// Sums of squares in units of the largest number, so that none overflows.
template <class T>
double RelativeRmsOf(const void* found, const void* expected, std::int64_t count) {
  double unit = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::complex<double> b = ReadNumber<T>(expected, i);
    unit = Larger(Larger(unit, b.real()), b.imag());
  }
  double largest = 0, differences = 0, squares = 0;
  const auto add = [&](double a, double b) {
    const double distance = Measure(a, b, Closeness()).distance;
    largest = std::max(largest, distance);
    differences += distance / unit * (distance / unit);
    squares += std::isfinite(b) ? b / unit * (b / unit) : 0;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const std::complex<double> a = ReadNumber<T>(found, i), b = ReadNumber<T>(expected, i);
    add(a.real(), b.real());
    add(a.imag(), b.imag());
  }
  if (largest == 0) return 0;
  return unit == 0 ? kInfinity : std::sqrt(differences / squares);
}

using FindFunction = ElementDifferences (*)(const void*, const void*, std::int64_t,
                                            const Closeness&);
using RmsFunction = double (*)(const void*, const void*, std::int64_t);

struct Row {
  const char* type;
  FindFunction find;
  RmsFunction rms;  // null: not a floating type
  double usual;     // both limits
};

template <class T>
constexpr Row Floats(const char* type, double usual = 0) {
  return {type, &FindDifferencesOf<T>, &RelativeRmsOf<T>, usual};
}

template <class T>
constexpr Row Others(const char* type) {
  return {type, &FindDifferencesOf<T>, nullptr, 0};
}

constexpr Row kRows[] = {
    Floats<float>("float32", 1e-4),
    Floats<double>("float64", 1e-7),
    Floats<Half>("float16", 1e-2),
    Floats<BFloat16>("bfloat16", 1e-2),
    Floats<std::complex<float>>("complex64", 1e-4),
    Floats<std::complex<double>>("complex128", 1e-7),
    Floats<Float8E4M3FN>("float8_e4m3fn"),
    Floats<Float8E4M3FNUZ>("float8_e4m3fnuz"),
    Floats<Float8E5M2>("float8_e5m2"),
    Floats<Float8E5M2FNUZ>("float8_e5m2fnuz"),
    Floats<Float8E8M0>("float8_e8m0"),
    Floats<Float4E2M1>("float4_e2m1"),
    Others<std::int8_t>("int8"),
    Others<std::int16_t>("int16"),
    Others<std::int32_t>("int32"),
    Others<std::int64_t>("int64"),
    Others<std::uint8_t>("uint8"),
    Others<std::uint16_t>("uint16"),
    Others<std::uint32_t>("uint32"),
    Others<std::uint64_t>("uint64"),
    Others<std::int8_t>("int4"),
    Others<std::uint8_t>("uint4"),
    Others<std::int8_t>("int2"),
    Others<std::uint8_t>("uint2"),
    Others<bool>("bool"),
    Others<std::string>("string"),
};
static_assert(std::size(kRows) == std::size(kElementTypes), "one row an element type");

const Row& RowOf(const ElementType& type) {
  return *std::find_if(std::begin(kRows), std::end(kRows),
                       [&](const Row& row) { return std::strcmp(row.type, type.name) == 0; });
}

}  // namespace

Closeness UsualCloseness(const ElementType& type) {
  const double usual = RowOf(type).usual;
  return {usual, usual, Scale::kExpected};
}

ElementDifferences FindDifferences(const ElementType& type, const void* found, const void* expected,
                                   std::int64_t count, const Closeness& closeness) {
  return RowOf(type).find(found, expected, count, closeness);
}

bool HasRms(const ElementType& type) { return RowOf(type).rms != nullptr; }

double RelativeRms(const ElementType& type, const void* found, const void* expected,
                   std::int64_t count) {
  return RowOf(type).rms(found, expected, count);
}

}  // namespace dragoman::rt
