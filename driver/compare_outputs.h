// SPDX-License-Identifier: Apache-2.0
// Whether a computed array is what was expected.
#ifndef DRAGOMAN_DRIVER_COMPARE_OUTPUTS_H_
#define DRAGOMAN_DRIVER_COMPARE_OUTPUTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/interpreter/array.h"

namespace dragoman {

// |a - b| <= absolute + relative * |b|, as runtime/program/closeness.h has it. Unset: as is usual
// for the element type. For bools and strings neither counts.
struct Tolerance {
  std::optional<double> relative;
  std::optional<double> absolute;
  // In place of the limits of each element of a floating type: how large the r.m.s. of the
  // differences may be, against the r.m.s. of what is expected.
  std::optional<double> rms = std::nullopt;
};

struct OutputComparison {
  std::string name;
  bool ok = false;
  // The difference of two elements; infinite for NaN or an infinity against a number, and where
  // types differ.
  double largest = 0;
  std::int64_t elements = 0;        // compared
  std::int64_t different = 0;       // of them, by more than the tolerance
  std::vector<std::int64_t> worst;  // where the largest difference is
  // "y: f32[1, 10], largest difference 1.2e-06 at [0, 3] (0.5, expected 0.500001)"
  std::string message;
};

// Recorded values whose element type NumPy lacks may be there as bits: bfloat16 as uint16, floats
// of 8 bits as uint8.
OutputComparison CompareOutput(const std::string& name, const Array& found, const Array& recorded,
                               const Tolerance& tolerance);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_COMPARE_OUTPUTS_H_
