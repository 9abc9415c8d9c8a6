// SPDX-License-Identifier: Apache-2.0
// Unique: by comparing every item with every other. (R.unique gives no indices and sorts values
// only.)
#include "codegen/relax/ops/op_rows.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "codegen/relax/ops/runtime_sizes.h"

namespace dragoman::relax {
namespace {

class UniqueItems {
 public:
  UniqueItems(RelaxOp& op, bool has_axis, std::int64_t axis)
      : op_(op), has_axis_(has_axis), axis_(axis) {}

  Expressions Run();

 private:
  Result<std::string> Items(const Shape& shape);
  Result<std::string> Distinct(const std::string& is_first);
  std::string InOrder(const std::string& items, const std::string& firsts);

  std::string Rows(const std::string& x) { return Wide(x, 1); }
  std::string Columns(const std::string& x) { return Wide(x, 0); }
  std::string Wide(const std::string& x, int axis) {
    return op_.BindPlain(fmt::format("R.expand_dims({}, axis=[{}])", x, axis));
  }
  std::string Take(const std::string& x, const std::string& places, std::int64_t axis = 0) {
    return op_.BindPlain(fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", x, places, axis));
  }
  std::string FirstTrue(const std::string& mask, int axis) {
    return op_.BindPlain(fmt::format("R.argmax({}, axis={}, keepdims=False)",
                                     op_.Astype(mask, DType::kBool, DType::kI32), axis));
  }
  std::string Count(const std::string& mask) {
    return op_.BindPlain(fmt::format("R.sum({}, axis=[1], keepdims=False)",
                                     op_.Astype(mask, DType::kBool, DType::kI64)));
  }

  RelaxOp& op_;
  const bool has_axis_;
  const std::int64_t axis_;
};

// One row an item.
Result<std::string> UniqueItems::Items(const Shape& shape) {
  Dim count(1), length(1);
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool along = !has_axis_ || static_cast<std::int64_t>(i) == axis_;
    (along ? count : length) = (along ? count : length) * shape[i];
    axes.push_back(static_cast<std::int64_t>(i));
  }
  DRAGOMAN_ASSIGN(std::string sizes, op_.ShapeValue({count, length}));
  std::string x = op_.arg(0);
  if (has_axis_ && axis_ > 0) {
    axes.erase(axes.begin() + axis_);
    axes.insert(axes.begin(), axis_);
    x = op_.BindPlain(fmt::format("R.permute_dims({}, axes={})", x, ListText(axes)));
  }
  return op_.Do("reshape", x, sizes);
}

// Where the mask holds, as many as run time knows.
Result<std::string> UniqueItems::Distinct(const std::string& is_first) {
  const std::size_t count = op_.node.num_results();
  std::size_t present = 0;
  while (present < count && (op_.node.result(present) == nullptr || present == 2)) ++present;
  if (present >= count) return op_.Refuse("only the inverse indices are read");
  DRAGOMAN_ASSIGN(Shape shape, op_.result_shape(present));
  const auto at = static_cast<std::size_t>(present == 0 && has_axis_ ? axis_ : 0);
  const Type found = Type::Tensor(DType::kI64, Shape{Dim(1), shape[at]});
  DRAGOMAN_TRY(op_.declare(found));
  const std::string places = op_.Do("nonzero", is_first);
  const std::string named =
      op_.BindPlain(fmt::format("R.match_cast({}, {})", places, TypeText(found, op_.symbols)));
  return op_.BindPlain(fmt::format("R.squeeze({}, axis=[0])", named));
}

// `firsts` by the items that they number: each after as many as are less, at the first entry that
// differs.
std::string UniqueItems::InOrder(const std::string& items, const std::string& firsts) {
  const std::string distinct = Take(items, firsts);
  const std::string own = Rows(distinct), other = Columns(distinct);
  const std::string differ = op_.Do("not_equal", own, other);
  const std::string first = FirstTrue(differ, 2);
  const std::string place = op_.BindPlain(fmt::format("R.expand_dims({}, axis=[2])", first));
  const std::string less = op_.Do("less", other, own);
  const std::string is_there =
      op_.BindPlain(fmt::format("R.gather_elements({}, {}, axis=2)", less, place));
  const std::string alone = op_.BindPlain(fmt::format("R.squeeze({}, axis=[2])", is_there));
  const std::string order = op_.BindPlain(
      fmt::format("R.argsort({}, axis=0, descending=False, dtype=\"int64\")", Count(alone)));
  return Take(firsts, order);
}

Expressions UniqueItems::Run() {
  DRAGOMAN_ASSIGN(Shape shape, op_.shape(0));
  DRAGOMAN_ASSIGN(std::string items, Items(shape));
  const std::string equal = op_.Do("equal", Rows(items), Columns(items));
  const std::string same = op_.BindPlain(fmt::format("R.min({}, axis=[2], keepdims=False)",
                                                     op_.Astype(equal, DType::kBool, DType::kI32)));
  const std::string first =
      op_.BindPlain(fmt::format("R.argmax({}, axis=1, keepdims=False)", same));
  Dim count(1);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!has_axis_ || static_cast<std::int64_t>(i) == axis_) count = count * shape[i];
  }
  const std::optional<std::string> all = DimText(count, op_.symbols);
  if (!all) return op_.Refuse("a size is known at run time only");
  DRAGOMAN_ASSIGN(std::string firsts, Distinct(op_.Do("equal", first, Places(op_, *all))));
  if (op_.Int("sorted") != 0) firsts = InOrder(items, firsts);
  const std::string x = has_axis_ ? op_.arg(0) : op_.Do("flatten", op_.arg(0));
  const std::string mine = op_.Do("equal", Rows(firsts), Columns(first));
  return std::vector{Take(x, firsts, has_axis_ ? axis_ : 0), firsts, FirstTrue(mine, 0),
                     Count(mine)};
}

Expressions EmitUnique(RelaxOp& op) {
  const bool has_axis = op.node.attribute("axis") != nullptr;
  std::int64_t axis = 0;
  if (has_axis) {
    DRAGOMAN_ASSIGN(axis, op.Axis("axis"));
  }
  return UniqueItems(op, has_axis, axis).Run();
}

}  // namespace

std::span<const Row> UniqueRows() {
  static constexpr Row kRows[] = {
      {"Unique", EmitUnique},
  };
  return kRows;
}

}  // namespace dragoman::relax
