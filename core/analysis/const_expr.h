// SPDX-License-Identifier: Apache-2.0
// Symbolic expressions over constants: slices, transposes, concatenations, sums and multiples of
// weights, written down but not computed. Interned: equal expressions have one id, so that two
// uses of a weight compare in constant time, however many nodes a file spends on getting there.
//
// Leaves are compared by contents, so copies of a weight are the same leaf. The operands of an
// expression have smaller ids than it has.
#ifndef DRAGOMAN_CORE_ANALYSIS_CONST_EXPR_H_
#define DRAGOMAN_CORE_ANALYSIS_CONST_EXPR_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman {

using ConstId = std::uint32_t;
inline constexpr ConstId kNoConst = 0;

struct ConstExpr {
  enum class Kind : std::uint8_t {
    kTensor,     // the constant `value`
    kNode,       // result `ints[0]` of `node` on the operands
    kTranspose,  // of a matrix
    kSlice,      // ints: axis, begin; the size is that of the result
    kConcat,     // ints: axis
    kAdd,        // of two of equal sizes
    kScale,      // by `scale`
    kReshape,    // to `sizes`
    kFill,       // of `sizes` with `scale`, or with the one element of the operand
    kDiagonal,   // the square matrix with this vector on its diagonal
    kRows,       // a matrix (operand 0), row i times element i of a vector (operand 1)
    kProduct,    // of two matrices; no analysis makes one
  };

  Kind kind = Kind::kTensor;
  std::vector<ConstId> operands;
  std::vector<std::int64_t> ints;
  double scale = 0;
  const Value* value = nullptr;
  const Node* node = nullptr;
  std::vector<std::int64_t> sizes;
};

class ConstExprs {
 public:
  ConstExprs() { exprs_.emplace_back(); }

  const ConstExpr& at(ConstId id) const { return exprs_[id]; }
  const std::vector<std::int64_t>& sizes(ConstId id) const { return exprs_[id].sizes; }

  // The expression for a value that is made of constants only, by moving elements and elementwise
  // arithmetic, in few steps; kNoConst for any other. Products are no such expression, so a
  // constant state that meets a weight stays visible.
  ConstId Of(const Value* value);
  // A constant of the same graph with the elements of `value`, the same for all of them; any other
  // value is itself.
  const Value* Representative(const Value* value);
  // From now on Of these values is kNoConst. Called before the first question.
  void Hide(const std::unordered_set<const Value*>& values) {
    for (const Value* value : values) of_values_[value] = kNoConst;
  }

  ConstId Transpose(ConstId matrix);
  ConstId Slice(ConstId a, int axis, std::int64_t begin, std::int64_t size);
  ConstId Concat(std::vector<ConstId> parts, int axis);  // one part is itself
  ConstId Add(ConstId a, ConstId b);                     // kNoConst counts as zero
  ConstId Scale(ConstId a, double factor);
  ConstId Reshape(ConstId a, std::vector<std::int64_t> sizes);
  ConstId Fill(std::vector<std::int64_t> sizes, double value);
  ConstId FillWith(std::vector<std::int64_t> sizes, ConstId element);
  ConstId Diagonal(ConstId vector);
  ConstId Rows(ConstId matrix, ConstId vector);
  ConstId Product(ConstId a, ConstId b);

  // The constant as a vector of `size` along `axis` of a tensor of rank `rank`: a scalar is
  // repeated; kNoConst if it varies along another axis.
  ConstId VectorAlong(ConstId a, int axis, int rank, std::int64_t size);
  // The number, if every element is known to be that one without computing anything.
  std::optional<double> Uniform(ConstId a) const;

 private:
  ConstId Intern(ConstExpr expr, std::string key);
  ConstId Make(ConstExpr::Kind kind, std::vector<ConstId> operands, std::vector<std::int64_t> ints,
               double scale, std::vector<std::int64_t> sizes);
  ConstId OfTensor(const Value& value);
  ConstId OfNode(const Node& node, std::size_t result);
  // Whether each element of a constant, or of a part of one, fits: its index in row-major order and
  // the element. False for any other expression, and for a large one.
  bool ForAll(ConstId a, const std::function<bool(std::int64_t, double)>& fits) const;
  bool IsRepeated(ConstId a, int axis) const;

  std::vector<ConstExpr> exprs_;  // the first stands for kNoConst
  std::unordered_map<std::string, ConstId> ids_;
  std::unordered_map<std::uint64_t, std::vector<ConstId>> tensors_;  // by hash
  std::unordered_map<const Value*, ConstId> of_values_;
  int nesting_ = 0;  // of calls of Of
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_ANALYSIS_CONST_EXPR_H_
