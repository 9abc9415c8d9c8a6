#include "cli/compare_outputs.h"

#include <cmath>
#include <complex>

#include <fmt/format.h>

#include "cli/data.h"
#include "core/ir/half.h"
#include "core/ops/infer_context.h"

namespace dragoman::cli {
namespace {

struct Limits {
  double relative;
  double absolute;
};

Limits LimitsOf(DType dtype, const Tolerance& tolerance) {
  double usual = 0;
  if (dtype == DType::kF32 || dtype == DType::kC64) {
    usual = 1e-4;
  } else if (dtype == DType::kF64 || dtype == DType::kC128) {
    usual = 1e-7;
  } else if (dtype == DType::kF16 || dtype == DType::kBF16) {
    usual = 1e-2;
  }
  return {tolerance.relative.value_or(usual), tolerance.absolute.value_or(usual)};
}

// Element `i` as numbers to compare: the real and, for complex types, the imaginary part.
std::complex<double> At(const Array& array, std::int64_t i) {
  const void* data = array.data();
  switch (array.dtype()) {
    case DType::kF32:
      return static_cast<const float*>(data)[i];
    case DType::kF64:
      return static_cast<const double*>(data)[i];
    case DType::kC64:
      return static_cast<const std::complex<float>*>(data)[i];
    case DType::kC128:
      return static_cast<const std::complex<double>*>(data)[i];
    case DType::kF16:
      return HalfBitsToFloat(static_cast<const std::uint16_t*>(data)[i]);
    case DType::kBF16:
      return BFloat16BitsToFloat(static_cast<const std::uint16_t*>(data)[i]);
    case DType::kI8:
    case DType::kI4:
    case DType::kI2:
      return static_cast<double>(static_cast<const std::int8_t*>(data)[i]);
    case DType::kI16:
      return static_cast<double>(static_cast<const std::int16_t*>(data)[i]);
    case DType::kU16:
      return static_cast<double>(static_cast<const std::uint16_t*>(data)[i]);
    case DType::kI32:
      return static_cast<double>(static_cast<const std::int32_t*>(data)[i]);
    case DType::kU32:
      return static_cast<double>(static_cast<const std::uint32_t*>(data)[i]);
    case DType::kI64:
      return static_cast<double>(static_cast<const std::int64_t*>(data)[i]);
    case DType::kU64:
      return static_cast<double>(static_cast<const std::uint64_t*>(data)[i]);
    default:  // bits of 8-bit floats too
      return static_cast<double>(static_cast<const std::uint8_t*>(data)[i]);
  }
}

// How far two numbers are apart, and whether that is allowed. 64-bit integers are compared as such
// by the caller.
bool Within(double found, double expected, const Limits& limits, double& distance) {
  if (std::isnan(found) || std::isnan(expected)) {
    distance = std::isnan(found) && std::isnan(expected) ? 0 : INFINITY;
  } else {
    distance = found == expected ? 0 : std::fabs(found - expected);
  }
  return distance == 0 || distance <= limits.absolute + limits.relative * std::fabs(expected);
}

bool SameElement(const Array& found, const Array& expected, std::int64_t i, const Limits& limits,
                 double& distance) {
  if (found.dtype() == DType::kString) {
    const bool same = static_cast<const std::string*>(found.data())[i] ==
                      static_cast<const std::string*>(expected.data())[i];
    distance = same ? 0 : INFINITY;
    return same;
  }
  if (found.dtype() == DType::kI64 || found.dtype() == DType::kU64) {
    const auto* a = static_cast<const std::int64_t*>(found.data());
    const auto* b = static_cast<const std::int64_t*>(expected.data());
    if (a[i] == b[i]) return true;
  }
  const std::complex<double> a = At(found, i);
  const std::complex<double> b = At(expected, i);
  double imaginary = 0;
  const bool real_ok = Within(a.real(), b.real(), limits, distance);
  const bool imaginary_ok = Within(a.imag(), b.imag(), limits, imaginary);
  distance = std::fmax(distance, imaginary);
  return real_ok && imaginary_ok;
}

// Of the differences, against the r.m.s. of what is expected.
double RelativeRms(const Array& found, const Array& expected) {
  double differences = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < found.size(); ++i) {
    const std::complex<double> a = At(found, i);
    const std::complex<double> b = At(expected, i);
    const bool equal = a == b || (std::isnan(a.real()) && std::isnan(b.real()));
    differences += equal ? 0 : std::norm(a - b);
    squares += std::isfinite(std::norm(b)) ? std::norm(b) : 0;
  }
  return differences == 0 ? 0 : std::sqrt(differences / squares);
}

std::string Position(const rt::Shape& shape, std::int64_t i) {
  std::string text = "]";
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    text = (axis > 0 ? ", " : "[") + std::to_string(i % shape[axis]) + text;
    i /= shape[axis];
  }
  return shape.empty() ? "[]" : text;
}

std::string Element(const Array& array, std::int64_t i) {
  if (array.dtype() == DType::kString) return static_cast<const std::string*>(array.data())[i];
  const std::complex<double> value = At(array, i);
  return IsComplex(array.dtype()) ? fmt::format("{}+{}i", value.real(), value.imag())
                                  : fmt::format("{:.9g}", value.real());
}

std::string TypeText(const Array& array) {
  return Type::Tensor(array.dtype(), FromRuntimeShape(array.shape())).ToString();
}

bool HoldsBits(const Array& recorded, DType dtype) {
  return (dtype == DType::kBF16 && recorded.dtype() == DType::kU16) ||
         (IsFloating(dtype) && recorded.dtype() == DType::kU8);
}

}  // namespace

OutputComparison CompareOutput(const std::string& name, const Array& found, const Array& recorded,
                               const Tolerance& tolerance) {
  OutputComparison result{name, false, {}};
  Array expected = recorded;
  if (HoldsBits(recorded, found.dtype())) {
    Result<Array> read = FromNpy(ToNpy(recorded), found.dtype());
    if (read.ok()) expected = std::move(*read);
  }
  if (found.dtype() != expected.dtype() || found.shape() != expected.shape()) {
    result.message = fmt::format("{}: {}, expected {}", name, TypeText(found), TypeText(expected));
    return result;
  }
  const Limits limits = LimitsOf(found.dtype(), tolerance);
  std::int64_t wrong = 0;
  std::int64_t worst = -1;
  double largest = 0;
  for (std::int64_t i = 0; i < found.size(); ++i) {
    double distance = 0;
    if (!SameElement(found, expected, i, limits, distance)) ++wrong;
    if (distance > largest || worst < 0) {
      largest = distance;
      worst = i;
    }
  }
  result.ok = wrong == 0;
  result.largest = largest;
  result.message = fmt::format("{}: {}", name, TypeText(found));
  if (tolerance.rms && IsFloating(found.dtype())) {
    const double rms = RelativeRms(found, expected);
    result.ok = rms <= *tolerance.rms;
    result.message += fmt::format(", r.m.s. error {:.2g} %", 100 * rms);
  } else if (wrong > 0) {
    result.message += fmt::format(", {} of {} elements differ", wrong, found.size());
  }
  if (worst >= 0) {
    result.message += fmt::format(", largest difference {:.3g} at {} ({}, expected {})", largest,
                                  Position(found.shape(), worst), Element(found, worst),
                                  Element(expected, worst));
  }
  return result;
}

}  // namespace dragoman::cli
