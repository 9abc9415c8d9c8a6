// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/reduce.h"

#include <limits>
#include <optional>

#include "core/ir/wide_float.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/elements.h"
#include "core/ops/expansion_formula.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

// Combines an element into what has been reduced so far.
using Combine = Dim (*)(const Dim& so_far, const Dim& element);

// The sizes of the data that ReduceShape keeps, in their order. It is asked with sizes that
// distinguish the axes, so that it need not know the real ones.
Result<Shape> ReducedShape(InferContext& context, const Shape& data, rt::IntSpan axes) {
  constexpr std::int64_t kFirst = 2;
  rt::Shape marked;
  for (std::size_t i = 0; i < data.size(); ++i)
    marked.push_back(kFirst + static_cast<std::int64_t>(i));
  rt::Shape reduced;
  DRAGOMAN_TRY(
      context.Check(rt::ReduceShape(context.params<rt::ReduceParams>(), marked, axes, &reduced)));
  Shape shape;
  for (std::int64_t mark : reduced)
    shape.push_back(mark == 1 ? Dim(1) : data[static_cast<std::size_t>(mark - kFirst)]);
  return shape;
}

// Which axes are reduced is not known: of the result only the rank is, if anything.
void SetUnknownAxes(InferContext& context, const Shape& data) {
  const Shape* axes = context.shape(1);
  if (context.params<rt::ReduceParams>().keepdims) {
    Shape shape;
    for (const Dim& size : data) {
      const bool one = Equal(size, Dim(1)) == Truth::kYes;
      shape.push_back(one ? Dim(1) : Dim::Unknown());
    }
    context.SetShape(0, std::move(shape));
  } else if (axes != nullptr && axes->size() == 1 && (*axes)[0].known()) {
    const std::int64_t count = (*axes)[0].value();
    if (count == 0 || count > static_cast<std::int64_t>(data.size())) return;
    context.SetShape(0, Shape(data.size() - static_cast<std::size_t>(count)));
  }
}

// The elements of a small tensor reduced along `axes` to `sizes`.
void ReduceElements(InferContext& context, const rt::Shape& data, rt::IntSpan axes,
                    Combine combine) {
  const Elements& elements = *context.elements(0);
  const rt::ReducedAxes is_reduced = rt::FindReducedAxes(
      data.size(), axes, context.params<rt::ReduceParams>().noop_with_empty_axes);
  std::vector<std::int64_t> sizes(data.begin(), data.end());
  std::vector<std::int64_t> kept = sizes;
  std::size_t count = 1;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (is_reduced[static_cast<int>(i)]) kept[i] = 1;
    count *= static_cast<std::size_t>(kept[i]);
  }
  std::vector<std::optional<Dim>> reduced(count);
  for (std::size_t flat = 0; flat < elements.size(); ++flat) {
    std::optional<Dim>& slot = reduced[BroadcastOffset(flat, sizes, kept)];
    slot = slot ? combine(*slot, elements[flat]) : elements[flat];
  }
  Elements results;
  for (const std::optional<Dim>& result : reduced) {
    if (!result) return;
    results.push_back(FitElement(context.result_dtype(0), *result));
  }
  context.SetElements(0, std::move(results));
}

template <Combine combine>
Status InferReduce(InferContext& context) {
  const Shape* data = context.shape(0);
  if (data == nullptr || data->size() > static_cast<std::size_t>(rt::kMaxRank)) return {};
  std::vector<std::int64_t> axes;
  if (context.has(1)) {
    const std::optional<std::vector<std::int64_t>> ints = context.ints(1);
    if (!ints) {
      SetUnknownAxes(context, *data);
      return {};
    }
    axes = *ints;
  }
  const rt::IntSpan span{axes.data(), static_cast<std::int64_t>(axes.size())};
  DRAGOMAN_ASSIGN(Shape reduced, ReducedShape(context, *data, span));
  context.SetShape(0, std::move(reduced));
  if constexpr (combine != nullptr) {
    const std::optional<rt::Shape> sizes = ToRuntimeShape(data);
    if (sizes && context.elements(0) &&
        rt::NumElements(*sizes) == static_cast<std::int64_t>(context.elements(0)->size())) {
      ReduceElements(context, *sizes, span, combine);
    }
  }
  return {};
}

Dim AddTo(const Dim& a, const Dim& b) { return a + b; }
Dim MultiplyBy(const Dim& a, const Dim& b) { return a * b; }
Dim Greater(const Dim& a, const Dim& b) { return Max(a, b); }
Dim Smaller(const Dim& a, const Dim& b) { return Min(a, b); }

OpBuilder Reduce(std::string_view type, OpVersions versions,
                 InferFunction infer = InferReduce<nullptr>,
                 std::string_view variables = "T: number") {
  return Op(type, versions, "(data: T, axes: i64?#) -> (reduced: T)", variables)
      .Attributes<rt::ReduceParams>()
      .Infer(std::move(infer))
      .Sizes(
          {.function = "ReduceShape", .header = "runtime/params/reduce.h", .arguments = "p s0 v1"})
      .Kernel({.header = "runtime/kernels/reduce.h", .types = "T"});
}

using Values = std::vector<Value*>;

