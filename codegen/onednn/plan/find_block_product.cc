// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/find_block_product.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "codegen/onednn/plan/value_queries.h"
#include "core/ir/node_attributes.h"
#include "core/ir/producer.h"
#include "core/ir/unpack.h"
#include "core/ops/declared_attributes.h"

namespace dragoman::onednn {
namespace {

constexpr std::int64_t kSmallestBlock = 8;  // inputs: with fewer a scale costs more than it saves

// A matrix of integers and, by blocks of its columns, what makes real numbers of them.
struct Blocks {
  const Tensor* numbers = nullptr;  // (rows, columns), or with `columns_first` (columns, rows)
  bool columns_first = false;
  std::int64_t rows = 0, columns = 0;  // of the matrix: `numbers` may have more
  std::int64_t block = 0;              // columns
  const Tensor* scales = nullptr;      // a number for each row and block, in the order of `numbers`
  const Tensor* zeros = nullptr;       // the same; null: 0
};

bool IsPackable(DType dtype) { return IsInteger(dtype) && Info(dtype).bits <= 8; }

bool IsF32Constant(const Value* value) { return IsF32(value) && IsConstant(value); }

// `value` without a Transpose of its two axes, which turns `flipped`.
const Value* Untransposed(const Value* value, bool* flipped) {
  const Node* transpose = ProducerOf(value, "Transpose");
  if (transpose == nullptr || value->type().rank() != 2) return value;
  const Attribute::Ints* perm = IntsAttribute(*transpose, "perm");
  if (perm != nullptr && perm->front() == 0) return value;
  *flipped = !*flipped;
  return transpose->operand(0);
}

// `value` without a Slice that leaves out the last columns or rows.
const Value* Uncut(const Value* value) {
  const Node* slice = ProducerOf(value, "Slice");
  if (slice == nullptr) return value;
  const auto all = [&](std::size_t operand, std::int64_t expected) {
    const Value* ints = slice->operand(operand);
    if (ints == nullptr) return true;
    if (!IsConstant(ints)) return false;
    return std::ranges::all_of(ints->tensor()->ToInts(),
                               [&](std::int64_t i) { return i == expected; });
  };
  return all(1, 0) && all(4, 1) ? slice->operand(0) : value;
}

// DequantizeLinear with blocks.
std::optional<Blocks> Dequantized(const Value* value, bool columns_first) {
  const Node* node = ProducerOf(value, "DequantizeLinear");
  if (node == nullptr || !IsConstant(node->operand(0)) || !IsF32Constant(node->operand(1)) ||
      (node->operand(2) != nullptr && !IsConstant(node->operand(2))))
    return std::nullopt;
  const std::int64_t axis = IntAttribute(*node, "axis");
  const std::int64_t along = columns_first ? 0 : 1;
  const std::int64_t block = IntAttribute(*node, "block_size");
  if ((axis + 2) % 2 != along || block < kSmallestBlock) return std::nullopt;
  Blocks blocks;
  blocks.numbers = node->operand(0)->tensor();
  blocks.columns_first = columns_first;
  blocks.block = block;
  blocks.scales = node->operand(1)->tensor();
  if (node->operand(2) != nullptr) blocks.zeros = node->operand(2)->tensor();
  return blocks;
}

// Reshape((Reshape(Cast(numbers), (rows, blocks, block)) - zeros) * scales), where scales and zeros
// are (rows, blocks, 1).
std::optional<Blocks> Centred(const Value* value) {
  const Node *joined = ProducerOf(value, "Reshape"),
             *mul = joined != nullptr ? ProducerOf(joined->operand(0), "Mul") : nullptr,
             *sub = mul != nullptr ? ProducerOf(mul->operand(0), "Sub") : nullptr,
             *apart = sub != nullptr ? ProducerOf(sub->operand(0), "Reshape") : nullptr,
             *cast = apart != nullptr ? ProducerOf(apart->operand(0), "Cast") : nullptr;
  if (cast == nullptr || !IsConstant(cast->operand(0)) || cast->operand(0)->type().rank() != 2 ||
      !IsF32Constant(mul->operand(1)) || !IsF32Constant(sub->operand(1)))
    return std::nullopt;
  const std::optional<rt::Shape> grid = SizesOf(apart->result()), all = SizesOf(value),
                                 scales = SizesOf(mul->operand(1)),
                                 zeros = SizesOf(sub->operand(1));
  const Tensor& numbers = *cast->operand(0)->tensor();
  if (!grid || grid->size() != 3 || !all || all->size() != 2 || (*all)[0] != (*grid)[0] ||
      (*grid)[0] != numbers.sizes()[0] || !scales || !zeros || *scales != *zeros ||
      *scales != rt::Shape{(*grid)[0], (*grid)[1], 1} || (*grid)[2] < kSmallestBlock)
    return std::nullopt;
  Blocks blocks;
  blocks.numbers = &numbers;
  blocks.block = (*grid)[2];
  blocks.scales = mul->operand(1)->tensor();
  blocks.zeros = sub->operand(1)->tensor();
  return blocks;
}

// Where the numbers of `weight` come from, which lies as (columns, rows) if it is `columns_first`.
std::optional<Blocks> BlocksOf(const Value* weight, bool columns_first) {
  const std::optional<rt::Shape> sizes = SizesOf(weight);
  if (!IsF32(weight) || !sizes || sizes->size() != 2 || rt::NumElements(*sizes) == 0)
    return std::nullopt;
  const std::int64_t rows = (*sizes)[columns_first ? 1 : 0];
  const std::int64_t columns = (*sizes)[columns_first ? 0 : 1];
  const Value* source = Uncut(Untransposed(weight, &columns_first));
  source = Untransposed(source, &columns_first);
  std::optional<Blocks> blocks = Dequantized(source, columns_first);
  if (!blocks && !columns_first) blocks = Centred(source);
  if (!blocks || !IsPackable(blocks->numbers->dtype())) return std::nullopt;
  blocks->rows = rows;
  blocks->columns = columns;
  return blocks;
}

// The sizes of `y` are those of `x`, whose last one counts columns of the matrix.
bool KeepsRows(const Value& x, const Value& y, std::int64_t rows) {
  const Shape *from = x.type().shape(), *to = y.type().shape();
  if (from == nullptr || to == nullptr || from->empty() || from->size() != to->size()) return false;
  for (std::size_t i = 0; i + 1 < from->size(); ++i) {
    if (Equal((*from)[i], (*to)[i]) != Truth::kYes) return false;
  }
  return to->back().known() && to->back().value() == rows;
}

std::optional<BlockProduct> ProductOf(const Node& node) {
  const bool linear = node.IsDragoman("Linear");
  if ((!linear && !node.Is("MatMul")) || !IsF32(node.operand(0)) || !IsF32(node.result()))
    return std::nullopt;
  const Value* bias = node.operand(2);
  const std::optional<Blocks> blocks = BlocksOf(node.operand(1), !linear);
  const bool fits = blocks && KeepsRows(*node.operand(0), *node.result(), blocks->rows) &&
                    (bias == nullptr || (IsF32Constant(bias) && bias->type().rank() == 1 &&
                                         bias->tensor()->size() == blocks->rows));
  if (!fits) return std::nullopt;
  return BlockProduct{node.operand(0), node.operand(1), !linear, bias};
}

// The integers of a tensor, as they lie.
std::vector<std::int8_t> Integers(const Tensor& tensor) {
  std::vector<std::int8_t> integers(static_cast<std::size_t>(tensor.size()));
  if (Info(tensor.dtype()).bits == 8) {
    std::memcpy(integers.data(), tensor.bytes().data(), integers.size());
  } else {
    Unpack(tensor, std::as_writable_bytes(std::span(integers)));
  }
  return integers;
}

class Packer {
 public:
  explicit Packer(const Blocks& blocks)
      : blocks_(blocks), bits_(Info(blocks.numbers->dtype()).bits) {
    params_ = {blocks_.columns, blocks_.rows, bits_, blocks_.block, Offset()};
    padded_ = rt::PaddedOutputs(params_);
  }

