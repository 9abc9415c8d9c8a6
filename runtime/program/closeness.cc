// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/closeness.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>

#include "runtime/kernels/element.h"

namespace dragoman::rt {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How far two elements that are not equal are apart.
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

enum class Numbers { kFloats, kSigned, kUnsigned, kNone };

// Part `i` of an array of floats; a complex number has two.
using PartFunction = double (*)(const void* data, std::int64_t i);

template <class T>
double PartOf(const void* data, std::int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + i * std::int64_t{sizeof(T)}, sizeof(T));
  return static_cast<double>(value);
}

// How elements of a type of this name are compared.
struct Row {
  const char* type;
  Numbers numbers;
  double usual = 0;  // both limits
  PartFunction part = nullptr;
  std::int64_t parts = 1;
};

template <class T>
constexpr Row Floats(const char* type, double usual = 0, std::int64_t parts = 1) {
  return {type, Numbers::kFloats, usual, &PartOf<T>, parts};
}

constexpr Row kRows[] = {
    Floats<float>("float32", 1e-4),
    Floats<double>("float64", 1e-7),
    Floats<Half>("float16", 1e-2),
    Floats<BFloat16>("bfloat16", 1e-2),
    Floats<float>("complex64", 1e-4, 2),
    Floats<double>("complex128", 1e-7, 2),
    Floats<Float8E4M3FN>("float8_e4m3fn"),
    Floats<Float8E4M3FNUZ>("float8_e4m3fnuz"),
    Floats<Float8E5M2>("float8_e5m2"),
    Floats<Float8E5M2FNUZ>("float8_e5m2fnuz"),
    Floats<Float8E8M0>("float8_e8m0"),
    Floats<Float4E2M1>("float4_e2m1"),
    {"int8", Numbers::kSigned},
    {"int16", Numbers::kSigned},
    {"int32", Numbers::kSigned},
    {"int64", Numbers::kSigned},
    {"uint8", Numbers::kUnsigned},
    {"uint16", Numbers::kUnsigned},
    {"uint32", Numbers::kUnsigned},
    {"uint64", Numbers::kUnsigned},
    {"int4", Numbers::kSigned},
    {"uint4", Numbers::kUnsigned},
    {"int2", Numbers::kSigned},
    {"uint2", Numbers::kUnsigned},
    {"bool", Numbers::kNone},
    {"string", Numbers::kNone},
};
static_assert(std::size(kRows) == std::size(kElementTypes), "one row an element type");

const Row& RowOf(const ElementType& type) {
  return *std::find_if(std::begin(kRows), std::end(kRows),
                       [&](const Row& row) { return std::strcmp(row.type, type.name) == 0; });
}

// Integers of `bytes` bytes that begin at `data`, widened.
std::uint64_t UnsignedAt(const std::byte* data, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, data, bytes);
  return value;
}
std::int64_t SignedAt(const std::byte* data, std::size_t bytes) {
  const unsigned unused = 64 - 8 * static_cast<unsigned>(bytes);
  return static_cast<std::int64_t>(UnsignedAt(data, bytes) << unused) >> unused;
}

// The elements `i` of two arrays, for one type. Those that it refers to outlive it.
class Pairs {
 public:
  Pairs(const ElementType& type, const void* found, const void* expected)
      : row_(RowOf(type)),
        bytes_(static_cast<std::size_t>(type.bytes)),
        found_(static_cast<const std::byte*>(found)),
        expected_(static_cast<const std::byte*>(expected)) {}

  bool HaveSameBits(std::int64_t i) const {
    if (bytes_ == 0) {
      return reinterpret_cast<const std::string*>(found_)[i] ==
             reinterpret_cast<const std::string*>(expected_)[i];
    }
    const std::size_t at = static_cast<std::size_t>(i) * bytes_;
    return std::memcmp(found_ + at, expected_ + at, bytes_) == 0;
  }

  // How far elements with other bits are apart.
  Difference MeasureAt(std::int64_t i, const Closeness& closeness) const {
    const std::size_t at = static_cast<std::size_t>(i) * bytes_;
    switch (row_.numbers) {
      case Numbers::kFloats:
        return MeasureParts(i * row_.parts, closeness);
      case Numbers::kSigned:
        return MeasureIntegers(SignedAt(found_ + at, bytes_), SignedAt(expected_ + at, bytes_),
                               closeness);
      case Numbers::kUnsigned:
        return MeasureIntegers(UnsignedAt(found_ + at, bytes_), UnsignedAt(expected_ + at, bytes_),
                               closeness);
      case Numbers::kNone:
        break;
    }
    return {bytes_ == 0 ? kInfinity : 1, bytes_ == 0 ? 0.0 : 1, false};
  }

  std::int64_t parts() const { return row_.parts; }
  double found(std::int64_t part) const { return row_.part(found_, part); }
  double expected(std::int64_t part) const { return row_.part(expected_, part); }

 private:
  Difference MeasureParts(std::int64_t first, const Closeness& closeness) const {
    Difference all = Measure(found(first), expected(first), closeness);
    for (std::int64_t part = first + 1; part < first + row_.parts; ++part) {
      const Difference one = Measure(found(part), expected(part), closeness);
      all = {std::max(all.distance, one.distance), std::max(all.relative, one.relative),
             all.close && one.close};
    }
    return all;
  }

  const Row& row_;
  std::size_t bytes_;  // 0: strings
  const std::byte* found_;
  const std::byte* expected_;
};

}  // namespace

Closeness UsualCloseness(const ElementType& type) {
  const double usual = RowOf(type).usual;
  return {usual, usual, Scale::kExpected};
}

ElementDifferences FindDifferences(const ElementType& type, const void* found, const void* expected,
                                   std::int64_t count, const Closeness& closeness) {
  const Pairs pairs(type, found, expected);
  ElementDifferences all;
  for (std::int64_t i = 0; i < count; ++i) {
    if (pairs.HaveSameBits(i)) continue;
    const Difference difference = pairs.MeasureAt(i, closeness);
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

bool HasRms(const ElementType& type) { return RowOf(type).numbers == Numbers::kFloats; }

// Sums of squares in units of the largest number, so that none overflows.
double RelativeRms(const ElementType& type, const void* found, const void* expected,
                   std::int64_t count) {
  const Pairs pairs(type, found, expected);
  const std::int64_t parts = count * pairs.parts();
  double unit = 0;
  for (std::int64_t i = 0; i < parts; ++i) {
    const double b = pairs.expected(i);
    if (std::isfinite(b)) unit = std::max(unit, std::fabs(b));
  }
  double largest = 0, differences = 0, squares = 0;
  for (std::int64_t i = 0; i < parts; ++i) {
    const double b = pairs.expected(i);
    const double distance = Measure(pairs.found(i), b, Closeness()).distance;
    largest = std::max(largest, distance);
    differences += distance / unit * (distance / unit);
    squares += std::isfinite(b) ? b / unit * (b / unit) : 0;
  }
  if (largest == 0) return 0;
  return unit == 0 ? kInfinity : std::sqrt(differences / squares);
}

}  // namespace dragoman::rt