// The operand as the formula computes with it from here on: halves in float32, and in float64 those
// that leave the integers.
Result<Value*> ComputedOperand(ExpansionFormula& formula, const Node& node, bool leaves_integers) {
  const Type given = formula.type();
  const DType dtype = given.dtype();
  if (dtype == DType::kUnknown)
    return Unsupported("the element type of its operand is unknown").At(node.Describe());
  const DType computed = !IsInteger(dtype) ? WideFloat(dtype)
                         : leaves_integers ? DType::kF64
                                           : dtype;
  formula.set_type(given.WithDType(computed));
  return formula.Cast(formula.x(), formula.type());
}

// Reduction `op` of `value` along the axes of `node` with its attributes.
Value* ReduceAs(ExpansionFormula& formula, std::string_view op, Value* value, const Node& node,
                const Type& type) {
  Values operands = {value};
  if (node.num_operands() > 1) operands.push_back(node.operand(1));
  Value* reduced = formula.Add(op, operands, type.WithDType(formula.type().dtype()));
  reduced->producer()->attributes() = node.attributes();
  return reduced;
}

// Sums of |x|, x² or x, the root of one or its logarithm.
Result<Values> ExpandReduce(Node& node) {
  ExpansionFormula formula(node);
  const Type given = formula.type();
  const bool is_root = node.Is("ReduceL2");
  const bool is_log = node.Is("ReduceLogSum");
  DRAGOMAN_ASSIGN(Value * x, ComputedOperand(formula, node, is_root || is_log));
  const bool has_signs = !IsInteger(given.dtype()) || Info(given.dtype()).is_signed;
  if (node.Is("ReduceL1") && has_signs) x = formula.Add("Abs", {x});
  if (is_root || node.Is("ReduceSumSquare")) x = formula.Add("Mul", {x, x});
  Value* sum = ReduceAs(formula, "ReduceSum", x, node, node.result()->type());
  if (is_root) sum = formula.Add("Sqrt", {sum}, sum->type());
  if (is_log) sum = formula.Add("Log", {sum}, sum->type());
  return Values{formula.Cast(sum, given)};
}

// log(sum(exp(x - base))) + base, with the greatest finite number that is not above max x as base.
// Where axes are to go, each element is the sum of itself. Of nothing it is -inf, as the maximum.
Result<Values> ExpandLogSumExp(Node& node) {
  ExpansionFormula formula(node);
  const Type given = formula.type();
  if (IsFloating(given.dtype()) && given.shape() != nullptr &&
      NumElements(*given.shape()) == Dim(0))
    return Values{ReduceAs(formula, "ReduceMax", formula.x(), node, node.result()->type())};
  DRAGOMAN_ASSIGN(Value * x, ComputedOperand(formula, node, true));
  const double greatest = formula.type().dtype() == DType::kF64 ? std::numeric_limits<double>::max()
                                                                : std::numeric_limits<float>::max();
  DRAGOMAN_ASSIGN(Value * low, formula.Number(-greatest));
  DRAGOMAN_ASSIGN(Value * high, formula.Number(greatest));
  const bool keeps = IntAttribute(node, "keepdims") != 0;
  const Type kept = keeps ? node.result()->type() : given.WithShape(std::nullopt);
  const auto reduce = [&](std::string_view op, Value* value) {
    Value* reduced = ReduceAs(formula, op, value, node, kept);
    reduced->producer()->SetAttribute("keepdims", std::int64_t{1});
    return reduced;
  };
  Value* base = reduce("ReduceMax", formula.Add("Clip", {x, low, high}));
  Value* sum = reduce("ReduceSum", formula.Add("Exp", {formula.Add("Sub", {x, base})}));
  Value* y = formula.Add("Add", {formula.Add("Log", {sum}, sum->type()), base}, sum->type());
  if (!keeps) y = ReduceAs(formula, "ReduceSum", y, node, node.result()->type());
  return Values{formula.Cast(y, given)};
}

// Integers in float64; none have a mean there.
Result<Values> ExpandMean(Node& node) {
  const Type& type = node.operand(0)->type();
  const bool may_be_empty = type.shape() != nullptr && NumElements(*type.shape()) == Dim(0);
  if (!IsInteger(type.dtype()) || may_be_empty)
    return Unsupported("a mean of none, or of no integers").At(node.Describe());
  return ExpandInWide(node);
}

}  // namespace

std::vector<OpDef> ReduceOps() {
  return {
      Reduce("ReduceL1", {1, 18}).Facts({.has_least = true}).Expand(ExpandReduce),
      Reduce("ReduceL2", {1, 18}).Facts({.has_least = true}).Expand(ExpandReduce),
      Reduce("ReduceLogSum", {1, 18}).Expand(ExpandReduce),
      Reduce("ReduceLogSumExp", {1, 18}).Expand(ExpandLogSumExp),
      Reduce("ReduceMax", {1, 20}, InferReduce<Greater>, "T: number bool"),
      Reduce("ReduceMean", {1, 18}).Expand(ExpandMean),
      Reduce("ReduceMin", {1, 20}, InferReduce<Smaller>, "T: number bool"),
      Reduce("ReduceProd", {1, 18}, InferReduce<MultiplyBy>),
      Reduce("ReduceSum", {1, 13}, InferReduce<AddTo>),
      Reduce("ReduceSumSquare", {1, 18}).Expand(ExpandReduce),
  };
}

}  // namespace dragoman
