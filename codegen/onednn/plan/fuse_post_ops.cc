// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "codegen/onednn/plan/passes.h"
#include "codegen/onednn/plan/scalar_ops.h"
#include "codegen/onednn/plan/uses.h"
#include "core/ops/params.h"

namespace dragoman::onednn {
namespace {

using rt::FusedActivation;

constexpr double kFar = 1e30;  // where a clipped function is constant
// A sum with a number beyond may be there to round the other one off: x + 2^23 - 2^23.
constexpr float kRounding = 4096.0f;

bool Near(double a, double b) { return std::fabs(a - b) <= 1e-6 * (1.0 + std::fabs(b)); }

double Activation(const rt::PostOps& post, double x) {
  if (post.activation == FusedActivation::kNone) return x;
  const double alpha = post.activation == FusedActivation::kSwish ? 1.0 : post.alpha;
  const double arguments[kMaxScalarArguments] = {x, alpha, post.beta};
  return FindScalarOp(ScalarNameOf(post.activation))->compute(arguments);
}

// A loop as a function of the value that a prepared operator gives, and of a residual.
class LoopFunction {
 public:
  LoopFunction(const MapStep& map, BufferId value, BufferId residual) : terms_(map.terms) {
    operands_ = {value};
    if (residual != kAbsent) operands_.push_back(residual);
  }

  double operator()(double x, double residual) const {
    const double inputs[] = {x, residual};
    return Evaluate(terms_, operands_, std::span(inputs).first(operands_.size()));
  }

  // Whether `residual` is only added to what is computed of the rest: functions are compared at few
  // values of it.
  bool Adds(BufferId residual) const {
    int adds = 0, reads = 0;
    for (const MapTerm& term : terms_) {
      const auto count = std::ranges::count(term.arguments, residual, &MapArgument::buffer);
      reads += static_cast<int>(count);
      adds += term.op->name == "Add" ? static_cast<int>(count) : 0;
    }
    return adds == 1 && reads == 1;
  }

  // Whether it may agree with other functions where they are compared and nowhere else: it has
  // steps or waves, rounds off, or has many numbers. By name: a property of functions that nothing
  // else asks for.
  bool MayHide() const {
    if (Numbers().size() > kMaxNumbers) return true;
    return std::ranges::any_of(terms_, [](const MapTerm& term) {
      for (const std::string_view name :
           {"Ceil", "Cos", "Floor", "Round", "RoundToBFloat16", "RoundToHalf", "Sin"}) {
        if (term.op->name == name) return true;
      }
      if (term.op->name != "Add" && term.op->name != "Sub") return false;
      return std::ranges::any_of(term.arguments, [](const MapArgument& argument) {
        return argument.buffer == kAbsent && std::fabs(argument.number) > kRounding;
      });
    });
  }

  bool Is(const rt::PostOps& post) const {
    for (int i = -40; i <= 40; ++i) {
      const double x = 0.37 * i;
      if (!Agrees(post, x, 0.0) || !Agrees(post, x, 1.3) || !Agrees(post, x, -2.9)) return false;
    }
    // Near zero, bounds may hide all that lies between the others.
    for (double x = 1e-6; x < 60.0; x *= 1.13) {
      if (!Agrees(post, x, 0.0) || !Agrees(post, -x, 0.0)) return false;
    }
    std::vector<double> points = Bends();
    points.insert(points.end(), {60.0, 1e3, 1e5, 1e10, kFar});
    return std::ranges::all_of(
        points, [&](double x) { return Agrees(post, x, 0.0) && Agrees(post, -x, 0.0); });
  }

 private:
  static constexpr std::size_t kMaxNumbers = 8;

  // The distinct sizes of its constants, in ascending order.
  std::vector<double> Numbers() const {
    std::vector<double> numbers;
    for (const MapTerm& term : terms_) {
      for (const MapArgument& argument : term.arguments) {
        const double number = std::fabs(argument.number);
        if (argument.buffer == kAbsent && number > 0 && number < kFar) numbers.push_back(number);
      }
    }
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }

  // Where bounds may bend it: at numbers, their sums, products and the like, and in between.
  std::vector<double> Bends() const {
    const std::vector<double> numbers = Numbers();
    std::vector<double> points = numbers;
    for (const double a : numbers) {
      for (const double b : numbers)
        points.insert(points.end(), {a + b, std::fabs(a - b), a * b, a / b});
    }
    std::ranges::sort(points);
    const std::size_t count = points.size();
    for (std::size_t i = 1; i < count; ++i) points.push_back((points[i - 1] + points[i]) / 2);
    return points;
  }

  bool Agrees(const rt::PostOps& post, double x, double residual) const {
    const double r = post.residual ? residual : 0.0;
    const double expected =
        post.activation_first ? Activation(post, x) + r : Activation(post, x + r);
    return Near((*this)(x, residual), expected);
  }

