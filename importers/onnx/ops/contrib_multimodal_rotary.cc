// SPDX-License-Identifier: Apache-2.0
// MRotaryEmbedding: three positions a token, of time, height and width, each of which turns some of
// the features.
#include <string>
#include <vector>

#include "importers/onnx/ops/contrib.h"
#include "importers/onnx/ops/heads.h"

namespace dragoman {
namespace {

enum Operand : std::size_t {
  kX,       // (batch, steps, heads · features) or (batch, heads, steps, features)
  kPlaces,  // (3, batch, steps)
  kCosTable,
  kSinTable
};
constexpr std::size_t kPositions = 3;

// Which of the positions turns each column of the tables.
Result<std::vector<std::size_t>> TakeColumns(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::vector<std::int64_t>> given,
                  op.TakeInts("mrope_section"));
  DRAGOMAN_ASSIGN(const bool interleaved, TakeFlag(op, "mrope_layout"));
  constexpr std::int64_t kMost = 1 << 20;
  if (!given || given->size() != kPositions)
    return op.Invalid("mrope_section does not hold three sizes");
  std::int64_t count = 0;
  for (const std::int64_t size : *given) {
    if (size < 0 || size > kMost) return op.Invalid("mrope_section holds no sizes");
    count += size;
  }
  std::vector<std::size_t> columns;
  for (std::int64_t j = 0; j < count; ++j) {
    std::size_t position = 0;
    if (interleaved) {
      position = static_cast<std::size_t>(j % 3);
      if (j / 3 >= (*given)[position]) position = 0;
    } else {
      position = j < (*given)[0] ? 0 : j < (*given)[0] + (*given)[1] ? 1 : 2;
    }
    columns.push_back(position);
  }
  return columns;
}

// (positions, 1, 1, columns): 1 where the position turns the column.
Value* Choices(OpLowering& op, const std::vector<std::size_t>& columns) {
  std::vector<float> ones(kPositions * columns.size(), 0);
  for (std::size_t j = 0; j < columns.size(); ++j) ones[columns[j] * columns.size() + j] = 1;
  return op.builder.Constant(
      Tensor::Of<float>({3, 1, 1, static_cast<std::int64_t>(columns.size())}, ones));
}

}  // namespace

LoweredResults LowerMultimodalRotaryEmbedding(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({kX, kPlaces, kCosTable, kSinTable}));
  DRAGOMAN_ASSIGN(const std::vector<std::size_t> columns, TakeColumns(op));
  DRAGOMAN_ASSIGN(const bool of_pairs, TakeFlag(op, "interleaved"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> heads, op.TakeInt("num_heads"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> rotated, op.TakeInt("rotary_embedding_dim"));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(kX));
  if (rank != 3 && rank != 4) return op.Invalid("the operand's rank is neither 3 nor 4");
  if (rank == 3 && heads.value_or(0) < 1) return op.Invalid("num_heads is missing");
  const std::int64_t size = rotated.value_or(0);
  if (size < 0 || (size > 0 && size != 2 * static_cast<std::int64_t>(columns.size())))
    return op.Invalid("mrope_section does not fill half of rotary_embedding_dim");
  OpComposer f(op);
  Value* choices = f.CastLike(Choices(op, columns), op.operand(kCosTable));
  const auto table = [&](std::size_t i) {
    Value* rows = f.Gather(op.operand(i), op.operand(kPlaces), 0);
    Value* chosen =
        f.Op("ReduceSum", {f.Mul(rows, choices), f.Ints({0})}, {{"keepdims", std::int64_t{0}}});
    return f.Unsqueeze(chosen, {rank == 3 ? 2 : 1});
  };
  Value* x = op.operand(kX);
  if (rank == 3) x = f.Op("Reshape", {x, f.Ints({0, 0, *heads, -1})});
  Value* result = Rotated(f, x, size, {table(kCosTable), table(kSinTable), of_pairs});
  Value* sizes = f.Op("Shape", {op.operand(kX)});
  return f.Finish({f.Op("Reshape", {result, sizes}, {}, op.ResultName(0))});
}

}  // namespace dragoman
