// SPDX-License-Identifier: Apache-2.0
// MatMulNBits: a product by a constant weight (N, K) of 2, 4 or 8 bits, each row in blocks with a
// scale and a zero point for each. It becomes a Linear of DequantizeLinear by blocks, which run
// from the packed weight:
//   K that no block divides   A and the weight are padded up to whole blocks
//   g_idx                     columns are put in the order of their groups, each padded likewise
//   zero points that are real the middle of the integers is the zero point, and what is missing is
//                             added: sum_k a[k] (middle - zero) scale, the same for a whole block
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "importers/onnx/ops/contrib.h"

namespace dragoman {
namespace {

enum Operand : std::size_t { kA, kB, kScales, kZeroPoints, kGroups, kBias };

struct Blocks {
  std::int64_t bits = 4;
  std::int64_t size = 0;  // elements of a block
  std::int64_t rows = 0;
  std::int64_t count = 0;  // of a row

  std::int64_t columns() const { return count * size; }
  unsigned middle() const { return 1u << (bits - 1); }
};

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

DType PackedType(const Blocks& blocks) {
  return blocks.bits == 2 ? DType::kU2 : blocks.bits == 4 ? DType::kU4 : DType::kU8;
}

// The constant operand `i`, which holds rows of `stride` bytes.
Result<const Tensor*> ConstantRows(const OpLowering& op, std::size_t i, const Blocks& blocks,
                                   std::int64_t stride) {
  const Tensor* tensor = op.operand(i) != nullptr ? op.operand(i)->tensor() : nullptr;
  if (tensor == nullptr)
    return op.Unsupported("operand " + std::to_string(i) + " is not a constant");
  if (tensor->dtype() != DType::kU8)
    return op.Invalid("operand " + std::to_string(i) + " does not hold bytes");
  if (tensor->size() != blocks.rows * stride)
    return op.Invalid("operand " + std::to_string(i) + " has " + std::to_string(tensor->size()) +
                      " bytes, expected " + std::to_string(blocks.rows * stride));
  return tensor;
}

// Number `i` of a row that begins with a byte of its own.
unsigned NumberAt(const std::uint8_t* row, std::size_t i, std::size_t bits) {
  return (row[i * bits / 8] >> (i * bits % 8)) & ((1u << bits) - 1);
}

// A constant of `columns` numbers of each row, without gaps.
template <class ValueAt>
Result<Value*> PackedGrid(OpLowering& op, const Blocks& blocks, std::int64_t columns,
                          ValueAt value_at) {
  const auto bits = static_cast<std::size_t>(blocks.bits);
  const auto width = static_cast<std::size_t>(columns);
  const std::size_t count = static_cast<std::size_t>(blocks.rows) * width;
  std::string bytes((count * bits + 7) / 8, '\0');
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned value = value_at(i / width, i % width) << (i * bits % 8);
    bytes[i * bits / 8] =
        static_cast<char>(static_cast<unsigned char>(bytes[i * bits / 8]) | value);
  }
  DRAGOMAN_ASSIGN(Tensor tensor, Tensor::Make(PackedType(blocks), {blocks.rows, columns},
                                              Buffer::Own(std::move(bytes))));
  return op.builder.Constant(std::move(tensor));
}

// Which columns the padded weight has, block by block.
struct Columns {
  std::vector<std::int64_t> order;   // the source's column, or K for one that pads
  std::vector<std::int64_t> groups;  // of each block
};

Result<Columns> ColumnsByGroup(const OpLowering& op, std::int64_t columns, const Blocks& blocks) {
  const Tensor* groups = op.operand(kGroups)->tensor();
  if (groups == nullptr) return op.Unsupported("g_idx is not a constant");
  const std::vector<std::int64_t> numbers = groups->ToInts();
  if (static_cast<std::int64_t>(numbers.size()) < columns)
    return op.Invalid("g_idx has " + std::to_string(numbers.size()) + " elements, expected K");
  std::vector<std::vector<std::int64_t>> members(static_cast<std::size_t>(blocks.count));
  for (std::int64_t k = 0; k < columns; ++k) {
    const std::int64_t group = numbers[static_cast<std::size_t>(k)];
    if (group < 0 || group >= blocks.count)
      return op.Invalid("g_idx names group " + std::to_string(group) + " of " +
                        std::to_string(blocks.count));
    members[static_cast<std::size_t>(group)].push_back(k);
  }
  Columns result;
  for (std::size_t group = 0; group < members.size(); ++group) {
    result.order.insert(result.order.end(), members[group].begin(), members[group].end());
    while (static_cast<std::int64_t>(result.order.size()) % blocks.size != 0)
      result.order.push_back(columns);
    result.groups.resize(result.order.size() / static_cast<std::size_t>(blocks.size),
                         static_cast<std::int64_t>(group));
  }
  return result;
}

// What the product is made of. Columns that pad are zero in A.
struct Product {
  Value* a;
  Value* packed;  // (rows, columns)
  Value* scales;  // (rows, count)
  Value* zeros;   // real ones (rows, count), or nullptr
};

Value* WithZeroColumns(OpComposer& f, Value* a, std::int64_t count) {
  return count == 0 ? a : f.Op("Pad", {a, f.Ints({0, count}), nullptr, f.Ints({-1})});
}

// The weight as it is in the file: the elements of a row fill its bytes.
Result<Value*> PackedWeight(OpLowering& op, const Tensor& bytes, const Blocks& blocks) {
  DRAGOMAN_ASSIGN(Tensor tensor, Tensor::Make(PackedType(blocks), {blocks.rows, blocks.columns()},
                                              bytes.buffer()));
  return op.builder.Constant(std::move(tensor));
}

// Column k is that of number order[k]; past the last one it is at the middle.
Result<Value*> ReorderedWeight(OpLowering& op, const Tensor& bytes,
                               const std::vector<std::int64_t>& order, std::int64_t columns,
                               const Blocks& blocks) {
  const std::uint8_t* source = bytes.data<std::uint8_t>().data();
  const auto bits = static_cast<std::size_t>(blocks.bits);
  const auto stride = static_cast<std::size_t>(blocks.columns()) * bits / 8;
  const auto number = [&](std::size_t row, std::size_t k) {
    return order[k] < columns
               ? NumberAt(source + row * stride, static_cast<std::size_t>(order[k]), bits)
               : blocks.middle();
  };
  return PackedGrid(op, blocks, static_cast<std::int64_t>(order.size()), number);
}

// Puts the columns of each group side by side, and sets the number of blocks to what they fill.
Status OrderByGroup(OpLowering& op, OpComposer& f, const Tensor& bytes, std::int64_t columns,
                    Blocks& blocks, Product& product) {
  DRAGOMAN_ASSIGN(const Columns grouped, ColumnsByGroup(op, columns, blocks));
  DRAGOMAN_ASSIGN(product.packed, ReorderedWeight(op, bytes, grouped.order, columns, blocks));
  const bool pads = static_cast<std::int64_t>(grouped.order.size()) != columns;
  const auto picked = [&](Value* x, const std::vector<std::int64_t>& indices, std::int64_t axis) {
    return f.Op("Gather", {x, f.Ints(indices)}, {{"axis", axis}});
  };
  product.a = picked(WithZeroColumns(f, product.a, pads ? 1 : 0), grouped.order, -1);
  product.scales = picked(product.scales, grouped.groups, 1);
  if (product.zeros != nullptr) product.zeros = picked(product.zeros, grouped.groups, 1);
  blocks.count = static_cast<std::int64_t>(grouped.groups.size());
  return {};
}

// Each row of zero points begins with a byte of its own in the file.
Result<Value*> PackedZeroPoints(OpLowering& op, const Blocks& blocks) {
  const Value* operand = op.operand(kZeroPoints);
  if (operand == nullptr || operand->type().dtype() != DType::kU8)
    return PackedGrid(op, blocks, blocks.count,
                      [&](std::size_t, std::size_t) { return blocks.middle(); });
  const std::int64_t stride = (blocks.count * blocks.bits + 7) / 8;
  DRAGOMAN_ASSIGN(const Tensor* bytes, ConstantRows(op, kZeroPoints, blocks, stride));
  const std::uint8_t* source = bytes->data<std::uint8_t>().data();
  return PackedGrid(op, blocks, blocks.count, [&](std::size_t row, std::size_t block) {
    return NumberAt(source + row * static_cast<std::size_t>(stride), block,
                    static_cast<std::size_t>(blocks.bits));
  });
}

// sum_k a[k] (middle - zero) scale, in which all but `a` is one number per block.
Result<Value*> ShareOfZeroPoints(OpLowering& op, OpComposer& f, const Product& product,
                                 const Blocks& blocks) {
  DRAGOMAN_ASSIGN(const int rank, op.Rank(kA));
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(rank) - 1, 0);  // as they are
  sizes.insert(sizes.end(), {blocks.count, blocks.size});
  Value* by_block = f.Op("Reshape", {product.a, f.Ints(sizes)});
  Value* sums = f.Op("ReduceSum", {by_block, f.Ints({-1})}, {{"keepdims", std::int64_t{0}}});
  Value* middle = f.Number(blocks.middle(), product.zeros);
  Value* offsets = f.Op("Mul", {f.Op("Sub", {middle, product.zeros}), product.scales});
  return f.Op("dragoman.Linear", {sums, offsets});
}

