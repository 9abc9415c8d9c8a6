// SPDX-License-Identifier: Apache-2.0
// Affine forms: what a value computes, along its feature axis, from values that are not affine.
//
// The elements of a value along one axis, its features, are cut into segments. Each segment is
//     sum of coefficient_i * atom_i + bias
// where an atom is a run of features of another value (possibly one time step of it), a coefficient
// is a number, a diagonal or a matrix, and the bias a vector; both are expressions over constants
// (const_expr.h) and none is computed here. Other axes are carried along and do not count.
//
// Atoms are graph inputs, constants that vary along other axes, results of operators that are not
// affine, and the operands of products: two matrices are never multiplied. Sums that hold a product
// of two values are atoms as well, since those are the states of recurrent cells; Definition looks
// into them. So a form has a bounded number of terms, and all forms of a graph cost O(nodes).
#ifndef DRAGOMAN_CORE_ANALYSIS_AFFINE_H_
#define DRAGOMAN_CORE_ANALYSIS_AFFINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/analysis/const_expr.h"
#include "core/analysis/inference.h"
#include "core/ir/graph.h"

namespace dragoman {

using AtomId = std::uint32_t;
inline constexpr AtomId kNoAtom = UINT32_MAX;

// Features begin .. begin + size of `value` along `axis`; of its step `step` along `step_axis`, if
// that is not negative.
struct Atom {
  const Value* value = nullptr;
  int axis = 0;
  std::int64_t begin = 0;
  std::int64_t size = 0;
  int step_axis = -1;
  std::int64_t step = 0;

  friend auto operator<=>(const Atom&, const Atom&) = default;
};

struct AffineTerm {
  enum class Kind : std::uint8_t { kScalar, kDiagonal, kMatrix };

  Kind kind = Kind::kScalar;
  AtomId atom = 0;
  double scale = 1;                // kScalar
  ConstId coefficient = kNoConst;  // kDiagonal: a vector; kMatrix: (features, size of the atom)

  friend bool operator==(const AffineTerm&, const AffineTerm&) = default;
};

struct AffineSegment {
  std::int64_t size = 0;
  std::vector<AffineTerm> terms;  // sorted by atom, then kind; each pair once
  ConstId bias = kNoConst;        // a vector; kNoConst is zero

  friend bool operator==(const AffineSegment&, const AffineSegment&) = default;
};

struct AffineForm {
  std::vector<AffineSegment> segments;
  // Every atom has the sizes and axes of the value, so its steps are those of the value.
  bool aligned = false;
};

class AffineForms {
 public:
  explicit AffineForms(const Inference& inference) : inference_(&inference) {}

  // `value`, in the body of a loop, is a step of `sequence`, a value around the loop: that of the
  // iteration at hand. Its atoms are steps kIteration or kIterationFromEnd. Given before the first
  // question.
  void SetIteration(const Value* value, const Value* sequence, int step_axis, bool from_end) {
    iterations_[value] = {sequence, step_axis, from_end ? kIterationFromEnd : kIteration};
  }
  static constexpr std::int64_t kIteration = INT64_MAX - 1;
  static constexpr std::int64_t kIterationFromEnd = INT64_MAX;

  // Asked in the order of nodes, the work of a call is bounded. nullptr: the number of features is
  // not known.
  const AffineForm* Of(const Value* value, int axis);
  // Every segment is one atom with coefficient 1: only operators that move elements are followed.
  const AffineForm* Wiring(const Value* value, int axis);
  // Like Of, but of a sum even if it is an atom: from the forms of its operands. nullptr: no sum.
  const AffineForm* Definition(const Value* value, int axis);
  // Like Of, for the value's step `step` along `step_axis`.
  std::optional<AffineForm> OfStep(const Value* value, int axis, int step_axis, std::int64_t step) {
    return Step(*value, axis, step_axis, step, Mode::kAffine);
  }
  // Whether the value is an atom because it is one activation function written by another, as
  // 0.5 * tanh(x / 2) + 0.5; Spelling gives that form, of one term.
  bool IsSpelled(const Value* value) const { return spelled_.contains(value); }
  const AffineForm* Spelling(const Value* value, int axis);

  const Atom& atom(AtomId id) const { return *atoms_[id]; }
  // Equal constants are one atom.
  AtomId Intern(Atom atom);
  ConstExprs& consts() { return consts_; }
  const Inference& inference() const { return *inference_; }

  // Features begin .. begin + size of `form` as one segment; nullopt where they have no common
  // form.
  std::optional<AffineSegment> Slice(const AffineForm& form, std::int64_t begin, std::int64_t size);
  AffineSegment Add(const AffineSegment& a, const AffineSegment& b);
  AffineSegment Scale(const AffineSegment& a, double factor);
  // The atom, if the segment is nothing but it, or kNoAtom.
  static AtomId AsAtom(const AffineSegment& segment);

 private:
  enum class Mode : std::uint8_t { kAffine, kWiring, kDefinition };
  using FormOrNone = std::optional<AffineForm>;
  struct FormKey {
    const Value* value = nullptr;
    int axis = 0;
    Mode mode = Mode::kAffine;

    friend bool operator==(const FormKey&, const FormKey&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const FormKey& key) const;
    std::size_t operator()(const Atom& atom) const;
  };

  const AffineForm* Get(const Value* value, int axis, Mode mode);
  FormOrNone Compute(const Value& value, int axis, std::int64_t size, Mode mode);
  FormOrNone OfConstant(const Value& value, int axis, std::int64_t size);
  AffineForm Leaf(const Value& value, int axis, std::int64_t size);

