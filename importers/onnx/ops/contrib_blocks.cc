// Weights of 2, 4 or 8 bits with a scale for each block of a row.
#include <bit>
#include <span>
#include <string>
#include <utility>

#include "importers/onnx/ops/contrib_quantized.h"

namespace dragoman {
namespace {

// Operands of MatMulNBits.
enum : std::size_t { kA, kB, kScales, kZeroPoints, kGroups, kBias };

struct Blocks {
  std::int64_t bits = 4;
  std::int64_t size = 0;  // elements of a block
  std::int64_t rows = 0;
  std::int64_t count = 0;  // of a row
};

DType PackedType(std::int64_t bits) {
  return bits == 2 ? DType::kU2 : bits == 4 ? DType::kU4 : DType::kU8;
}

Result<const Tensor*> ConstantBytes(const OpLowering& op, std::size_t i) {
  const Tensor* tensor = op.operand(i) != nullptr ? op.operand(i)->tensor() : nullptr;
  if (tensor == nullptr)
    return op.Unsupported("operand " + std::to_string(i) + " is not a constant");
  if (tensor->dtype() != DType::kU8)
    return op.Invalid("operand " + std::to_string(i) + " does not hold bytes");
  return tensor;
}

// The elements of a row fill its bytes: what they are as a tensor of their own type.
Result<Value*> Unpacked(OpLowering& op, std::size_t i, const Blocks& blocks) {
  DRAGOMAN_ASSIGN(const Tensor* packed, ConstantBytes(op, i));
  const std::vector<std::int64_t> sizes = {blocks.rows, blocks.count * blocks.size};
  Result<Tensor> tensor = Tensor::Make(PackedType(blocks.bits), sizes, packed->buffer());
  if (!tensor.ok())
    return op.Invalid("operand " + std::to_string(i) + " has " + std::to_string(packed->size()) +
                      " bytes, which are not N rows of K elements");
  return op.builder.Constant(std::move(*tensor));
}

// Number `i` of a row that begins with a byte of its own.
unsigned NumberAt(const std::uint8_t* row, std::size_t i, std::size_t bits) {
  return (row[i * bits / 8] >> (i * bits % 8)) & ((1u << bits) - 1);
}

// Of each row `columns` numbers, without gaps.
template <class ValueAt>
Result<Value*> PackedGrid(OpLowering& op, const Blocks& blocks, std::int64_t columns,
                          ValueAt value_at) {
  const auto bits = static_cast<std::size_t>(blocks.bits);
  const auto count = static_cast<std::size_t>(blocks.rows * columns);
  std::vector<unsigned char> bytes((count * bits + 7) / 8, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned value =
        value_at(i / static_cast<std::size_t>(columns), i % static_cast<std::size_t>(columns));
    bytes[i * bits / 8] = static_cast<unsigned char>(bytes[i * bits / 8] | value << (i * bits % 8));
  }
  DRAGOMAN_ASSIGN(Tensor tensor,
                  Tensor::Make(PackedType(blocks.bits), {blocks.rows, columns},
                               Buffer::Own(std::string(bytes.begin(), bytes.end()))));
  return op.builder.Constant(std::move(tensor));
}

// Each row of zero points begins with a byte of its own.
Result<Value*> UnpackedZeroPoints(OpLowering& op, std::size_t i, const Blocks& blocks) {
  DRAGOMAN_ASSIGN(const Tensor* packed, ConstantBytes(op, i));
  const std::int64_t stride = (blocks.count * blocks.bits + 7) / 8;
  if (packed->size() != blocks.rows * stride)
    return op.Invalid("operand " + std::to_string(i) + " has " + std::to_string(packed->size()) +
                      " bytes, expected " + std::to_string(blocks.rows * stride));
  const std::uint8_t* source = packed->data<std::uint8_t>().data();
  return PackedGrid(op, blocks, blocks.count, [&](std::size_t row, std::size_t block) {
    return NumberAt(source + row * static_cast<std::size_t>(stride), block,
                    static_cast<std::size_t>(blocks.bits));
  });
}

Result<Value*> DefaultZeroPoints(OpLowering& op, const Blocks& blocks) {
  return PackedGrid(op, blocks, blocks.count,
                    [&](std::size_t, std::size_t) { return 1u << (blocks.bits - 1); });
}

Value* DequantizedBlocks(OpComposer& f, Value* packed, Value* scales, Value* zeros,
                         const Blocks& blocks) {
  return f.Op("DequantizeLinear", {packed, scales, zeros},
              {{"axis", std::int64_t{1}}, {"block_size", blocks.size}});
}

// (quantised - zero point) * scale, where zero points are real numbers.
Value* WithRealZeroPoints(OpComposer& f, Value* packed, Value* scales, Value* zeros,
                          const Blocks& blocks) {
  const auto grid = [&](Value* x, std::int64_t size) {
    return f.Op("Reshape", {x, f.Ints({blocks.rows, blocks.count, size})});
  };
  Value* centred = f.Op("Sub", {grid(f.CastLike(packed, scales), blocks.size), grid(zeros, 1)});
  Value* scaled = f.Op("Mul", {centred, grid(scales, 1)});
  return f.Op("Reshape", {scaled, f.Ints({blocks.rows, -1})});
}

// The columns in the order of the groups they belong to, if each group has as many as a block.
std::optional<std::vector<std::int64_t>> ColumnsByGroup(const Value* groups, const Blocks& blocks) {
  if (groups->tensor() == nullptr || groups->tensor()->size() != blocks.count * blocks.size)
    return std::nullopt;
  std::vector<std::vector<std::int64_t>> columns(static_cast<std::size_t>(blocks.count));
  const std::vector<std::int64_t> numbers = groups->tensor()->ToInts();
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k] < 0 || numbers[k] >= blocks.count) return std::nullopt;
    columns[static_cast<std::size_t>(numbers[k])].push_back(static_cast<std::int64_t>(k));
  }
  std::vector<std::int64_t> order;
  for (const std::vector<std::int64_t>& group : columns) {
    if (static_cast<std::int64_t>(group.size()) != blocks.size) return std::nullopt;
    order.insert(order.end(), group.begin(), group.end());
  }
  return order;
}

