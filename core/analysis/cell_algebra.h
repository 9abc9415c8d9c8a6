// SPDX-License-Identifier: Apache-2.0
// What the recognisers of cells share: activation functions, and states as polynomials.
#ifndef DRAGOMAN_CORE_ANALYSIS_CELL_ALGEBRA_H_
#define DRAGOMAN_CORE_ANALYSIS_CELL_ALGEBRA_H_

#include <optional>
#include <vector>

#include "core/analysis/affine.h"
#include "core/analysis/recurrent_cell.h"

namespace dragoman {

// `atom` as an activation function of an affine form; a clip of that is part of the function.
std::optional<CellGate> AsActivation(AtomId atom, AffineForms& forms);
// The same, where what is clipped is an argument like any other.
std::optional<CellGate> AsPlainActivation(AtomId atom, AffineForms& forms);
bool IsActivation(AtomId atom, AffineForms& forms);

// min(max(x, -bound), bound)
struct ClippedSegment {
  AffineSegment x;
  float bound = 0;
};
std::optional<ClippedSegment> ReadClipped(AtomId atom, AffineForms& forms);

// Whether every term is a matrix, and there is one.
bool IsDense(const AffineSegment& segment);
// The same segment with every term as a matrix: what a gate adds as it is, an input that was
// multiplied by its weight before, is multiplied by a diagonal.
AffineSegment AsDense(AffineSegment segment, ConstExprs& consts);
bool ReadsDensely(const AffineSegment& segment, AtomId atom);

// scale * product of atoms (sorted), times a constant vector if there is one.
struct Monomial {
  double scale = 1;
  std::vector<AtomId> factors;
  ConstId constant = kNoConst;

  friend bool operator==(const Monomial&, const Monomial&) = default;
};
using Polynomial = std::vector<Monomial>;  // each product of atoms once, none with scale 0

// The new state `atom`, a sum, a product or a choice between two equal sums, as a polynomial. Sums
// are multiplied out as far as gates and candidates take part; states, and what gates read, are
// left as they are.
std::optional<Polynomial> ExpandState(AtomId atom, AffineForms& forms);

// `segment`, where sums that are atoms are replaced by what they add up.
AffineSegment ExpandSums(AffineSegment segment, AffineForms& forms);

// The two operands of an elementwise product at the features of `atom`.
struct FactorPair {
  AffineSegment a;
  AffineSegment b;
};
std::optional<FactorPair> FactorsOf(AtomId atom, AffineForms& forms);

// 1 - function(x) as the same function of another argument.
std::optional<CellGate> Complement(CellGate gate, AffineForms& forms);
// Takes the terms in `state` out of a gate, as its peephole. False: nothing is left.
bool TakePeephole(CellGate& gate, AtomId state, ConstExprs& consts, ConstId& peephole);

// Of the number that a constant factor stands for: a vector of `size`.
ConstId ConstantFactor(const Monomial& monomial, std::int64_t size, ConstExprs& consts);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_ANALYSIS_CELL_ALGEBRA_H_
