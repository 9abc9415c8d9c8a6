// SPDX-License-Identifier: Apache-2.0
// Keeps tensors quantised where an operator only moves or compares elements: dequantisation from
// one grid (one scale and zero point in all) keeps their order, and quantisation to the same grid
// gives the same integers back.
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "core/ops/op_def.h"
#include "core/rewrite/passes.h"
#include "core/rewrite/patterns/quantized_product.h"
#include "runtime/params/max_pool.h"

namespace dragoman {
namespace {

// What 8-bit integers stand for: (q - zero) * scale.
struct Grid {
  DType dtype = DType::kUnknown;
  float scale = 0.0f;
  std::int64_t zero = 0;

  bool operator==(const Grid&) const = default;
};

// Of a QuantizeLinear or DequantizeLinear whose scale and zero point are constants of one element.
std::optional<Grid> GridOf(const Node* node, std::string_view type) {
  if (node == nullptr || !node->Is(type) || node->result() == nullptr) return std::nullopt;
  const Value& integers = node->Is("QuantizeLinear") ? *node->result() : *node->operand(0);
  const Tensor* scale = ConstantOf(node->operand(1));
  const Tensor* zero = ConstantOf(node->operand(2));
  Grid grid{integers.type().dtype(), 0.0f, 0};
  if ((grid.dtype != DType::kI8 && grid.dtype != DType::kU8) || scale == nullptr ||
      scale->size() != 1 || scale->dtype() != DType::kF32 ||
      (node->operand(2) != nullptr && (zero == nullptr || zero->size() != 1))) {
    return std::nullopt;
  }
  grid.scale = static_cast<float>(scale->FloatAt(0));
  if (zero != nullptr) grid.zero = zero->IntAt(0);
  return IsGridScale(grid.scale) ? std::optional(grid) : std::nullopt;
}

// A pool of which every window has an element: an empty one gives the lowest number of its type.
bool IsFullMaxPool(const Node& node) {
  if (!node.Is("MaxPool") || (node.num_results() > 1 && node.result(1) != nullptr)) return false;
  const Result<Params> params = FindOp(node)->fill_params(node);
  if (!params.ok()) return false;
  const auto& pool = params->As<rt::MaxPoolParams>();
  const int rank = pool.kernel_shape.size();
  for (int i = 0; i < pool.pads.size(); ++i) {
    if (pool.pads[i] >= pool.kernel_shape[i % rank]) return false;
  }
  return std::all_of(pool.dilations.begin(), pool.dilations.end(),
                     [](std::int64_t dilation) { return dilation == 1; });
}

// Whether all elements of the only result are those of operand 0.
bool IsMove(const Node& node) {
  return OnlyMoves(node) && node.num_results() == 1 && !node.Is("Concat");
}

// Whether moving a dequantisation of `value` after `node`, its reader, leaves nothing to be
// dequantised twice.
bool IsWorthwhile(const Value& value, const Node& node) {
  if (value.HasOneUse()) return true;
  for (const Use* use = node.result()->first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr || !use->user()->Is("QuantizeLinear")) return false;
  }
  return node.result()->used();
}

// DequantizeLinear(y) with the scale and zero point of `like`, before `position`.
Result<Value*> Dequantized(Value* y, const Node& like, Node& position, PassContext& context) {
  std::vector<Value*> operands = {y, like.operand(1)};
  if (like.operand(2) != nullptr) operands.push_back(like.operand(2));
  return context.Insert(position, "DequantizeLinear", operands);
}

// Op(DequantizeLinear(x)) = DequantizeLinear(Op(x)), if Op moves elements or takes maxima
Result<bool> MoveBehind(Node& node, PassContext& context) {
  if ((!IsMove(node) && !IsFullMaxPool(node)) || node.operand(0) == nullptr) return false;
  const Node* dequantize = node.operand(0)->producer();
  if (!GridOf(dequantize, "DequantizeLinear") || !IsWorthwhile(*node.operand(0), node))
    return false;
  std::vector<Value*> operands;
  for (std::size_t i = 0; i < node.num_operands(); ++i) operands.push_back(node.operand(i));
  operands[0] = dequantize->operand(0);
  DRAGOMAN_ASSIGN(Value * moved, context.Insert(node, node.op().type, operands, node.attributes()));
  DRAGOMAN_ASSIGN(Value * y, Dequantized(moved, *dequantize, node, context));
  return context.ReplaceIfAllowed(node, y);
}

// Concat(DequantizeLinear(x), ...) = DequantizeLinear(Concat(x, ...)) of one grid
Result<bool> MoveBehindConcat(Node& node, PassContext& context) {
  if (!node.Is("Concat")) return false;
  std::optional<Grid> common;
  std::vector<Value*> operands;
  for (const Use& use : node.operands()) {
    const Node* dequantize = use.value()->producer();
    const std::optional<Grid> grid = GridOf(dequantize, "DequantizeLinear");
    if (!grid || (common && *common != *grid) || !IsWorthwhile(*use.value(), node)) return false;
    common = grid;
    operands.push_back(dequantize->operand(0));
  }
  const Node& like = *node.operand(0)->producer();
  DRAGOMAN_ASSIGN(Value * moved, context.Insert(node, "Concat", operands, node.attributes()));
  DRAGOMAN_ASSIGN(Value * y, Dequantized(moved, like, node, context));
  return context.ReplaceIfAllowed(node, y);
}

// Relu(DequantizeLinear(x)) = DequantizeLinear(Clip(x, zero point)), or of x where nothing is less
Result<bool> MoveBehindRelu(Node& node, PassContext& context) {
  if (!node.Is("Relu")) return false;
  const Node* dequantize = node.operand(0)->producer();
  const std::optional<Grid> grid = GridOf(dequantize, "DequantizeLinear");
  if (!grid || !IsWorthwhile(*node.operand(0), node)) return false;
  Value* limited = dequantize->operand(0);
  if (grid->zero != (grid->dtype == DType::kI8 ? -128 : 0)) {
    DRAGOMAN_ASSIGN(Tensor zero, Tensor::Full(grid->dtype, {}, static_cast<double>(grid->zero)));
    Value* low = context.AddConstant(*node.graph(), std::move(zero), "low", node.origin());
    DRAGOMAN_ASSIGN(limited, context.Insert(node, "Clip", {{limited, low}}));
  }
  DRAGOMAN_ASSIGN(Value * y, Dequantized(limited, *dequantize, node, context));
  return context.ReplaceIfAllowed(node, y);
}

// QuantizeLinear(DequantizeLinear(x)) of one grid = x
Result<bool> DropPair(Node& node, PassContext& context) {
  const std::optional<Grid> grid = GridOf(&node, "QuantizeLinear");
  const Node* dequantize = grid ? node.operand(0)->producer() : nullptr;
  if (!grid || GridOf(dequantize, "DequantizeLinear") != grid) return false;
  return context.ReplaceIfAllowed(node, dequantize->operand(0));
}

}  // namespace

std::span<const Pattern> DequantizationPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"move-behind", MoveBehind},
      {"move-behind-concat", MoveBehindConcat},
      {"move-behind-relu", MoveBehindRelu},
      {"drop-pair", DropPair},
  };
  return kPatterns;
}

}  // namespace dragoman
