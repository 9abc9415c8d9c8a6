// SPDX-License-Identifier: Apache-2.0
// Complex numbers, of which ONNX knows no arithmetic: a complex value is computed as a real one
// with a further last axis of 2, its real and imaginary part. The complex value itself is
// dragoman.RealToComplex of that, and vanishes wherever it is used in a computation; it is left at
// the interface of a model and in operators that only move elements.
#ifndef DRAGOMAN_CORE_LOWERING_COMPLEX_H_
#define DRAGOMAN_CORE_LOWERING_COMPLEX_H_

#include <string_view>
#include <vector>

#include "core/lowering/composer.h"

namespace dragoman {

struct Parts {
  Value* re;
  Value* im;
};

// The pairs of a complex value; a real one gets imaginary parts of zero.
Value* PairsOf(Composer& c, Value* x);
Value* FromPairs(Composer& c, Value* pairs);
Parts PartsOf(Composer& c, Value* x);
// Parts of one type and the same sizes, once broadcast.
Value* FromParts(Composer& c, const Parts& parts);

Value* Conjugate(Composer& c, Value* x);
// |x| and the angle in (-π, π], both real.
Value* Magnitude(Composer& c, const Parts& x);
Value* Angle(Composer& c, const Parts& x);

// Operator `type` of ai.onnx with a complex operand, as the operator would be defined if it were:
// arithmetic, functions, sums, products of matrices, conversions, movement. nullptr if it is none
// of these; it then takes complex operands itself, or is refused.
Value* ComplexOp(Composer& c, std::string_view type, const std::vector<Value*>& operands,
                 const std::vector<NamedAttribute>& attributes);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_COMPLEX_H_
