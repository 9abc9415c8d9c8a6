#include "codegen/relax/ops/runtime_sizes.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace dragoman::relax {

bool IsSaid(const RelaxOp& op, const Shape& shape) {
  return ShapeText(shape, op.symbols).has_value();
}

std::string Int64Const(std::int64_t value) { return fmt::format("R.const({}, \"int64\")", value); }

std::string AsInt64(RelaxOp& op, std::size_t i) {
  if (op.dtype(i) == DType::kI64) return op.arg(i);
  return op.BindPlain(fmt::format("R.astype({}, dtype=\"int64\")", op.arg(i)));
}

std::string ElementOf(RelaxOp& op, const std::string& vector, std::int64_t at) {
  return op.BindPlain(fmt::format("R.take({}, {}, axis=0, mode=\"fast\")", vector, Int64Const(at)));
}

std::string SizesOf(RelaxOp& op, const std::string& x) {
  return op.Do("shape_to_tensor", op.Do("shape_of", x));
}

std::string SizeOf(RelaxOp& op, std::size_t i, const Dim& size, std::int64_t axis) {
  if (size.known()) return Int64Const(size.value());
  return ElementOf(op, SizesOf(op, op.arg(i)), axis);
}

Result<std::string> NameSizes(RelaxOp& op, const std::string& sizes, const Shape& shape) {
  if (!IsSaid(op, shape)) {
    for (const Dim& dim : shape) {
      for (const std::string& symbol : dim.Symbols()) {
        const auto is_it = [&symbol](const Dim& d) {
          return d.symbol() != nullptr && *d.symbol() == symbol;
        };
        if (op.symbols.contains(symbol) || std::ranges::any_of(shape, is_it)) continue;
        return op.Refuse("a size that is known as a part of others only");
      }
    }
    const Type named = Type::Tensor(DType::kI64, shape);
    DRAGOMAN_TRY(op.declare(named));
    const std::optional<std::string> text = ShapeValueText(shape, op.symbols);
    if (!text) return op.Refuse("a size that cannot be expressed");
    const std::string value = op.Do("tensor_to_shape", sizes);
    op.BindPlain(fmt::format("R.match_cast({}, R.S{})", value, text->substr(3)));
  }
  return op.ShapeValue(shape);
}

Result<std::string> NameSize(RelaxOp& op, const std::string& size, const Dim& dim) {
  if (!IsSaid(op, {dim})) {
    DRAGOMAN_TRY(NameSizes(op, op.Do("reshape", size, "R.shape([1])"), {dim}));
  }
  return *DimText(dim, op.symbols);
}

std::string Places(RelaxOp& op, const std::string& n) {
  return op.BindPlain(fmt::format("R.arange(0, {}, 1, dtype=\"int64\")", n));
}

}  // namespace dragoman::relax
