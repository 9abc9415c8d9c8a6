// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "codegen/onednn/plan/passes.h"
#include "codegen/onednn/plan/uses.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/pass_context.h"
#include "core/rewrite/patterns/quantized_product.h"

namespace dragoman::onednn {
namespace {

// The number that an operand is in every run.
std::optional<double> NumberOf(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  return tensor != nullptr && tensor->size() == 1 ? std::optional(tensor->FloatAt(0))
                                                  : std::nullopt;
}

bool IsAbsentOrZero(const Value* value) {
  if (value == nullptr) return true;
  const Tensor* tensor = ConstantOf(value);
  if (tensor == nullptr) return false;
  for (std::int64_t i = 0; i < tensor->size(); ++i) {
    if (tensor->FloatAt(i) != 0) return false;
  }
  return true;
}

// The grid of a QuantizeLinear's result or a DequantizeLinear's operand, of 8 bits and with one
// scale in all.
std::optional<rt::Int8Grid> GridOf(const Node& node, const Value& integers) {
  if (!IsInt8(&integers)) return std::nullopt;
  const std::optional<double> scale = NumberOf(node.operand(1));
  const std::optional<double> zero =
      node.operand(2) == nullptr ? std::optional(0.0) : NumberOf(node.operand(2));
  if (!scale || !zero || node.operand(1)->type().dtype() != DType::kF32 ||
      !IsGridScale(static_cast<float>(*scale))) {
    return std::nullopt;
  }
  const int low = integers.type().dtype() == DType::kI8 ? -128 : 0;
  return rt::Int8Grid{static_cast<float>(*scale), static_cast<std::int32_t>(*zero), low, low + 255};
}

// The bounds of a Relu or Clip; an omitted one is infinite.
std::optional<rt::Int8Limits> LimitsOf(const Node& node) {
  rt::Int8Limits limits;
  if (node.Is("Relu")) {
    limits.low = 0.0f;
    return limits;
  }
  if (!node.Is("Clip")) return std::nullopt;
  for (std::size_t i : {1, 2}) {
    if (node.operand(i) == nullptr) continue;
    const std::optional<double> bound = NumberOf(node.operand(i));
    if (!bound) return std::nullopt;
    (i == 1 ? limits.low : limits.high) = static_cast<float>(*bound);
  }
  return limits.low <= limits.high ? std::optional(limits) : std::nullopt;
}

bool AreInfinite(const rt::Int8Limits& limits) {
  return std::isinf(limits.low) && std::isinf(limits.high);
}

// The epilogue of one product while it grows. `value` is what it gives so far.
struct Growth {
  // kSum: int32. kCast: the same as floats. kReal, kAdded: floats, the latter with a residual.
  // kThrough: floats that were rounded to a grid. kResult: 8-bit integers.
  enum class Stage { kSum, kCast, kReal, kResult, kThrough, kAdded };

  // Whether a product may end here.
  bool CanEnd() const { return stage != Stage::kThrough && stage != Stage::kCast; }

  Stage stage = Stage::kSum;
  Int8Post post;
  BufferId value = kAbsent;
  BufferId residual = kAbsent;
  BufferId x_scale = kAbsent;  // that every run gives
  std::vector<std::size_t> absorbed;
};

class EpilogueFuser {
 public:
  EpilogueFuser(Plan& plan, Block& block, const PlanEntry* entry)
      : plan_(plan), steps_(block.steps), uses_(block, entry), gone_(block.steps.size(), false) {}