  const std::vector<MapTerm>& terms_;
  std::vector<BufferId> operands_;
};

std::vector<rt::PostOps> Candidates(const LoopFunction& loop) {
  std::vector<rt::PostOps> candidates;
  for (FusedActivation activation :
       {FusedActivation::kNone, FusedActivation::kRelu, FusedActivation::kSigmoid,
        FusedActivation::kTanh, FusedActivation::kGelu, FusedActivation::kGeluTanh,
        FusedActivation::kHardSwish, FusedActivation::kSwish}) {
    candidates.push_back({false, false, activation, 0.0f, 0.0f});
  }
  const double low = loop(-kFar, 0.0), high = loop(kFar, 0.0);
  if (low < high) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    candidates.push_back({false, false, FusedActivation::kClip,
                          low == -kFar ? -kInfinity : static_cast<float>(low),
                          high == kFar ? kInfinity : static_cast<float>(high)});
  }
  const double middle = loop(0.0, 0.0);
  if (low == 0.0 && high == 1.0) {
    candidates.push_back({false, false, FusedActivation::kHardSigmoid,
                          static_cast<float>(loop(1.0, 0.0) - middle), static_cast<float>(middle)});
  }
  return candidates;
}

std::optional<rt::PostOps> Recognise(const LoopFunction& loop, bool residual) {
  for (rt::PostOps post : Candidates(loop)) {
    if (!residual && post.activation == FusedActivation::kNone) continue;
    post.residual = residual;
    for (bool first : {false, true}) {
      post.activation_first = first;
      if (loop.Is(post)) return post;
    }
  }
  return std::nullopt;
}

class PostOpFuser {
 public:
  PostOpFuser(Plan& plan, Block& block, const PlanEntry* entry, bool residuals)
      : plan_(plan), steps_(block.steps), uses_(block, entry), residuals_(residuals) {}

  void Run() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].Is<MapStep>()) FuseOne(i);
    }
    std::erase_if(steps_, [](const Step& step) {
      return step.Is<MapStep>() && step.As<MapStep>()->terms.empty();
    });
  }

 private:
  // The prepared step that can take the loop at `map` upon its result `id`; nullptr: none.
  Step* Target(BufferId id, std::size_t map) {
    const std::size_t maker = uses_.Maker(id);
    if (maker == BlockUses::kOutside || uses_.Readers(id).size() != 1) return nullptr;
    Step& step = steps_[maker];
    if (!step.Is<PreparedStep>()) return nullptr;
    const Prepared& prepared = *plan_.PreparedOf(step);
    const bool fits = maker < map && step.fused.empty() && prepared.takes_post && !prepared.int8 &&
                      steps_[map].binds.empty() &&
                      SameSizes(plan_.buffer(id), plan_.buffer(steps_[map].results.front()));
    return fits ? &step : nullptr;
  }

  // oneDNN has no vector code that adds to what an activation gave; panels of our own do.
  bool Takes(const Step& step, const rt::PostOps& post) const {
    return !post.residual || !post.activation_first ||
           IsPrepared(plan_, step, {"rt::OwnLinear", "rt::PreparedLinear", "rt::PackedLinear"});
  }

  // A tensor of the result's sizes that is there when step `maker` runs.
  bool CanBeResidual(BufferId id, std::size_t maker, BufferId result) const {
    const Buffer& buffer = plan_.buffer(id);
    const std::size_t made = uses_.Maker(id);
    return (made == BlockUses::kOutside || made < maker) && buffer.dtype == DType::kF32 &&
           (buffer.storage == Storage::kArena || buffer.storage == Storage::kSlot) &&
           SameSizes(buffer, plan_.buffer(result));
  }

  void FuseOne(std::size_t at) {
    const Step& map = steps_[at];
    if (map.results.size() != 1 || map.inputs.size() > (residuals_ ? 2u : 1u)) return;
    for (std::size_t i = 0; i < map.inputs.size(); ++i) {
      Step* target = Target(map.inputs[i], at);
      if (target == nullptr) continue;
      const BufferId residual = map.inputs.size() == 2 ? map.inputs[1 - i] : kAbsent;
      const std::size_t maker = uses_.Maker(map.inputs[i]);
      if (residual != kAbsent && !CanBeResidual(residual, maker, map.results.front())) continue;
      const LoopFunction loop(*map.As<MapStep>(), map.inputs[i], residual);
      if (loop.MayHide() || (residual != kAbsent && !loop.Adds(residual))) continue;
      const std::optional<rt::PostOps> post = Recognise(loop, residual != kAbsent);
      if (!post || !Takes(*target, *post)) continue;
      Absorb(*target, steps_[at], *post, residual);
      return;
    }
  }

  void Absorb(Step& target, Step& map, const rt::PostOps& post, BufferId residual) {
    plan_.PreparedOf(target)->post = post;
    target.As<PreparedStep>()->residual = residual;
    for (SymbolBinding& bind : target.binds) bind.buffer = map.results.front();
    target.results = map.results;
    target.fused.push_back(map.comment);
    std::ranges::copy(map.fused, std::back_inserter(target.fused));
    map.As<MapStep>()->terms.clear();
  }

  Plan& plan_;
  std::vector<Step>& steps_;
  BlockUses uses_;
  bool residuals_;
};

void FuseBlock(Plan& plan, Block& block, const PlanEntry* entry, bool residuals) {
  for (Step& step : block.steps) {
    for (Block& body : step.bodies()) FuseBlock(plan, body, nullptr, residuals);
  }
  PostOpFuser(plan, block, entry, residuals).Run();
}

void FuseEntries(Plan& plan, bool residuals) {
  for (PlanEntry& entry : plan.entries) FuseBlock(plan, entry.body, &entry, residuals);
}

}  // namespace

void FuseActivations(Plan& plan) { FuseEntries(plan, false); }

void FusePostOps(Plan& plan) { FuseEntries(plan, true); }

}  // namespace dragoman::onednn