// Column order[k] of constant operand `i` as column k.
Result<Value*> Reordered(OpLowering& op, std::size_t i, const std::vector<std::int64_t>& order,
                         const Blocks& blocks) {
  DRAGOMAN_ASSIGN(const Tensor* packed, ConstantBytes(op, i));
  const auto bits = static_cast<std::size_t>(blocks.bits);
  const std::size_t stride = order.size() * bits / 8;
  const std::uint8_t* source = packed->data<std::uint8_t>().data();
  return PackedGrid(op, blocks, blocks.count * blocks.size, [&](std::size_t row, std::size_t k) {
    return NumberAt(source + row * stride, static_cast<std::size_t>(order[k]), bits);
  });
}

// Column k has the scale and the zero point of block `groups`[k] of its row.
Value* GroupedWeight(OpComposer& f, Value* packed, Value* scales, Value* zeros, Value* groups,
                     const Blocks& blocks) {
  const auto columns = [&](Value* grid) {
    return f.Op("Gather", {grid, groups}, {{"axis", std::int64_t{1}}});
  };
  Value* middle = f.Number(static_cast<double>(std::int64_t{1} << (blocks.bits - 1)), scales);
  if (zeros != nullptr) {
    zeros = f.Op("Reshape", {zeros, f.Ints({blocks.rows, blocks.count})});
    middle = columns(zeros);
  }
  Value* centred = f.Op("Sub", {packed, middle});
  return f.Op("Mul", {centred, columns(scales)});
}

// The weight of MatMulNBits, (N, K).
Result<Value*> BlockWeight(OpLowering& op, OpComposer& f, Value* packed, Value* scales,
                           Value* zeros, const Blocks& blocks) {
  if (zeros != nullptr && zeros->type().dtype() != DType::kU8)
    return WithRealZeroPoints(f, packed, scales, zeros, blocks);
  DRAGOMAN_ASSIGN(zeros, zeros != nullptr ? UnpackedZeroPoints(op, kZeroPoints, blocks)
                                          : DefaultZeroPoints(op, blocks));
  return DequantizedBlocks(f, packed, scales, zeros, blocks);
}

