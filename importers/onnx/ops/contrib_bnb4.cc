// SPDX-License-Identifier: Apache-2.0
// Weights of 4 bits that are numbers of a table, as the library bitsandbytes packs them.
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "importers/onnx/ops/contrib.h"

namespace dragoman {
namespace {

// One sign bit, and the quantiles of a normal distribution (Dettmers et al., QLoRA).
constexpr std::array<float, 16> kFp4 = {
    0.0f,  5.208333333e-03f,  0.66666667f,  1.0f,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
    -0.0f, -5.208333333e-03f, -0.66666667f, -1.0f, -0.33333333f, -0.5f, -0.16666667f, -0.25f};
constexpr std::array<float, 16> kNf4 = {-1.0f,
                                        -0.6961928009986877f,
                                        -0.5250730514526367f,
                                        -0.39491748809814453f,
                                        -0.28444138169288635f,
                                        -0.18477343022823334f,
                                        -0.09105003625154495f,
                                        0.0f,
                                        0.07958029955625534f,
                                        0.16093020141124725f,
                                        0.24611230194568634f,
                                        0.33791524171829224f,
                                        0.44070982933044434f,
                                        0.5626170039176941f,
                                        0.7229568362236023f,
                                        1.0f};

struct Packing {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t block = 0;  // elements of one scale, counted through all rows
  bool normal = false;     // kNf4

  std::int64_t size() const { return rows * columns; }
};

Result<Packing> TakePacking(OpLowering& op) {
  Packing packing;
  const std::pair<const char*, std::int64_t*> sizes[] = {
      {"N", &packing.rows}, {"K", &packing.columns}, {"block_size", &packing.block}};
  constexpr std::int64_t kLargest = std::int64_t{1} << 31;
  for (const auto& [name, size] : sizes) {
    DRAGOMAN_ASSIGN(const std::optional<std::int64_t> given, op.TakeInt(name));
    *size = given.value_or(0);
    if (*size < 1 || *size > kLargest)
      return op.Invalid(std::string(name) + " is not positive, or too large");
  }
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> kind, op.TakeInt("quant_type"));
  if (kind != 0 && kind != 1) return op.Invalid("quant_type is neither 0 nor 1");
  packing.normal = kind == 1;
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> transposed, op.TakeInt("transB"));
  if (transposed.value_or(1) == 0)
    return op.Unsupported("transB = 0, where ONNX Runtime reads other elements than it packs");
  op.Drop("training_mode");
  return packing;
}

// Places in the table. The file has the first element of a byte in its upper half.
Result<Value*> Places(OpLowering& op, const Packing& packing) {
  const Tensor* packed = op.operand(1)->tensor();
  if (packed == nullptr) return op.Unsupported("operand 1 is not a constant");
  if (packed->dtype() != DType::kU8 || packed->size() != (packing.size() + 1) / 2)
    return op.Invalid("operand 1 does not hold the bytes of N * K elements");
  std::string bytes;
  for (const std::uint8_t byte : packed->data<std::uint8_t>())
    bytes.push_back(static_cast<char>(byte >> 4 | byte << 4));
  if (packing.size() % 2 != 0) bytes.back() = static_cast<char>(bytes.back() & 0x0f);
  DRAGOMAN_ASSIGN(Tensor places,
                  Tensor::Make(DType::kU4, {packing.size()}, Buffer::Own(std::move(bytes))));
  return op.builder.Constant(std::move(places));
}

}  // namespace

LoweredResults LowerMatMulBnb4(OpLowering& op) {
  enum : std::size_t { kA, kB, kScales };
  DRAGOMAN_TRY(op.Require({kA, kB, kScales}));
  DRAGOMAN_ASSIGN(const Packing packing, TakePacking(op));
  DRAGOMAN_ASSIGN(Value * places, Places(op, packing));
  OpComposer f(op);
  const std::array<float, 16>& numbers = packing.normal ? kNf4 : kFp4;
  Value* table = op.builder.Constant(Tensor::Of<float>({16}, numbers));
  Value* scales = op.operand(kScales);
  Value* elements = f.Gather(f.CastLike(table, scales), f.Cast(places, DType::kI32), 0);
  const std::int64_t blocks = (packing.size() + packing.block - 1) / packing.block;
  Value* repeated = f.Op("Expand", {f.Reshape(scales, {blocks, 1}), f.Ints({1, packing.block})});
  Value* of_elements = f.Op(
      "Slice", {f.Reshape(repeated, {-1}), f.Ints({0}), f.Ints({packing.size()}), f.Ints({0})});
  Value* flat = f.Mul(elements, of_elements);
  Value* weight = f.Transpose(f.Reshape(flat, {packing.rows, packing.columns}), {1, 0});
  return f.Finish({f.Op("MatMul", {op.operand(kA), weight}, {}, op.ResultName(0))});
}

}  // namespace dragoman
