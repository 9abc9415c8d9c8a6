// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/transpose_weight.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace dragoman {
namespace {

// In blocks, so that what is read and what is written stays in the cache.
std::string Transposed(const std::byte* data, std::size_t rows, std::size_t columns,
                       std::size_t bytes) {
  constexpr std::size_t kBlock = 32;
  std::string out(rows * columns * bytes, '\0');
  for (std::size_t row = 0; row < rows; row += kBlock) {
    for (std::size_t column = 0; column < columns; column += kBlock) {
      const std::size_t last_row = std::min(row + kBlock, rows);
      const std::size_t last_column = std::min(column + kBlock, columns);
      for (std::size_t i = row; i < last_row; ++i) {
        for (std::size_t k = column; k < last_column; ++k)
          std::memcpy(&out[(k * rows + i) * bytes], data + (i * columns + k) * bytes, bytes);
      }
    }
  }
  return out;
}

}  // namespace

void TransposeWeight(Value* weight) {
  if (weight == nullptr || !weight->is_constant() || !weight->HasOneUse()) return;
  Node* node = weight->first_use()->user();
  const Tensor* tensor = weight->tensor();
  if (node == nullptr || !node->Is("Transpose") || tensor == nullptr || tensor->rank() != 2) return;
  const int bits = Info(tensor->dtype()).bits;
  if (bits == 0 || bits % 8 != 0 || node->graph() != weight->graph()) return;
  const std::int64_t rows = tensor->sizes()[0];
  const std::int64_t columns = tensor->sizes()[1];
  std::string elements =
      Transposed(tensor->bytes().data(), static_cast<std::size_t>(rows),
                 static_cast<std::size_t>(columns), static_cast<std::size_t>(bits / 8));
  Result<Tensor> made =
      Tensor::Make(tensor->dtype(), {columns, rows}, Buffer::Own(std::move(elements)));
  if (!made.ok()) return;
  Value* constant = node->graph()->AddConstant(node->result()->name(), std::move(*made));
  constant->set_origin(weight->origin());
  node->result()->ReplaceAllUsesWith(constant);
  node->graph()->Erase(node);
  weight->graph()->EraseConstantsIf([&](const Value& value) { return &value == weight; });
}

}  // namespace dragoman
