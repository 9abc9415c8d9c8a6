// SPDX-License-Identifier: Apache-2.0
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

std::string CastTo(RelaxOp& op, std::size_t i, Shape wanted) {
  const Shape* own = op.type(i).shape();
  const bool fits =
      own != nullptr && std::ranges::equal(*own, wanted, [](const Dim& a, const Dim& b) {
        return Equal(a, b) == Truth::kYes;
      });
  if (fits || !IsSaid(op, wanted)) return op.arg(i);
  const std::string type = TypeText(op.type(i).WithShape(std::move(wanted)), op.symbols);
  return op.Do("match_cast", op.arg(i), type);
}

std::string Stretched(RelaxOp& op, const std::string& x, std::int64_t axis, const std::string& size,
                      const std::string& count) {
  const std::string moves =
      op.Do("astype", op.Do("not_equal", size, Int64Const(1)), "dtype=\"int64\"");
  const std::string places = op.Do("multiply", Places(op, count), moves);
  return op.BindPlain(fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", x, places, axis));
}

namespace {

// The size of operand `i` along axis `axis` of the result; nullptr: it is 1 there, or has no such
// axis.
const Dim* SizeAlong(const RelaxOp& op, std::size_t i, std::size_t axis, std::size_t rank) {
  const Shape* shape = op.has(i) ? op.type(i).shape() : nullptr;
  if (shape == nullptr || axis + shape->size() < rank) return nullptr;
  const Dim& size = (*shape)[axis + shape->size() - rank];
  return size == Dim(1) ? nullptr : &size;
}

// Whether the sizes along an axis of the result are provably one.
bool IsProved(const RelaxOp& op, std::size_t axis, std::size_t rank) {
  const Dim* first = nullptr;
  for (std::size_t i = 0; i < op.node.num_operands(); ++i) {
    const Dim* size = SizeAlong(op, i, axis, rank);
    if (size == nullptr) continue;
    if (first != nullptr && Equal(*first, *size) != Truth::kYes) return false;
    first = size;
  }
  return true;
}

}  // namespace

Result<std::vector<std::string>> FitOperands(RelaxOp& op) {
  const Shape* result = op.node.result(0) != nullptr ? op.result_type().shape() : nullptr;
  std::vector<std::string> operands;
  for (std::size_t i = 0; i < op.node.num_operands(); ++i) {
    if (!op.has(i) || op.type(i).shape() == nullptr) result = nullptr;
    operands.push_back(op.has(i) ? op.arg(i) : "None");
  }
  if (result == nullptr) return operands;
  const std::size_t rank = result->size();
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (IsProved(op, axis, rank)) continue;
    std::vector<std::string> sizes(operands.size());
    std::string common;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Dim* size = SizeAlong(op, i, axis, rank);
      if (size == nullptr) continue;
      const std::size_t own = axis + op.type(i).shape()->size() - rank;
      sizes[i] = SizeOf(op, i, *size, static_cast<std::int64_t>(own));
      common = common.empty()
                   ? sizes[i]
                   : op.Do("where", op.Do("equal", common, Int64Const(1)), sizes[i], common);
    }
    DRAGOMAN_ASSIGN(const std::string count, NameSize(op, common, (*result)[axis]));
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const Dim* size = SizeAlong(op, i, axis, rank);
      if (size == nullptr || Equal(*size, (*result)[axis]) == Truth::kYes) continue;
      const std::size_t own = axis + op.type(i).shape()->size() - rank;
      operands[i] = Stretched(op, operands[i], static_cast<std::int64_t>(own), sizes[i], count);
    }
  }
  return operands;
}

std::string Places(RelaxOp& op, const std::string& n) {
  return op.BindPlain(fmt::format("R.arange(0, {}, 1, dtype=\"int64\")", n));
}

}  // namespace dragoman::relax