  FormOrNone Iteration(const Value& value, int axis, Mode mode);

  // Operators that move elements.
  FormOrNone Move(const Node& node, const Value& value, int axis, Mode mode);
  FormOrNone Reshape(const Node& node, const Value& value, int axis, Mode mode);
  FormOrNone Transpose(const Node& node, int axis, Mode mode);
  FormOrNone Concat(const Node& node, const Value& value, int axis, Mode mode);
  FormOrNone Split(const Node& node, const Value& value, int axis, Mode mode);
  // Where the part that is result `index` of a Split begins; nullopt: not all ahead have known
  // sizes.
  std::optional<std::int64_t> BeginOfPart(const Node& split, int axis, std::size_t index);
  FormOrNone SliceNode(const Node& node, const Value& value, int axis, Mode mode);
  FormOrNone Gather(const Node& node, const Value& value, int axis, Mode mode);
  // Features of `operand`; step `step` of it along `step_axis`.
  FormOrNone Features(const Value& operand, int axis, std::int64_t begin, std::int64_t size,
                      Mode mode);
  // Every `stride`th feature from `begin` on, of a product and what is added to it.
  FormOrNone Every(const Value& operand, int axis, std::int64_t begin, std::int64_t stride);
  FormOrNone Step(const Value& operand, int axis, int step_axis, std::int64_t step, Mode mode);
  // The same of some steps of another value.
  FormOrNone StepOfSlice(const Value& operand, int axis, int step_axis, std::int64_t step,
                         Mode mode);
  // The same of a sum or product along the last axis: from the steps of its operands.
  FormOrNone StepOfSum(const Value& operand, int axis, int step_axis, std::int64_t step);
  // The same of sums of products whose weights are distinguished by `step`: one matrix a gate.
  FormOrNone StepOfProducts(const Value& operand, int axis, int step_axis, std::int64_t step);
  FormOrNone StepOfProduct(const Node& product, int axis, std::int64_t step);
  bool HoldsStackedProduct(const Value& value, int depth);
  // The same of a constant that is added to `sum`.
  FormOrNone StepOfBias(const Value& bias, const Value& sum, int axis, int step_axis,
                        std::int64_t step);
  // The same where Reshape has cut the features into runs that lie along `step_axis`, before the
  // features or, interleaved, after them.
  FormOrNone Run(const Value& operand, int axis, int step_axis, std::int64_t step, Mode mode);
  // The same of a sum of two such.
  FormOrNone SumOfRuns(const Value& operand, int axis, int step_axis, std::int64_t step);

  // Arithmetic.
  FormOrNone Arithmetic(const Node& node, const Value& value, int axis, std::int64_t size,
                        Mode mode);
  FormOrNone Sum(const Node& node, const Value& value, int axis, std::int64_t size, Mode mode);
  FormOrNone Multiple(const Node& node, const Value& value, int axis, std::int64_t size);
  FormOrNone Product(const Node& node, int axis);
  FormOrNone Gemm(const Node& node, int axis);
  // With kernels of one element, which do what a product does along the channels.
  FormOrNone Conv(const Node& node, int axis);
  // Blocks (rows, columns) of a (blocks * rows, columns) matrix on the diagonal of one.
  ConstId BlockDiagonal(ConstId matrix, std::int64_t blocks);
  FormOrNone Apply(ConstId matrix, const Value& operand, int axis);
  FormOrNone Apply(ConstId matrix, const AffineForm& wiring);
  // The form of an operand of an elementwise operator; constants become biases.
  FormOrNone Operand(const Value& operand, const Value& result, int axis, std::int64_t size);
  FormOrNone AddForms(const AffineForm& a, const AffineForm& b);
  AffineSegment Multiply(const AffineSegment& segment, ConstId vector);
  AffineSegment SliceSegment(const AffineSegment& segment, std::int64_t begin, std::int64_t size);
  AtomId SliceAtom(AtomId id, std::int64_t begin, std::int64_t size);
  bool HoldsProduct(const AffineForm& form) const;
  bool SpellsFunction(const AffineForm& form);
  // Whether it adds up constants that vary along other axes: an initial state, which is an atom.
  bool IsOfConstants(const AffineForm& form);

  struct IterationOf {
    const Value* sequence = nullptr;
    int step_axis = 0;
    std::int64_t step = 0;
  };

  const Inference* inference_;
  ConstExprs consts_;
  std::unordered_map<const Value*, IterationOf> iterations_;  // looked up only
  std::unordered_map<Atom, AtomId, KeyHash> ids_;             // looked up only
  std::vector<const Atom*> atoms_;
  std::unordered_map<FormKey, FormOrNone, KeyHash> forms_;                  // looked up only
  std::unordered_map<const Node*, std::vector<std::int64_t>> part_bounds_;  // of Splits
  std::unordered_set<const Value*> spelled_;                                // looked up only
  int nesting_ = 0;                                                         // of calls of Get
};

// The size of a value along `axis`, if it is known; nullopt if there is no such axis.
std::optional<std::int64_t> SizeAlong(const Value& value, int axis);
// What the parts of a Split are of its operand along `axis`, the one that it cuts: part i is
// [i] … [i + 1]. Shorter where the size of a part is not known.
std::vector<std::int64_t> BoundsOfParts(const Node& split, int axis);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_ANALYSIS_AFFINE_H_