  void Run() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!gone_[i] && PreparedOf(i) != nullptr) Grow(i);
    }
    DropIdle();
    std::size_t next = 0;
    std::erase_if(steps_, [&](const Step&) { return gone_[next++]; });
  }

 private:
  Prepared* PreparedOf(std::size_t at) {
    Prepared* prepared = plan_.PreparedOf(steps_[at]);
    return prepared != nullptr && prepared->int8 ? prepared : nullptr;
  }

  void Grow(std::size_t at) {
    Prepared& prepared = *PreparedOf(at);
    Growth growth;
    growth.post = *prepared.int8;
    growth.value = steps_[at].results.front();
    if (growth.post.w_scale != kAbsent) growth.stage = Growth::Stage::kResult;
    const bool conv =
        IsPrepared(plan_, steps_[at], {"rt::PreparedInt8Conv", "rt::DynamicInt8Conv"});
    channel_axis_ = conv ? 1 : -1;
    Growth best = growth;
    while (Absorb(at, growth)) {
      if (growth.CanEnd()) best = growth;
    }
    Apply(at, best);
  }

  void Apply(std::size_t at, const Growth& growth) {
    Step& step = steps_[at];
    PreparedOf(at)->int8 = growth.post;
    step.As<PreparedStep>()->residual = growth.residual;
    step.inputs.back() = growth.x_scale;
    step.results = {growth.value};
    for (SymbolBinding& bind : step.binds) bind.buffer = growth.value;
    for (std::size_t i : growth.absorbed) {
      step.fused.push_back(steps_[i].comment);
      gone_[i] = true;
    }
  }

  // Takes the only reader of the value into the epilogue of the product at `at`.
  bool Absorb(std::size_t at, Growth& growth) {
    const std::set<std::size_t>& readers = uses_.Readers(growth.value);
    if (readers.size() != 1 || *readers.begin() == BlockUses::kOutside) return false;
    const std::size_t reader = *readers.begin();
    const Step& step = steps_[reader];
    if (!step.Is<KernelStep>() || gone_[reader] || step.results.size() != 1 ||
        !step.checks.empty() || !step.binds.empty() ||
        plan_.buffer(step.results.front()).shape != plan_.buffer(growth.value).shape) {
      return false;
    }
    if (!Take(at, step, growth)) return false;
    growth.value = step.results.front();
    growth.absorbed.push_back(reader);
    return true;
  }

  bool Take(std::size_t at, const Step& step, Growth& growth) {
    const Node& node = *step.node;
    switch (growth.stage) {
      case Growth::Stage::kSum:
        return TakeSumBias(step, growth) || TakeScales(step, growth) || TakeCast(step, growth);
      case Growth::Stage::kCast:
        return TakeProductOfScales(at, step, growth);
      case Growth::Stage::kReal:
        return TakeBias(step, growth) || TakeLimits(node, growth.post.rest.limits) ||
               TakeResidual(at, step, growth) || TakeResult(node, growth);
      case Growth::Stage::kResult:
        return TakeIntegerLimits(node, growth) || TakeThrough(step, growth);
      case Growth::Stage::kThrough:
        return TakeResidual(at, step, growth) || TakeResult(node, growth);
      case Growth::Stage::kAdded:
        return TakeLimits(node, growth.post.rest.sum_limits) || TakeResult(node, growth);
    }
    return false;
  }

  BufferId OperandOf(const Step& step, std::size_t i) const {
    return step.As<KernelStep>()->operands[i].buffers.front();
  }

  // The operand of a sum that is not the value.
  std::size_t OtherOf(const Step& step, const Growth& growth) const {
    return OperandOf(step, 0) == growth.value ? 1 : 0;
  }

  // Whether `shape`, broadcast to the value, has one element a channel, or one in all.
  bool IsAlongChannels(const Shape& shape, const Growth& growth) const {
    const Shape& whole = *plan_.buffer(growth.value).shape;
    const auto axis = static_cast<std::size_t>(
        channel_axis_ < 0 ? static_cast<int>(whole.size()) + channel_axis_ : channel_axis_);
    const std::size_t lead = whole.size() - std::min(shape.size(), whole.size());
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] != Dim(1) && lead + i != axis) return false;
    }
    return shape.size() <= whole.size();
  }

  // The constant that is added to every channel.
  BufferId AddedConstant(const Step& step, const Growth& growth, DType dtype) const {
    if (!step.node->Is("Add")) return kAbsent;
    const std::size_t other = OtherOf(step, growth);
    const Tensor* tensor = ConstantOf(step.node->operand(other));
    const bool fits = tensor != nullptr && tensor->dtype() == dtype &&
                      IsAlongChannels(*tensor->type().shape(), growth);
    return fits ? OperandOf(step, other) : kAbsent;
  }

  bool TakeSumBias(const Step& step, Growth& growth) const {
    if (growth.post.sum_bias != kAbsent) return false;
    growth.post.sum_bias = AddedConstant(step, growth, DType::kI32);
    return growth.post.sum_bias != kAbsent;
  }

  bool TakeScales(const Step& step, Growth& growth) const {
    const Node& node = *step.node;
    if (!node.Is("DequantizeLinear") || IntAttribute(node, "block_size") != 0) return false;
    const Tensor* scale = ConstantOf(node.operand(1));
    if (scale == nullptr || scale->dtype() != DType::kF32 || scale->rank() > 1 ||
        !IsAbsentOrZero(node.operand(2))) {
      return false;
    }
    const auto rank = static_cast<std::int64_t>(plan_.buffer(growth.value).shape->size());
    const std::int64_t axis = IntAttribute(node, "axis");
    if (scale->size() != 1 && (axis + rank) % rank != (channel_axis_ + rank) % rank) return false;
    growth.post.w_scale = OperandOf(step, 1);
    growth.stage = Growth::Stage::kReal;
    return true;
  }

  bool TakeCast(const Step& step, Growth& growth) const {
    if (!step.node->Is("Cast") || !IsF32(step.node->result())) return false;
    growth.stage = Growth::Stage::kCast;
    return true;
  }

  // As dynamic quantisation is written: the sum times a scale that is constant, or the product of a
  // constant and of what is there, one number, when the product is computed.
  bool TakeProductOfScales(std::size_t at, const Step& step, Growth& growth) const {
    if (!step.node->Is("Mul")) return false;
    const BufferId scale = OperandOf(step, OtherOf(step, growth));
    const std::size_t maker = uses_.Maker(scale);
    if (IsScaleOfChannels(*step.node->operand(OtherOf(step, growth)), growth)) {
      growth.post.w_scale = scale;
    } else if (maker == BlockUses::kOutside || !TakeScaleAtRun(at, steps_[maker], growth)) {
      return false;
    }
    growth.stage = Growth::Stage::kReal;
    return true;
  }

  bool TakeScaleAtRun(std::size_t at, const Step& multiply, Growth& growth) const {
    if (!multiply.Is<KernelStep>() || !multiply.node->Is("Mul")) return false;
    for (const std::size_t i : {0, 1}) {
      const Value& constant = *multiply.node->operand(i);
      const BufferId scale = OperandOf(multiply, 1 - i);
      const std::optional<rt::Shape> shape = SizesOf(multiply.node->operand(1 - i));
      const std::size_t made = uses_.Maker(scale);
      const bool is_there =
          made != BlockUses::kOutside ? made < at : plan_.buffer(scale).storage == Storage::kInput;
      if (!is_there || !IsScaleOfChannels(constant, growth) || !shape ||
          rt::NumElements(*shape) != 1) {
        continue;
      }
      growth.post.w_scale = OperandOf(multiply, i);
      growth.post.rest.scaled_at_run = true;
      growth.x_scale = scale;
      return true;
    }
    return false;
  }

  bool IsScaleOfChannels(const Value& value, const Growth& growth) const {
    const Tensor* tensor = ConstantOf(&value);
    return tensor != nullptr && tensor->dtype() == DType::kF32 &&
           IsAlongChannels(*tensor->type().shape(), growth);
  }

  bool TakeBias(const Step& step, Growth& growth) const {
    if (growth.post.bias != kAbsent || !AreInfinite(growth.post.rest.limits)) return false;
    growth.post.bias = AddedConstant(step, growth, DType::kF32);
    return growth.post.bias != kAbsent;
  }

  bool TakeLimits(const Node& node, rt::Int8Limits& limits) const {
    const std::optional<rt::Int8Limits> found = LimitsOf(node);
    if (!found || !AreInfinite(limits)) return false;
    limits = *found;
    return true;
  }

  bool TakeResult(const Node& node, Growth& growth) const {
    if (!node.Is("QuantizeLinear")) return false;
    const std::optional<rt::Int8Grid> grid = GridOf(node, *node.result());
    if (!grid) return false;
    growth.post.rest.result = *grid;
    growth.stage = Growth::Stage::kResult;
    return true;
  }

  // Rounding keeps the order: integers may be limited when they are saturated.
  bool TakeIntegerLimits(const Node& node, Growth& growth) const {
    const std::optional<rt::Int8Limits> limits = node.Is("Clip") ? LimitsOf(node) : std::nullopt;
    if (!limits) return false;
    rt::Int8Grid& grid = growth.post.rest.result;
    const float low = std::max(static_cast<float>(grid.low), limits->low);
    const float high = std::min(static_cast<float>(grid.high), limits->high);
    if (!(low <= high)) return false;
    grid.low = static_cast<std::int32_t>(low);
    grid.high = static_cast<std::int32_t>(high);
    return true;
  }

  bool TakeThrough(const Step& step, Growth& growth) const {
    rt::Int8Epilogue& rest = growth.post.rest;
    if (!step.node->Is("DequantizeLinear") || rest.through.present() || rest.residual.present())
      return false;
    const std::optional<rt::Int8Grid> grid = GridOf(*step.node, *step.node->operand(0));
    if (!grid || grid->zero != rest.result.zero) return false;
    rest.through = rest.result;
    rest.through_scale = grid->scale;
    rest.result = {};
    growth.stage = Growth::Stage::kThrough;
    return true;
  }

  // The other operand is dequantised from integers that are there when the product is computed.
  bool TakeResidual(std::size_t at, const Step& step, Growth& growth) const {
    if (!step.node->Is("Add") || growth.residual != kAbsent) return false;
    const std::size_t maker = uses_.Maker(OperandOf(step, OtherOf(step, growth)));
    if (maker == BlockUses::kOutside || OperandOf(step, 0) == OperandOf(step, 1)) return false;
    const Step& dequantize = steps_[maker];
    if (!dequantize.Is<KernelStep>() || !dequantize.node->Is("DequantizeLinear")) return false;
    const BufferId integers = OperandOf(dequantize, 0);
    const std::size_t made = uses_.Maker(integers);
    const std::optional<rt::Int8Grid> grid = GridOf(*dequantize.node, *dequantize.node->operand(0));
    const Buffer& buffer = plan_.buffer(integers);
    if (!grid || buffer.shape != plan_.buffer(growth.value).shape ||
        (buffer.storage != Storage::kArena && buffer.storage != Storage::kSlot &&
         buffer.storage != Storage::kInput) ||
        (made != BlockUses::kOutside && made >= at)) {
      return false;
    }
    growth.post.rest.residual = *grid;
    growth.residual = integers;
    growth.stage = Growth::Stage::kAdded;
    return true;
  }

  // DequantizeLinear and products of scales whose readers were absorbed.
  void DropIdle() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[i];
      const bool may_be_idle =
          step.Is<KernelStep>() && (step.node->Is("DequantizeLinear") || step.node->Is("Mul"));
      if (gone_[i] || !may_be_idle) continue;
      const std::set<std::size_t>& readers = uses_.Readers(step.results.front());
      gone_[i] = step.binds.empty() && !readers.empty() &&
                 std::ranges::all_of(readers, [&](std::size_t reader) {
                   return reader != BlockUses::kOutside && gone_[reader];
                 });
    }
  }

  Plan& plan_;
  std::vector<Step>& steps_;
  BlockUses uses_;
  std::vector<bool> gone_;
  int channel_axis_ = 1;  // of the product that grows
};

void FuseBlock(Plan& plan, Block& block, const PlanEntry* entry) {
  for (Step& step : block.steps) {
    for (Block& body : step.bodies()) FuseBlock(plan, body, nullptr);
  }
  EpilogueFuser(plan, block, entry).Run();
}

}  // namespace

void FuseInt8Epilogues(Plan& plan) {
  for (PlanEntry& entry : plan.entries) FuseBlock(plan, entry.body, &entry);
}

}  // namespace dragoman::onednn
