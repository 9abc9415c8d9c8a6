// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/reduce.h"

#include "core/ir/wide_float.h"
#include "core/ops/elements.h"
#include "core/ops/expansion_formula.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

// Combines an element into what has been reduced so far.
using Combine = Dim (*)(const Dim& so_far, const Dim& element);

// The sizes of the data that ReduceShape keeps, in their order. It is asked with sizes that tell
// the axes apart, so that it need not know the real ones.
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

OpBuilder Reduce(std::string_view type, InferFunction infer = InferReduce<nullptr>,
                 std::string_view variables = "T: number") {
  return Op(type, "(data: T, axes: i64?#) -> (reduced: T)", variables)
      .Attributes<rt::ReduceParams>()
      .Infer(std::move(infer))
      .Sizes(
          {.function = "ReduceShape", .header = "runtime/params/reduce.h", .arguments = "p s0 v1"})
      .Kernel({.header = "runtime/kernels/reduce.h", .types = "T"});
}

using Values = std::vector<Value*>;

// Sums of |x|, x² or x, the root of one or its logarithm, which integers leave: in float64. Halves
// are summed in float32, in which their squares do not overflow.
Result<Values> ExpandReduce(Node& node) {
  ExpansionFormula formula(node);
  const Type given = formula.type();
  const bool is_root = node.Is("ReduceL2");
  const bool is_log = node.Is("ReduceLogSum");
  const bool is_integer = IsInteger(given.dtype());
  DType dtype = given.dtype();
  if (dtype == DType::kUnknown)
    return Unsupported("the element type of its operand is unknown").At(node.Describe());
  if (is_integer && (is_root || is_log)) dtype = DType::kF64;
  if (!is_integer) dtype = WideFloat(dtype);
  formula.set_type(given.WithDType(dtype));
  Value* x = formula.Cast(formula.x(), formula.type());
  if (node.Is("ReduceL1") && (!is_integer || Info(dtype).is_signed)) x = formula.Add("Abs", {x});
  if (is_root || node.Is("ReduceSumSquare")) x = formula.Add("Mul", {x, x});
  Values operands = {x};
  if (node.num_operands() > 1) operands.push_back(node.operand(1));
  const Type reduced = node.result()->type().WithDType(dtype);
  Value* sum = formula.Add("ReduceSum", operands, reduced);
  sum->producer()->attributes() = node.attributes();
  if (is_root) sum = formula.Add("Sqrt", {sum}, reduced);
  if (is_log) sum = formula.Add("Log", {sum}, reduced);
  return Values{formula.Cast(sum, given)};
}

}  // namespace

std::vector<OpDef> ReduceOps() {
  return {
      Reduce("ReduceL1").Expand(ExpandReduce),
      Reduce("ReduceL2").Expand(ExpandReduce),
      Reduce("ReduceLogSum").Expand(ExpandReduce),
      Reduce("ReduceLogSumExp"),
      Reduce("ReduceMax", InferReduce<Greater>, "T: number bool"),
      Reduce("ReduceMean"),
      Reduce("ReduceMin", InferReduce<Smaller>, "T: number bool"),
      Reduce("ReduceProd", InferReduce<MultiplyBy>),
      Reduce("ReduceSum", InferReduce<AddTo>),
      Reduce("ReduceSumSquare").Expand(ExpandReduce),
  };
}

}  // namespace dragoman
