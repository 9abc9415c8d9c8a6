// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/packed_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "core/interpreter/evaluate.h"
#include "core/ir/unpack.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/kernel_name.h"

namespace dragoman {
namespace {

constexpr std::int64_t kWidened = 1 << 17;  // elements at a time: what a second cache holds
constexpr std::int64_t kRowsOfBytes = 4;    // that many rows of 2 bits or more fill their bytes

// Whether `node` widens a constant, by blocks of its rows, to the weight of a Linear, which alone
// reads it.
bool WidensWeight(const Node& node) {
  if (!node.Is("DequantizeLinear") || !node.result()->HasOneUse()) return false;
  const Use& use = *node.result()->first_use();
  const Tensor* matrix = node.operand(0)->tensor();
  if (use.user() == nullptr || !use.user()->IsDragoman("Linear") || use.index() != 1 ||
      use.graph() != node.graph() || !node.operand(0)->is_constant() || matrix == nullptr ||
      matrix->rank() != 2 || matrix->sizes()[0] == 0)
    return false;
  const auto of_rows = [&](const Value* factors) {
    const Shape* shape = factors->type().shape();
    return shape != nullptr && shape->size() == 2 && (*shape)[0].known() &&
           (*shape)[0].value() == matrix->sizes()[0];
  };
  const Value *scales = node.operand(1), *zeros = node.operand(2);
  const bool blocks = IntAttribute(node, "block_size") > 0 && IntAttribute(node, "axis") % 2 != 0;
  return blocks && of_rows(scales) && (zeros == nullptr || of_rows(zeros));
}

// `count` rows from `first` on, a multiple of kRowsOfBytes.
Result<Array> RowsOf(const Tensor& matrix, std::int64_t first, std::int64_t count) {
  const std::int64_t columns = matrix.sizes()[1], per_byte = ElementsPerByte(matrix.dtype());
  const auto begin = static_cast<std::size_t>(first * columns / per_byte);
  const auto size = static_cast<std::size_t>((count * columns + per_byte - 1) / per_byte);
  const auto owner = std::make_shared<const Tensor>(matrix);
  DRAGOMAN_ASSIGN(Tensor rows,
                  Tensor::Make(matrix.dtype(), {count, columns},
                               Buffer::Window(owner->bytes().subspan(begin, size), owner)));
  return Array::FromTensor(rows);
}

// Part `index` of the first axis, where all parts but the last have `height` indices; `count` of
// it.
Array PartOf(const Array& whole, std::int64_t index, std::int64_t height, std::int64_t count) {
  if (!whole.present()) return whole;
  rt::Shape shape = whole.shape();
  shape[0] = height;
  const Array part = whole.Slice(index, shape);
  shape[0] = count;
  return part.Reshaped(shape);
}

// Puts `part` (..., count) into columns of `whole` (..., columns), from `first` on.
void PutColumns(const Array& part, std::int64_t first, Array& whole) {
  const std::int64_t count = part.shape().back(), columns = whole.shape().back();
  const auto width = static_cast<std::int64_t>(RuntimeBytes(whole.dtype()));
  const auto* from = static_cast<const std::byte*>(part.data());
  auto* to = static_cast<std::byte*>(whole.data()) + first * width;
  for (std::int64_t row = 0; row < whole.size() / columns; ++row) {
    std::memcpy(to + row * columns * width, from + row * count * width,
                static_cast<std::size_t>(count * width));
  }
}

}  // namespace

bool IsWidenedByRows(const Value& constant) {
  if (!constant.HasOneUse()) return false;
  const Node* user = constant.first_use()->user();
  return user != nullptr && constant.first_use()->index() == 0 && WidensWeight(*user);
}

bool PackedRows::Keep(const Node& node, const std::vector<RuntimeValue>& operands) {
  if (!WidensWeight(node)) return false;
  kept_[&node] = {operands[1].array, operands.size() > 2 ? operands[2].array : Array()};
  return true;
}

bool PackedRows::Has(const Node& node) const {
  return !kept_.empty() && node.IsDragoman("Linear") && kept_.contains(node.operand(1)->producer());
}

Result<std::vector<RuntimeValue>> PackedRows::Multiply(const Node& node,
                                                       const std::vector<RuntimeValue>& operands) {
  const Node& widen = *node.operand(1)->producer();
  const auto kept = kept_.find(&widen);
  const Factors factors = std::move(kept->second);
  kept_.erase(kept);
  const Tensor& matrix = *widen.operand(0)->tensor();
  const std::int64_t rows = matrix.sizes()[0];
  const std::int64_t step =
      std::max<std::int64_t>(kWidened / std::max<std::int64_t>(matrix.sizes()[1], 1) / kRowsOfBytes,
                             1) *
      kRowsOfBytes;
  const Array& x = operands[0].array;
  const Array bias = operands.size() > 2 ? operands[2].array : Array();
  Array y;
  for (std::int64_t first = 0; first < rows; first += step) {
    const std::int64_t count = std::min(step, rows - first);
    const auto part = [&](const Array& of) { return PartOf(of, first / step, step, count); };
    DRAGOMAN_ASSIGN(Array packed, RowsOf(matrix, first, count));
    const Array packed_rows[] = {packed, part(factors.scales), part(factors.zeros)};
    DRAGOMAN_ASSIGN(const std::vector<Array> weight, EvaluateNode(widen, packed_rows));
    const Array product[] = {x, weight.front(), part(bias)};
    DRAGOMAN_ASSIGN(const std::vector<Array> columns, EvaluateNode(node, product));
    if (first == 0) {
      rt::Shape shape = columns.front().shape();
      shape[shape.size() - 1] = rows;
      DRAGOMAN_ASSIGN(y, Array::Make(columns.front().dtype(), shape));
    }
    PutColumns(columns.front(), first, y);
  }
  return std::vector<RuntimeValue>{RuntimeValue::Of(std::move(y))};
}

}  // namespace dragoman