  BlockMatrix Pack(const Value* bias) const {
    BlockMatrix packed;
    packed.params = params_;
    packed.matrix = Numbers();
    const auto scale = [&](std::int64_t i) { return blocks_.scales->data<float>()[At(i)]; };
    packed.scales = Grid(scale);
    if (blocks_.zeros != nullptr) SetZeros(packed);
    if (bias != nullptr) packed.bias = Padded(*bias->tensor());
    return packed;
  }

 private:
  static std::size_t At(std::int64_t i) { return static_cast<std::size_t>(i); }

  // What makes numbers with sign those without.
  float Offset() const {
    return Info(blocks_.numbers->dtype()).is_signed ? static_cast<float>(1 << (bits_ - 1)) : 0.0f;
  }

  Tensor Numbers() const {
    const std::vector<std::int8_t> numbers = Integers(*blocks_.numbers);
    const std::vector<std::int64_t>& sizes = blocks_.numbers->sizes();
    const std::int64_t panel = rt::BlockPanel(bits_), offset = static_cast<std::int64_t>(Offset());
    std::vector<std::uint32_t> words(At(padded_ / panel * blocks_.columns * rt::kBlockWords), 0);
    for (std::int64_t row = 0; row < blocks_.rows; ++row) {
      const std::int64_t place = row % panel;
      const std::int64_t shift = place / rt::kBlockWords * bits_;
      for (std::int64_t k = 0; k < blocks_.columns; ++k) {
        const std::int64_t from = blocks_.columns_first ? k * sizes[1] + row : row * sizes[1] + k;
        const auto number = static_cast<std::uint32_t>(numbers[At(from)] + offset);
        const std::int64_t input = row / panel * blocks_.columns + k;
        words[At(input * rt::kBlockWords + place % rt::kBlockWords)] |=
            (number & ((1u << bits_) - 1)) << shift;
      }
    }
    return Tensor::Of<std::uint32_t>({static_cast<std::int64_t>(words.size())}, words);
  }

