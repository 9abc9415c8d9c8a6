// SPDX-License-Identifier: Apache-2.0
#include "driver/compare_outputs.h"

#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/compare/tensor_differences.h"
#include "core/ir/element_text.h"
#include "core/ops/infer_context.h"
#include "driver/data.h"
#include "runtime/program/closeness.h"

namespace dragoman {
namespace {

rt::Closeness ClosenessOf(const rt::ElementType& type, const Tolerance& tolerance) {
  const rt::Closeness usual = rt::UsualCloseness(type);
  return {tolerance.relative.value_or(usual.relative), tolerance.absolute.value_or(usual.absolute)};
}

// The indices of element number `i`.
std::vector<std::int64_t> Position(const rt::Shape& shape, std::int64_t i) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(shape.size()));
  for (int axis = shape.size() - 1; axis >= 0; --axis) {
    indices[static_cast<std::size_t>(axis)] = i % shape[axis];
    i /= shape[axis];
  }
  return indices;
}

std::string ElementText(const Array& array, std::int64_t i) {
  return FormatElement(array.Reshaped({array.size()}).Slice(i, {}).ToTensor(), 0);
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
  OutputComparison result{.name = name, .largest = std::numeric_limits<double>::infinity()};
  Array expected = recorded;
  if (HoldsBits(recorded, found.dtype())) {
    Result<Array> read = FromNpy(ToNpy(recorded), found.dtype());
    if (read.ok()) expected = std::move(*read);
  }
  if (found.dtype() != expected.dtype() || found.shape() != expected.shape()) {
    result.message = fmt::format("{}: {}, expected {}", name, TypeText(found), TypeText(expected));
    return result;
  }
  const rt::ElementType& type = compare::RuntimeType(found.dtype());
  const rt::ElementDifferences differences = rt::FindDifferences(
      type, found.data(), expected.data(), found.size(), ClosenessOf(type, tolerance));
  result.ok = differences.outside == 0;
  result.largest = differences.largest;
  result.elements = found.size();
  result.different = differences.outside;
  result.message = fmt::format("{}: {}", name, TypeText(found));
  if (tolerance.rms && rt::HasRms(type)) {
    const double rms = rt::RelativeRms(type, found.data(), expected.data(), found.size());
    result.ok = rms <= *tolerance.rms;
    result.message += fmt::format(", r.m.s. error {:.2g} %", 100 * rms);
  } else if (!result.ok) {
    result.message += fmt::format(", {} of {} elements differ", differences.outside, found.size());
  }
  if (found.size() > 0) {
    result.worst = Position(found.shape(), differences.worst);
    result.message +=
        fmt::format(", largest difference {:.3g} at [{}] ({}, expected {})", differences.largest,
                    fmt::join(result.worst, ", "), ElementText(found, differences.worst),
                    ElementText(expected, differences.worst));
  }
  return result;
}

}  // namespace dragoman
