// SPDX-License-Identifier: Apache-2.0
// Range: R.arange counts from a known start in known steps; any other is computed from the places.
#include "codegen/relax/ops/op_rows.h"

#include <fmt/format.h>

#include "codegen/relax/ops/runtime_sizes.h"

namespace dragoman::relax {
namespace {

// R.arange, where it says the range.
std::optional<std::string> Counted(const RelaxOp& op) {
  const auto start = op.inference.KnownInts(op.node.operand(0));
  const auto delta = op.inference.KnownInts(op.node.operand(2));
  if (!IsInteger(op.dtype()) || !start || !delta || delta->front() <= 0) return std::nullopt;
  const Knowledge limit = op.inference.Know(op.node.operand(1));
  if (!limit.elements || limit.elements->size() != 1) return std::nullopt;
  const Dim& last = limit.elements->front();
  if (start->front() != 0 && !last.known()) return std::nullopt;
  const std::optional<std::string> end = DimText(last, op.symbols);
  if (!end) return std::nullopt;
  return fmt::format("R.arange({}, {}, {}, dtype=\"{}\")", start->front(), *end, delta->front(),
                     RelaxDType(op.dtype()));
}

// max(ceil((limit - start) / delta), 0)
std::string CountOf(RelaxOp& op) {
  std::string count;
  if (IsFloating(op.dtype())) {
    const std::string span = op.Do("subtract", op.arg(1), op.arg(0));
    const std::string steps = op.Do("ceil", op.Do("divide", span, op.arg(2)));
    count = op.BindPlain(fmt::format("R.astype({}, dtype=\"int64\")", steps));
  } else {
    const std::string back = op.Do("subtract", AsInt64(op, 0), AsInt64(op, 1));
    count = op.Do("negative", op.Do("floor_divide", back, AsInt64(op, 2)));
  }
  return op.Do("maximum", count, Int64Const(0));
}

Expressions EmitRange(RelaxOp& op) {
  if (std::optional<std::string> counted = Counted(op)) return One(*counted);
  DRAGOMAN_ASSIGN(Shape shape, op.result_shape());
  std::string whole;
  if (!IsSaid(op, shape)) whole = CountOf(op);
  DRAGOMAN_ASSIGN(std::string count, NameSize(op, whole, shape[0]));
  std::string places = Places(op, count);
  if (op.dtype() != DType::kI64)
    places =
        op.BindPlain(fmt::format("R.astype({}, dtype=\"{}\")", places, RelaxDType(op.dtype())));
  return One(fmt::format("R.add({}, {})", op.Do("multiply", places, op.arg(2)), op.arg(0)));
}

}  // namespace

std::span<const Row> RangeRows() {
  static constexpr Row kRows[] = {
      {"Range", EmitRange},
  };
  return kRows;
}

}  // namespace dragoman::relax
