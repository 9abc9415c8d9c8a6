// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "core/ops/op_def.h"
#include "core/rewrite/patterns/spelling_patterns.h"
#include "runtime/params/average_pool.h"
#include "runtime/params/conv.h"
#include "runtime/params/max_pool.h"
#include "runtime/params/pad.h"

namespace dragoman {
namespace {

struct Pads {
  rt::Shape begins, ends;
};

// Whether the operand of a Pad stands for the number.
bool IsNumber(const Value* value, double number) {
  if (value == nullptr) return number == 0;
  const Tensor* tensor = ConstantOf(value);
  return tensor != nullptr && tensor->size() == 1 && tensor->FloatAt(0) == number;
}

// What a Pad by a number adds to each axis, below 0 where it cuts off; nullopt: it is not known, or
// the Pad is by elements.
std::optional<Pads> ReadPads(const Node& pad, const PassContext& context) {
  const Result<Params> params = FindOp(pad)->fill_params(pad);
  const std::optional<int> rank = pad.operand(0)->type().rank();
  if (!params.ok() || !rank || params->As<rt::PadParams>().mode != rt::PadMode::kConstant)
    return std::nullopt;
  const auto amounts = IntsOf(context, pad.operand(1)), axes = IntsOf(context, pad.operand(3));
  if (!amounts || (pad.operand(3) != nullptr && !axes)) return std::nullopt;
  const rt::IntSpan span{amounts->data(), static_cast<std::int64_t>(amounts->size())};
  const rt::IntSpan axis_span =
      axes ? rt::IntSpan{axes->data(), static_cast<std::int64_t>(axes->size())} : rt::IntSpan();
  Pads pads;
  if (!rt::ResolvePads(*rank, span, axis_span, &pads.begins, &pads.ends).ok()) return std::nullopt;
  return pads;
}

// What a Pad with `fill` adds to each axis, if only spatial axes grow and none shrinks.
std::optional<Pads> PadsWith(double fill, const Node& pad, const PassContext& context) {
  const std::optional<Pads> pads = ReadPads(pad, context);
  if (!pads || pads->begins.size() < 3 || !IsNumber(pad.operand(2), fill)) return std::nullopt;
  for (int i = 0; i < pads->begins.size(); ++i) {
    const bool spatial = i >= 2;
    if (pads->begins[i] < 0 || pads->ends[i] < 0) return std::nullopt;
    if (!spatial && (pads->begins[i] > 0 || pads->ends[i] > 0)) return std::nullopt;
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

// Whether no side is padded by a whole window: runtimes refuse pools of which one is.
bool FitWindows(const Pads& pads, const rt::Ints& own, const rt::Ints& kernel) {
  const std::vector<std::int64_t> sum = SumOfPads(pads, own);
  const int rank = kernel.size();
  bool fit = true;
  for (int i = 0; fit && i < 2 * rank; ++i)
    fit = sum[static_cast<std::size_t>(i)] < kernel[i % rank];
  return fit;
}

// Where pads fit, every window without gaps meets the input, whose elements are not less than -inf.
// Places are counted in what is padded.
bool MayPadMaxima(const Node& pool, const rt::MaxPoolParams& params, const Pads& pads) {
  return params.auto_pad == rt::AutoPad::kNotSet && !params.ceil_mode &&
         std::all_of(params.dilations.begin(), params.dilations.end(),
                     [](std::int64_t dilation) { return dilation == 1; }) &&
         pool.result(1) == nullptr && FitWindows(pads, params.pads, params.kernel_shape);
}

// The pads that `node` has itself, if those of the Pad before it may simply be added to them.
std::optional<rt::Ints> OwnPads(const Node& node, const Pads& added) {
  const Result<Params> params = FindOp(node)->fill_params(node);
  if (!params.ok()) return std::nullopt;
  if (node.Is("MaxPool")) {
    const auto& pool = params->As<rt::MaxPoolParams>();
    return MayPadMaxima(node, pool, added) ? std::optional(pool.pads) : std::nullopt;
  }
  if (node.Is("Conv")) {
    const auto& conv = params->As<rt::ConvParams>();
    return conv.auto_pad == rt::AutoPad::kNotSet ? std::optional(conv.pads) : std::nullopt;
  }
  const auto& pool = params->As<rt::AveragePoolParams>();
  const bool fits = pool.auto_pad == rt::AutoPad::kNotSet && !pool.ceil_mode &&
                    (pool.count_include_pad || AllZero(pool.pads)) &&
                    FitWindows(added, pool.pads, pool.kernel_shape);
  return fits ? std::optional(pool.pads) : std::nullopt;
}

// Conv(Pad(x)) = Conv(x) with more pads; AveragePool likewise, if it counts them; MaxPool, if they
// are -inf.
Result<bool> FusePad(Node& node, PassContext& context) {
  const bool averages = node.Is("AveragePool"), takes_maxima = node.Is("MaxPool");
  if (!averages && !takes_maxima && !node.Is("Conv")) return false;
  const Node* pad = node.operand(0)->producer();
  if (pad == nullptr || !pad->Is("Pad")) return false;
  const double fill = takes_maxima ? -std::numeric_limits<double>::infinity() : 0;
  const std::optional<Pads> pads = PadsWith(fill, *pad, context);
  const std::optional<rt::Ints> own = pads ? OwnPads(node, *pads) : std::nullopt;
  if (!own) return false;
  std::vector<Value*> operands;
  for (std::size_t i = 0; i < node.num_operands(); ++i) operands.push_back(node.operand(i));
  operands[0] = pad->operand(0);
  std::vector<NamedAttribute> attributes;
  for (const NamedAttribute& attribute : node.attributes()) {
    if (attribute.name != "pads" && attribute.name != "count_include_pad")
      attributes.push_back(attribute);
  }
  attributes.push_back({"pads", SumOfPads(*pads, *own)});
  if (averages) attributes.push_back({"count_include_pad", std::int64_t{1}});
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, node.op().type, operands, std::move(attributes)));
  return context.ReplaceIfAllowed(node, y);
}

// What a Pad by a number cuts off and adds, for all axes: begins, then ends.
struct CutAndAdded {
  std::vector<std::int64_t> begins, ends, axes;  // of what is left, as Slice has them
  std::vector<std::int64_t> added;               // empty: nothing
};

// nullopt: it cuts nothing off, or perhaps more than there is.
std::optional<CutAndAdded> ReadCut(const Node& pad, const PassContext& context) {
  const std::optional<Pads> pads = ReadPads(pad, context);
  if (!pads) return std::nullopt;
  const Shape& shape = *pad.operand(0)->type().shape();
  const int rank = pads->begins.size();
  CutAndAdded cut;
  for (int i = 0; i < rank; ++i) {
    const std::int64_t front = std::max<std::int64_t>(-pads->begins[i], 0);
    const std::int64_t back = std::max<std::int64_t>(-pads->ends[i], 0);
    if (front == 0 && back == 0) continue;
    const Dim& size = shape[static_cast<std::size_t>(i)];
    if (!size.known() || front > size.value() || back > size.value() - front) return std::nullopt;
    cut.begins.push_back(front);
    cut.ends.push_back(size.value() - back);
    cut.axes.push_back(i);
  }
  if (cut.axes.empty()) return std::nullopt;
  for (const rt::Shape& side : {pads->begins, pads->ends}) {
    for (int i = 0; i < rank; ++i) cut.added.push_back(std::max<std::int64_t>(side[i], 0));
  }
  if (std::ranges::count(cut.added, 0) == std::ssize(cut.added)) cut.added.clear();
  return cut;
}

// Pad(x, [-1, 2]) = Pad(Slice(x, 1, …), [0, 2]), and only the Slice where nothing is added
Result<bool> CutBySlice(Node& node, PassContext& context) {
  const auto cut = node.Is("Pad") ? ReadCut(node, context) : std::nullopt;
  if (!cut) return false;
  const auto constant = [&](const std::vector<std::int64_t>& values, std::string_view name) {
    return context.AddConstant(*node.graph(), Tensor::Ints(values), name, node.origin());
  };
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "Slice",
                                 {{node.operand(0), constant(cut->begins, "begin"),
                                   constant(cut->ends, "end"), constant(cut->axes, "axes")}}));
  if (!cut->added.empty()) {
    std::vector<Value*> operands = {y, constant(cut->added, "pads")};
    if (node.operand(2) != nullptr) operands.push_back(node.operand(2));
    DRAGOMAN_ASSIGN(y, context.Insert(node, "Pad", operands, node.attributes()));
  }
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> PaddingPatterns() {
  static constexpr Pattern kPatterns[] = {{"cut-by-slice", CutBySlice}, {"fuse-pad", FusePad}};
  return kPatterns;
}

}  // namespace dragoman
