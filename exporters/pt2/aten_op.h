// SPDX-License-Identifier: Apache-2.0
// What the emitter of one operator works with.
//
// Adding an operator: a function in ops/<family>.cc and a row at its end. It
// calls operators of ATen and gives a term for each result. It refuses, with Refuse, whatever
// PyTorch would compute differently. Arguments are named as the schemas name them; optional ones
// after one that is left out are keywords.
#ifndef DRAGOMAN_EXPORTERS_PT2_ATEN_OP_H_
#define DRAGOMAN_EXPORTERS_PT2_ATEN_OP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/inference.h"
#include "core/ir/graph.h"
#include "core/support/result.h"
#include "exporters/pt2/aten_graph.h"

namespace dragoman::pt2 {

using Ints = std::vector<std::int64_t>;

// The literal that stands for `value` beside tensors of element type `dtype`.
ArgumentValue NumberFor(double value, DType dtype);

// The nodes of a body in a graph that has its inputs; the terms of its outputs.
using TranslateBody = std::function<Terms(const Graph& body, AtenGraph& graph)>;

struct AtenOp {
  const Node& node;
  AtenGraph& graph;
  const Inference& inference;
  ProgramScope& program;
  const TranslateBody translate;
  std::string_view target;  // what the row of the table says

  bool has(std::size_t i) const { return node.operand(i) != nullptr; }
  // The operand, which is a tensor of known rank.
  Term arg(std::size_t i) const { return *graph.Find(node.operand(i)); }
  std::optional<Term> arg_if_any(std::size_t i) const {
    return has(i) ? std::optional(arg(i)) : std::nullopt;
  }
  DType dtype(std::size_t i = 0) const { return node.operand(i)->type().dtype(); }
  const Shape& shape(std::size_t i = 0) const { return *node.operand(i)->type().shape(); }
  std::int64_t rank(std::size_t i = 0) const { return static_cast<std::int64_t>(shape(i).size()); }
  // The type of result `i`, as the program has it.
  TermType result(std::size_t i = 0) const;
  std::int64_t result_rank(std::size_t i = 0) const;

  // Attribute `name`, or the default that its operator declares.
  std::int64_t Int(std::string_view name) const;
  double Float(std::string_view name) const;
  std::string String(std::string_view name, std::string_view absent) const;
  Ints IntList(std::string_view name) const;
  // The attribute, or `absent` in all `count` places where the node has none.
  Ints IntsOr(std::string_view name, std::int64_t count, std::int64_t absent) const;
  // Attribute `name`, an axis of operand 0, counted from the front.
  std::int64_t Axis(std::string_view name = "axis") const;

  // The integers of operand `i`. Errors: they are not known when the program is written.
  Result<Ints> KnownInts(std::size_t i) const;
  // The only element of operand `i` if it is a constant of one element and of no higher rank than
  // `rank`; nullopt else.
  std::optional<double> KnownNumber(std::size_t i, std::int64_t rank) const;
  // The contents of operand `i` if it is constant.
  const dragoman::Tensor* Known(std::size_t i) const;
  // Sizes for an argument. Errors: no tensor has one of them.
  Result<Sizes> SizesOf(const Shape& shape) const;
  // Element `i` of a 1-d integer tensor as a size.
  Item ItemAt(const Term& ints, std::int64_t i) const;

  // Calls of operators. Shapes follow from those of the operands.
  Term Call(std::string_view target, const Arguments& arguments, TermType type) const {
    return graph.Call(target, arguments, std::move(type));
  }
  Term Unary(std::string_view target, const Term& x) const;  // f(self), the same type
  Term Binary(std::string_view target, const Term& x, const Term& y) const;   // broadcast
  Term Compare(std::string_view target, const Term& x, const Term& y) const;  // broadcast, bool
  // f(self, other) with a number.
  Term WithNumber(std::string_view target, const Term& x, double other) const;
  Term CompareNumber(std::string_view target, const Term& x, double other) const;
  Term Where(const Term& condition, const Term& x, const Term& y) const;
  Term Cast(const Term& x, DType dtype) const;  // itself where it has the type
  Term Clamp(const Term& x, std::optional<double> low, std::optional<double> high) const;

  Term Reshape(const Term& x, const Sizes& sizes, Shape shape) const;
  Result<Term> Reshape(const Term& x, const Shape& shape) const;
  Term Permute(const Term& x, const Ints& order) const;  // joins permutations
  Term SwapAxes(const Term& x, std::int64_t a, std::int64_t b) const;
  Term Unsqueeze(const Term& x, std::int64_t axis) const;
  Term Squeeze(const Term& x, std::int64_t axis) const;  // undoes an Unsqueeze
  Term Select(const Term& x, std::int64_t axis, std::int64_t index) const;
  // Elements from `begin` to `end`; `size` is how many there are.
  Term Slice(const Term& x, std::int64_t axis, const Size& begin, const Size& end,
             const Dim& size) const;
  Term Concat(const Terms& parts, std::int64_t axis) const;
  Result<Term> Expand(const Term& x, const Shape& shape) const;
  Term Flip(const Term& x, const Ints& axes) const;

  // Reductions along `axes`, none of which means none at all.
  Term Sum(const Term& x, const Ints& axes, bool keepdims) const;
  Term Mean(const Term& x, const Ints& axes, bool keepdims) const;
  Term Extreme(bool max, const Term& x, const Ints& axes, bool keepdims) const;

  // Tensors made of numbers.
  Result<Term> Full(const Shape& shape, double value, DType dtype) const;
  Term Arange(const Size& end, const Dim& size, DType dtype) const;
  Term Constant(const dragoman::Tensor& tensor) const { return graph.Lifted(tensor); }
  Term Constant(const Ints& ints) const { return graph.Lifted(dragoman::Tensor::Ints(ints)); }
  Term Scalar(double value, DType dtype) const;  // rank 0

  Error Refuse(std::string_view why) const;
};

using Emitted = Result<Terms>;
inline Emitted One(Term term) { return Terms{std::move(term)}; }

struct Row {
  std::string_view label;
  Emitted (*emit)(AtenOp& op);
  std::string_view target = "";  // of ATen, where the function serves several
};
// The row of operator `label` ("Conv", "dragoman.Linear"), or nullptr.
const Row* FindRow(std::string_view label);
// The shape that two broadcast to.
Shape BroadcastShape(const Shape& a, const Shape& b);
// `shape` without `axes`, or with 1 in their place.
Shape ReducedShape(const Shape& shape, const Ints& axes, bool keepdims);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_ATEN_OP_H_