Value* Multiplied(OpLowering& op, OpComposer& f, const Product& product, Value* packed_zeros,
                  Value* share, const Blocks& blocks) {
  Value* weight = f.Op("DequantizeLinear", {product.packed, product.scales, packed_zeros},
                       {{"axis", std::int64_t{1}}, {"block_size", blocks.size}});
  const std::string name = op.ResultName(0);
  Value* bias = op.operand(kBias);
  if (share == nullptr) return f.Op("dragoman.Linear", {product.a, weight, bias}, {}, name);
  return f.Op("Add", {f.Op("dragoman.Linear", {product.a, weight, bias}), share}, {}, name);
}

// Of ONNX Runtime's forms of g_idx those that give the numbers of the definition: it leaves packed
// zero points out there, and reads other widths as 4 bits.
Status CheckGroups(const OpLowering& op, const Blocks& blocks, const Value* zeros) {
  if (op.operand(kGroups) == nullptr) return {};
  if (blocks.bits != 4) return op.Unsupported("g_idx with bits = " + std::to_string(blocks.bits));
  if (op.operand(kZeroPoints) != nullptr && zeros == nullptr)
    return op.Unsupported("g_idx with packed zero points, which ONNX Runtime leaves out");
  return {};
}

}  // namespace

LoweredResults LowerMatMulNBits(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({kA, kB, kScales}));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> k, op.TakeInt("K"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> rows, op.TakeInt("N"));
  const std::int64_t columns = k.value_or(0);
  DRAGOMAN_ASSIGN(Blocks blocks, TakeBlocks(op, rows.value_or(0), columns));
  DRAGOMAN_ASSIGN(const bool prepacked, TakeFlag(op, "weight_prepacked"));
  op.Drop("accuracy_level");  // leave to compute less exactly
  if (prepacked) return op.Unsupported("weight_prepacked, a layout for one processor");
  DRAGOMAN_ASSIGN(const Tensor* bytes,
                  ConstantRows(op, kB, blocks, blocks.columns() * blocks.bits / 8));
  OpComposer f(op);
  const auto grid = [&](Value* x) {
    return f.Op("Reshape", {x, f.Ints({blocks.rows, blocks.count})});
  };
  Product product{op.operand(kA), nullptr, grid(op.operand(kScales)), nullptr};
  Value* zeros = op.operand(kZeroPoints);
  if (zeros != nullptr && zeros->type().dtype() != DType::kU8) product.zeros = grid(zeros);
  DRAGOMAN_TRY(CheckGroups(op, blocks, product.zeros));
  if (op.operand(kGroups) != nullptr) {
    DRAGOMAN_TRY(OrderByGroup(op, f, *bytes, columns, blocks, product));
  } else {
    DRAGOMAN_ASSIGN(product.packed, PackedWeight(op, *bytes, blocks));
    product.a = WithZeroColumns(f, product.a, blocks.columns() - columns);
  }
  DRAGOMAN_ASSIGN(Value * packed_zeros, PackedZeroPoints(op, blocks));
  Value* share = nullptr;
  if (product.zeros != nullptr) {
    DRAGOMAN_ASSIGN(share, ShareOfZeroPoints(op, f, product, blocks));
  }
  return f.Finish({Multiplied(op, f, product, packed_zeros, share, blocks)});
}

}  // namespace dragoman
