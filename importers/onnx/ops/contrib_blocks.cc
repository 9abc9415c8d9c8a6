// SPDX-License-Identifier: Apache-2.0
// Bytes that hold several numbers, and tables of such rows with a scale for each block.
#include <string>
#include <utility>

#include "importers/onnx/ops/contrib_quantized.h"

namespace dragoman {

Value* Spread(OpLowering& op, OpComposer& f, Value* bytes, std::int64_t bits, int rank) {
  if (bits == 8) return bytes;
  const auto byte = [&](std::int64_t value) { return f.Cast(op.builder.Int(value), DType::kU8); };
  std::vector<Value*> parts;
  for (std::int64_t shift = 0; shift < 8; shift += bits) {
    Value* shifted = f.Op("BitShift", {bytes, byte(shift)}, {{"direction", "RIGHT"}});
    Value* part = f.Op("BitwiseAnd", {shifted, byte((1 << bits) - 1)});
    parts.push_back(f.Op("Unsqueeze", {part, f.Ints({-1})}));
  }
  Value* grid = f.Op("Concat", std::move(parts), {{"axis", std::int64_t{-1}}});
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(rank), 0);
  const Shape* shape = bytes != nullptr ? bytes->type().shape() : nullptr;
  const bool known = shape != nullptr && shape->back().known();
  sizes.back() = known ? shape->back().value() * (8 / bits) : -1;
  return f.Op("Reshape", {grid, f.Ints(sizes)});
}

namespace {

// Constant numbers of 4 bits as the bytes that hold them; others as they are.
Result<Value*> AsBytes(OpLowering& op, std::size_t i) {
  const DType dtype = op.operand(i)->type().dtype();
  if (dtype == DType::kU8) return op.operand(i);
  const Tensor* tensor = op.operand(i)->tensor();
  if (tensor == nullptr)
    return op.Unsupported("operand " + std::to_string(i) + " is not a constant");
  std::vector<std::int64_t> sizes = tensor->sizes();
  if (sizes.empty() || sizes.back() % 2 != 0)
    return op.Unsupported("rows of 4-bit numbers that do not fill their bytes");
  sizes.back() /= 2;
  DRAGOMAN_ASSIGN(Tensor bytes, Tensor::Make(DType::kU8, std::move(sizes), tensor->buffer()));
  return op.builder.Constant(std::move(bytes));
}

struct BlockTable {
  std::int64_t bits = 4;
  std::int64_t block_size = 128;
  bool is_signed = false;  // 4-bit numbers: with the sign turned over they are 8 larger
};

Result<BlockTable> TakeBlockTable(OpLowering& op, int rank) {
  BlockTable table;
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> bits, op.TakeInt("bits"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> size, op.TakeInt("block_size"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> gathered, op.TakeInt("gather_axis"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> blocked, op.TakeInt("quantize_axis"));
  const DType dtype = op.operand(0)->type().dtype();
  const std::int64_t axis = blocked.value_or(1);
  table.bits = dtype == DType::kU8 ? bits.value_or(4) : 4;
  table.block_size = size.value_or(128);
  table.is_signed = dtype == DType::kI4;
  if (dtype != DType::kU8 && dtype != DType::kU4 && !table.is_signed)
    return op.Unsupported("data of type " + std::string(Name(dtype)));
  if (table.bits != 2 && table.bits != 4 && table.bits != 8)
    return op.Unsupported("bits = " + std::to_string(table.bits));
  if (rank < 2 || gathered.value_or(0) != 0 || (axis != rank - 1 && axis != -1))
    return op.Unsupported("rows that are not gathered along the first axis, blocks along the last");
  return table;
}

}  // namespace

// The rows are gathered before they are spread and scaled.
LoweredResults LowerGatherBlockQuantized(OpLowering& op) {
  enum : std::size_t { kData, kIndices, kBlockScales, kBlockZeros };
  DRAGOMAN_TRY(op.Require({kData, kIndices, kBlockScales}));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(kData));
  DRAGOMAN_ASSIGN(const int indices_rank, op.Rank(kIndices));
  DRAGOMAN_ASSIGN(const BlockTable table, TakeBlockTable(op, rank));
  const int result_rank = rank + indices_rank - 1;
  OpComposer f(op);
  const auto rows = [&](Value* of) { return f.Op("Gather", {of, op.operand(kIndices)}); };
  const auto byte = [&](std::int64_t value) { return f.Cast(op.builder.Int(value), DType::kU8); };
  const auto numbers = [&](Value* bytes) {
    Value* spread = Spread(op, f, rows(bytes), table.bits, result_rank);
    return table.is_signed ? f.Op("BitwiseXor", {spread, byte(8)}) : spread;
  };
  DRAGOMAN_ASSIGN(Value * data, AsBytes(op, kData));
  Value* scales = rows(op.operand(kBlockScales));
  Value* zeros = nullptr;
  if (op.operand(kBlockZeros) != nullptr) {
    DRAGOMAN_ASSIGN(Value * packed, AsBytes(op, kBlockZeros));
    Value* blocks = f.SizeVector(scales, result_rank - 1, 1);  // the last byte may be half full
    zeros = f.Op("Slice", {numbers(packed), f.Ints({0}), blocks, f.Ints({-1})});
  } else {
    const bool is_unsigned = op.operand(kData)->type().dtype() == DType::kU4;
    const std::int64_t middle = is_unsigned ? 0 : std::int64_t{1} << (table.bits - 1);
    zeros = f.Op("Expand", {byte(middle), f.Op("Shape", {scales})});
  }
  return f.Finish(
      {f.Op("DequantizeLinear", {numbers(data), scales, zeros},
            {{"axis", std::int64_t{-1}}, {"block_size", table.block_size}}, op.ResultName(0))});
}

}  // namespace dragoman
