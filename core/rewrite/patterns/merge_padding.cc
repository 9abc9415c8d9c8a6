// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "core/ops/op_def.h"
#include "core/rewrite/patterns/spelling_patterns.h"
#include "runtime/params/average_pool.h"
#include "runtime/params/conv.h"
#include "runtime/params/pad.h"

namespace dragoman {
namespace {

struct Pads {
  rt::Shape begins, ends;
};

bool IsZeroNumber(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  return value == nullptr || (tensor != nullptr && tensor->size() == 1 && tensor->FloatAt(0) == 0);
}

// What a Pad with zeros adds to each axis, if that is known and only spatial axes grow.
std::optional<Pads> ZeroPads(const Node& pad, const PassContext& context) {
  const Result<Params> params = FindOp(pad)->fill_params(pad);
  const std::optional<int> rank = pad.operand(0)->type().rank();
  if (!params.ok() || !rank || *rank < 3) return std::nullopt;
  if (params->As<rt::PadParams>().mode != rt::PadMode::kConstant || !IsZeroNumber(pad.operand(2)))
    return std::nullopt;
  const auto amounts = IntsOf(context, pad.operand(1)), axes = IntsOf(context, pad.operand(3));
  if (!amounts || (pad.operand(3) != nullptr && !axes)) return std::nullopt;
  const rt::IntSpan span{amounts->data(), static_cast<std::int64_t>(amounts->size())};
  const rt::IntSpan axis_span =
      axes ? rt::IntSpan{axes->data(), static_cast<std::int64_t>(axes->size())} : rt::IntSpan();
  Pads pads;
  if (!rt::ResolvePads(*rank, span, axis_span, &pads.begins, &pads.ends).ok()) return std::nullopt;
  for (int i = 0; i < *rank; ++i) {
    const bool spatial = i >= 2;
    if (pads.begins[i] < 0 || pads.ends[i] < 0) return std::nullopt;
    if (!spatial && (pads.begins[i] > 0 || pads.ends[i] > 0)) return std::nullopt;
  }
  return pads;
}

// Pads of `node` and of the Pad before it together.
std::vector<std::int64_t> SumOfPads(const Pads& pads, const rt::Ints& own) {
  const int rank = pads.begins.size() - 2;
  std::vector<std::int64_t> sum;
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < rank; ++i) {
      const std::int64_t before = own.empty() ? 0 : own[side * rank + i];
      sum.push_back((side == 0 ? pads.begins : pads.ends)[i + 2] + before);
    }
  }
  return sum;
}

bool AllZero(const rt::Ints& pads) {
  return std::all_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad == 0; });
}

// The pads that `node` has itself, if further zeros may simply be added to them.
std::optional<rt::Ints> OwnPads(const Node& node) {
  const Result<Params> params = FindOp(node)->fill_params(node);
  if (!params.ok()) return std::nullopt;
  if (node.Is("Conv")) {
    const auto& conv = params->As<rt::ConvParams>();
    return conv.auto_pad == rt::AutoPad::kNotSet ? std::optional(conv.pads) : std::nullopt;
  }
  const auto& pool = params->As<rt::AveragePoolParams>();
  const bool fits = pool.auto_pad == rt::AutoPad::kNotSet && !pool.ceil_mode &&
                    (pool.count_include_pad || AllZero(pool.pads));
  return fits ? std::optional(pool.pads) : std::nullopt;
}

// Conv(Pad(x)) = Conv(x) with more pads; AveragePool likewise, if it counts them.
Result<bool> FusePad(Node& node, PassContext& context) {
  const bool pools = node.Is("AveragePool");
  if (!pools && !node.Is("Conv")) return false;
  const Node* pad = node.operand(0)->producer();
  if (pad == nullptr || !pad->Is("Pad")) return false;
  const std::optional<Pads> pads = ZeroPads(*pad, context);
  const std::optional<rt::Ints> own = OwnPads(node);
  if (!pads || !own) return false;
  std::vector<Value*> operands;
  for (std::size_t i = 0; i < node.num_operands(); ++i) operands.push_back(node.operand(i));
  operands[0] = pad->operand(0);
  std::vector<NamedAttribute> attributes;
  for (const NamedAttribute& attribute : node.attributes()) {
    if (attribute.name != "pads" && attribute.name != "count_include_pad")
      attributes.push_back(attribute);
  }
  attributes.push_back({"pads", SumOfPads(*pads, *own)});
  if (pools) attributes.push_back({"count_include_pad", std::int64_t{1}});
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, pools ? "AveragePool" : "Conv", operands,
                                            std::move(attributes)));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> PaddingPatterns() {
  static constexpr Pattern kPatterns[] = {{"fuse-pad", FusePad}};
  return kPatterns;
}

}  // namespace dragoman