  // What `number_at` gives for each block and row.
  template <class NumberAt>
  Tensor Grid(NumberAt number_at) const {
    const std::int64_t count = (blocks_.columns + blocks_.block - 1) / blocks_.block;
    const std::vector<std::int64_t>& sizes = blocks_.scales->sizes();
    std::vector<float> grid(At(count * padded_), 0.0f);
    for (std::int64_t block = 0; block < count; ++block) {
      for (std::int64_t row = 0; row < blocks_.rows; ++row) {
        grid[At(block * padded_ + row)] =
            number_at(blocks_.columns_first ? block * sizes[1] + row : row * sizes[1] + block);
      }
    }
    return Tensor::Of<float>({count, padded_}, grid);
  }

  // One number for all where they are equal.
  void SetZeros(BlockMatrix& packed) const {
    const Tensor& zeros = *blocks_.zeros;
    std::vector<float> numbers;
    if (zeros.dtype() == DType::kF32) {
      numbers.assign(zeros.data<float>().begin(), zeros.data<float>().end());
    } else {
      const bool is_signed = Info(zeros.dtype()).is_signed;
      for (const std::int8_t zero : Integers(zeros))
        numbers.push_back(is_signed ? zero : static_cast<std::uint8_t>(zero));
    }
    if (std::ranges::all_of(numbers, [&](float zero) { return zero == numbers.front(); })) {
      packed.params.zero += numbers.front();
      return;
    }
    packed.zeros = Grid([&](std::int64_t i) { return numbers[At(i)] + Offset(); });
  }

  Tensor Padded(const Tensor& bias) const {
    std::vector<float> numbers(At(padded_), 0.0f);
    std::ranges::copy(bias.data<float>(), numbers.begin());
    return Tensor::Of<float>({padded_}, numbers);
  }

  const Blocks& blocks_;
  std::int64_t bits_;
  rt::BlockProductParams params_;
  std::int64_t padded_;
};

}  // namespace

void FindBlockProducts(const Graph& graph, std::map<const Node*, BlockProduct>& found) {
  for (const Node& node : graph.nodes()) {
    if (std::optional<BlockProduct> product = ProductOf(node)) found.emplace(&node, *product);
  }
}

BlockMatrix PackBlocks(const BlockProduct& product) {
  const std::optional<Blocks> blocks = BlocksOf(product.weight, product.in_first);
  return Packer(*blocks).Pack(product.bias);
}

}  // namespace dragoman::onednn
