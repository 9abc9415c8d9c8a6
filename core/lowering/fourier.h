// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms of tensors, real or complex, along single axes.
#ifndef DRAGOMAN_CORE_LOWERING_FOURIER_H_
#define DRAGOMAN_CORE_LOWERING_FOURIER_H_

#include <cstdint>
#include <string>

#include "core/lowering/composer.h"

namespace dragoman {

// How a transform of one direction is scaled, in NumPy's terms: "backward", "forward" or "ortho".
struct Scaling {
  std::string norm = "backward";

  // What a sum over `n` (int64, 0-d) terms is divided by; nullptr: by nothing.
  Value* Divisor(Composer& c, Value* n, bool inverse, DType dtype) const;
};

// One axis to transform, and the number of elements that count (int64, 0-d): nullptr for all. Axes
// that are longer are cut off, shorter ones get zeros.
struct Line {
  int axis = 0;
  Value* length = nullptr;
};

enum class Spectrum : std::uint8_t { kWhole, kHalf };

// The sum Σ x[j] exp(∓2πi jk / n) along a line, scaled; complex.
Value* Transform(Composer& c, Value* x, const Line& line, bool inverse, const Scaling& scaling,
                 Spectrum spectrum = Spectrum::kWhole);

// A real signal from the first half of its spectrum.
Value* RealSignal(Composer& c, Value* half, const Line& line, bool inverse, const Scaling& scaling);

Value* AsComplex(Composer& c, Value* x);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_FOURIER_H_
