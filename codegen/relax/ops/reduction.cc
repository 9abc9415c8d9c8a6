// Reductions.
#include <numeric>

#include <fmt/format.h>

#include "codegen/relax/ops/emitters.h"

namespace dragoman::relax {
namespace {

struct Reduction {
  std::vector<std::int64_t> axes;
  std::string keepdims;
};

// The axes written out, so that none of them means all of them.
Result<Reduction> ReductionOf(const RelaxOp& op) {
  Reduction reduction;
  reduction.keepdims = op.Int("keepdims", 1) != 0 ? "True" : "False";
  if (op.has(1)) {
    DRAGOMAN_ASSIGN(reduction.axes, op.KnownInts(1));
  }
  if (reduction.axes.empty() && op.Int("noop_with_empty_axes", 0) == 0) {
    DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
    reduction.axes.resize(shape.size());
    std::iota(reduction.axes.begin(), reduction.axes.end(), 0);
  }
  return reduction;
}

std::string Call(std::string_view function, const std::string& x, const Reduction& reduction) {
  return fmt::format("R.{}({}, axis={}, keepdims={})", function, x, ListText(reduction.axes),
                     reduction.keepdims);
}

std::string BindLike(RelaxOp& op, const std::string& expression) {
  return op.bind(expression, op.type());
}

Expressions One(std::string expression) { return std::vector<std::string>{std::move(expression)}; }

// log(sum(exp(x - max))) + max
Expressions LogSumExp(RelaxOp& op, const Reduction& reduction) {
  const Reduction kept{reduction.axes, "True"};
  const std::string max = op.bind(Call("max", op.arg(0), kept), {});
  const std::string shifted = BindLike(op, fmt::format("R.subtract({}, {})", op.arg(0), max));
  const std::string exp = BindLike(op, fmt::format("R.exp({})", shifted));
  const std::string sum = op.bind(Call("sum", exp, reduction), op.result_type());
  const std::string log = op.bind(fmt::format("R.log({})", sum), op.result_type());
  const std::string offset =
      reduction.keepdims == "True"
          ? max
          : op.bind(fmt::format("R.squeeze({}, axis={})", max, ListText(reduction.axes)),
                    op.result_type());
  return One(fmt::format("R.add({}, {})", log, offset));
}

}  // namespace

Expressions EmitReduce(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Reduction reduction, ReductionOf(op));
  const std::string& type = op.node.op().type;
  if (op.dtype() == DType::kBool) return op.Refuse("reductions of bool");
  if (reduction.axes.empty()) return op.Refuse("a reduction over no axes");
  if (type == "ReduceMean" && !IsFloating(op.dtype())) return op.Refuse("the mean of integers");
  const std::string x = op.arg(0);
  if (type == "ReduceMax") return One(Call("max", x, reduction));
  if (type == "ReduceMin") return One(Call("min", x, reduction));
  if (type == "ReduceMean") return One(Call("mean", x, reduction));
  if (type == "ReduceProd") return One(Call("prod", x, reduction));
  if (type == "ReduceSum") return One(Call("sum", x, reduction));
  if (type == "ReduceL1")
    return One(Call("sum", BindLike(op, fmt::format("R.abs({})", x)), reduction));
  const bool squares = type == "ReduceL2" || type == "ReduceSumSquare";
  if (squares) {
    const std::string sum =
        Call("sum", BindLike(op, fmt::format("R.multiply({}, {})", x, x)), reduction);
    if (type == "ReduceSumSquare") return One(sum);
    if (!IsFloating(op.dtype())) return op.Refuse("the root of integers");
    return One(fmt::format("R.sqrt({})", op.bind(sum, op.result_type())));
  }
  if (!IsFloating(op.dtype())) return op.Refuse("the logarithm of integers");
  if (type == "ReduceLogSum") {
    return One(fmt::format("R.log({})", op.bind(Call("sum", x, reduction), op.result_type())));
  }
  return LogSumExp(op, reduction);
}

// Relax takes the first of equal elements, as ONNX does unless select_last_index is set.
Expressions EmitArgReduce(RelaxOp& op) {
  if (op.Int("select_last_index", 0) != 0) return op.Refuse("the last of equal elements");
  return One(fmt::format("R.{}({}, axis={}, keepdims={})",
                         op.node.op().type == "ArgMax" ? "argmax" : "argmin", op.arg(0),
                         op.Int("axis", 0), op.Int("keepdims", 1) != 0 ? "True" : "False"));
}

}  // namespace dragoman::relax