Result<Blocks> TakeBlocks(OpLowering& op, std::int64_t rows, std::int64_t columns) {
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> bits, op.TakeInt("bits"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> size, op.TakeInt("block_size"));
  Blocks blocks;
  blocks.bits = bits.value_or(4);
  blocks.size = size.value_or(0);
  if (blocks.bits != 2 && blocks.bits != 4 && blocks.bits != 8)
    return op.Unsupported("bits = " + std::to_string(blocks.bits));
  constexpr std::int64_t kLargest = std::int64_t{1} << 31;
  if (blocks.size < 16 || blocks.size > kLargest ||
      !std::has_single_bit(static_cast<std::uint64_t>(blocks.size)))
    return op.Invalid("block_size " + std::to_string(blocks.size) +
                      " is not a power of two of at least 16");
  if (rows < 1 || columns < 1 || rows > kLargest || columns > kLargest)
    return op.Invalid("the sizes of the weight are not positive, or too large");
  blocks.rows = rows;
  blocks.count = (columns + blocks.size - 1) / blocks.size;
  return blocks;
}

}  // namespace

// Of ONNX Runtime's forms of g_idx those that give the numbers of the definition: it leaves packed
// zero points out there, and reads other widths as 4 bits. Where each group is as large as a block,
// columns trade places, so that blocks stay.
LoweredResults LowerMatMulNBits(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({kA, kB, kScales}));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> columns, op.TakeInt("K"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> rows, op.TakeInt("N"));
  DRAGOMAN_ASSIGN(const Blocks blocks, TakeBlocks(op, rows.value_or(0), columns.value_or(0)));
  DRAGOMAN_ASSIGN(const bool prepacked, TakeFlag(op, "weight_prepacked"));
  op.Drop("accuracy_level");  // leave to compute less exactly
  if (prepacked) return op.Unsupported("weight_prepacked, a layout for one processor");
  OpComposer f(op);
  Value *a = op.operand(kA), *zeros = op.operand(kZeroPoints), *groups = op.operand(kGroups);
  if (groups != nullptr && blocks.bits != 4)
    return op.Unsupported("g_idx with bits = " + std::to_string(blocks.bits));
  if (groups != nullptr && zeros != nullptr && zeros->type().dtype() == DType::kU8)
    return op.Unsupported("g_idx with packed zero points, which ONNX Runtime leaves out");
  DRAGOMAN_ASSIGN(Value * packed, Unpacked(op, kB, blocks));
  Value* scales = f.Op("Reshape", {op.operand(kScales), f.Ints({blocks.rows, blocks.count})});
  const auto whole = [&](Value* x, std::int64_t axis) {
    const bool padded = *columns != blocks.count * blocks.size;
    return padded ? f.Op("Slice", {x, f.Ints({0}), f.Ints({*columns}), f.Ints({axis})}) : x;
  };
  const auto order = groups != nullptr ? ColumnsByGroup(groups, blocks) : std::nullopt;
  Value* weight = nullptr;
  if (groups != nullptr && !order) {
    weight = GroupedWeight(f, whole(f.CastLike(packed, scales), 1), scales, zeros, whole(groups, 0),
                           blocks);
  } else {
    if (order) {
      DRAGOMAN_ASSIGN(packed, Reordered(op, kB, *order, blocks));
      a = f.Op("Gather", {a, f.Ints(*order)}, {{"axis", std::int64_t{-1}}});
    }
    DRAGOMAN_ASSIGN(weight, BlockWeight(op, f, packed, scales, zeros, blocks));
    weight = whole(weight, 1);
  }
  return f.Finish({f.Op("dragoman.Linear", {a, weight, op.operand(kBias)}, {}, op.ResultName(0))});
}

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
