// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/recurrent.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>
#include <vector>

#include "runtime/fast/parallel.h"
#include "runtime/fast/recurrent_direction.h"
#include "runtime/fast/threads.h"
#include "runtime/fast/wide_weights.h"
#include "runtime/params/guarded.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kThreadProducts =
    1 << 16;                            // between meetings, below which a thread costs more
constexpr std::int64_t kShareRows = 4;  // fewer wait for the weights of all units

std::int64_t NumDirections(RnnDirection direction) {
  return direction == RnnDirection::kBidirectional ? 2 : 1;
}

const float* PartAt(const float* data, std::int64_t offset) {
  return data == nullptr ? nullptr : data + offset;
}

float* PartAt(float* data, std::int64_t offset) {
  return data == nullptr ? nullptr : data + offset;
}

// Of direction `d`.
CellFunctions FunctionsOf(const ProjectedLSTMParams& p, int d) {
  const LSTMParams plain = p.Plain();
  CellFunctions all{LSTMFunction(plain, d, 0), LSTMFunction(plain, d, 1),
                    LSTMFunction(plain, d, 2)};
  if (p.cell_clip > 0) all.cell = p.cell_clip;
  if (p.output_clip > 0) all.output = p.output_clip;
  all.input_forget = p.input_forget;
  all.are_usual = !p.input_forget && all.f.kind == RnnActivation::kSigmoid &&
                  all.g.kind == RnnActivation::kTanh && all.h.kind == RnnActivation::kTanh;
  return all;
}

CellFunctions FunctionsOf(const GRUParams& p, int d) {
  CellFunctions all{GRUFunction(p, d, 0), GRUFunction(p, d, 1), {}};
  all.are_usual = all.f.kind == RnnActivation::kSigmoid && all.g.kind == RnnActivation::kTanh;
  return all;
}

CellFunctions FunctionsOf(const RNNParams& p, int d) {
  CellFunctions all{RNNFunction(p, d, 0), {}, {}};
  all.are_usual = all.f.kind == RnnActivation::kTanh || all.f.kind == RnnActivation::kRelu;
  return all;
}

// Open sizes are not 0 either.
template <class P>
bool IsPlain(const P& p, const Shape& x) {
  return p.layout == 0 && p.hidden_size > 0 && x.size() == 3 && x[0] != 0 && x[1] != 0 && x[2] > 0;
}

// Of each direction.
template <class P>
std::vector<CellFunctions> AllFunctions(const P& p) {
  std::vector<CellFunctions> all;
  for (int d = 0; d < NumDirections(p.direction); ++d) {
    all.push_back(FunctionsOf(p, d));
    if (!(p.clip > 0)) continue;
    all.back().clip = p.clip;
    all.back().are_usual = false;
  }
  return all;
}

}  // namespace

struct PreparedRecurrent::Impl {
  std::vector<RecurrentDirection> directions;
  CellSizes sizes;
  std::int64_t threads = 1, steps = 0, batch = 0;
  std::int64_t state = 0, given = 0;  // floats of a direction's cell state, and of its hidden state

  Status Init(const FastContext& context, const CellSizes& cell, const RecurrentExtent& extent,
              const std::vector<CellFunctions>& functions, RnnDirection which,
              const RecurrentWeights& weights) {
    sizes = cell;
    const std::int64_t gates = sizes.gate_units(), count = NumDirections(which);
    directions.resize(functions.size());
    const std::int64_t units = Divide(Largest(extent)).units;
    for (std::int64_t d = 0; d < count; ++d) {
      const RecurrentWeights own = {weights.w + d * gates * sizes.input,
                                    weights.r + d * gates * sizes.output,
                                    PartAt(weights.b, d * 2 * gates),
                                    PartAt(weights.peepholes, d * 3 * sizes.hidden),
                                    PartAt(weights.projection, d * sizes.output * sizes.hidden),
                                    weights.in_half};
      const bool backward = which == RnnDirection::kReverse || d == 1;
      DRAGOMAN_RT_TRY(direction(d).Init(
          context, sizes, extent, functions[static_cast<std::size_t>(d)], backward, units, own));
    }
    if (!extent.is_open()) Resize(extent);
    return Status();
  }

  // Of the runs that follow.
  void Resize(const RecurrentExtent& extent) {
    steps = extent.steps;
    batch = extent.batch;
    state = extent.batch * sizes.hidden;
    given = extent.batch * sizes.output;
    const RecurrentShares shares = Divide(extent);
    for (RecurrentDirection& each : directions) each.Resize(extent, shares);
  }

  // Where an open run is divided into the most units: rows are just too few to be divided.
  RecurrentExtent Largest(RecurrentExtent extent) const {
    const std::int64_t most = kShareRows * std::max<std::int64_t>(MaxThreads(), 1) - 1;
    if (extent.batch == RecurrentExtent::kOpen) extent.batch = most;
    extent.steps = std::max<std::int64_t>(extent.steps, 1);
    return extent;
  }

  // Among threads that never meet, if there are enough rows.
  RecurrentShares Divide(const RecurrentExtent& extent) {
    const std::int64_t step = extent.batch * sizes.gate_units() * sizes.output * num_directions();
    const auto most = [](std::int64_t products) {
      return std::clamp<std::int64_t>(products / kThreadProducts, 1, MaxThreads());
    };
    RecurrentShares shares;
    threads = most(step * extent.steps);
    shares.rows = std::max<std::int64_t>(threads / num_directions(), 1);
    if (extent.batch / shares.rows >= kShareRows) return shares;
    shares.rows = 1;
    shares.units = std::max<std::int64_t>(most(step) / num_directions(), 1);
    return shares;
  }

  std::int64_t num_directions() const { return static_cast<std::int64_t>(directions.size()); }
  RecurrentDirection& direction(std::int64_t d) { return directions[static_cast<std::size_t>(d)]; }

  RecurrentResults Results(std::int64_t d, const std::int32_t* lengths, float* y) const {
    return {PartAt(y, d * given), num_directions() * given, lengths};
  }

  // Whether all are of steps that there are.
  bool FitLengths(const std::int32_t* lengths) const {
    const auto fits = [this](std::int32_t length) { return length >= 0 && length <= steps; };
    return lengths == nullptr || std::all_of(lengths, lengths + batch, fits);
  }

  // All phases of all directions, which lie `own` floats apart in memory.
  void RunPhases(const std::int32_t* lengths, float* y, float* memory, std::int64_t own) {
    const RecurrentDirection& first = directions.front();
    const std::int64_t shares = first.num_shares(), tasks = num_directions() * shares;
    const auto run = [&](std::int64_t task, std::int64_t phase) {
      const std::int64_t d = task / shares;
      direction(d).RunPhase(phase, task % shares, Results(d, lengths, y), memory + d * own);
    };
    Barrier barrier;
    Team(std::min(threads, tasks), [&](std::int64_t thread, std::int64_t count) {
      for (std::int64_t task = thread; task < tasks && !first.shares_meet(); task += count) {
        for (std::int64_t phase = 0; phase < first.num_phases(); ++phase) run(task, phase);
      }
      for (std::int64_t phase = 0; phase < first.num_phases() && first.shares_meet(); ++phase) {
        for (std::int64_t task = thread; task < tasks; task += count) run(task, phase);
        barrier.Meet(count);
      }
    });
  }
};

bool PreparedRecurrent::Supports(const LSTMParams& p, const Shape& x) { return IsPlain(p, x); }

bool PreparedRecurrent::Supports(const ProjectedLSTMParams& p, const Shape& x) {
  return IsPlain(p, x);
}

bool PreparedRecurrent::Supports(const GRUParams& p, const Shape& x) { return IsPlain(p, x); }

bool PreparedRecurrent::Supports(const RNNParams& p, const Shape& x) { return IsPlain(p, x); }

namespace {

template <class Impl, class P>
Status PrepareRecurrent(const FastContext& context, const P& p, const Shape& x, RecurrentCell cell,
                        const WeightData& w, const WeightData& r, std::int64_t output,
                        RecurrentWeights weights, Pimpl<Impl>* prepared) noexcept {
  if (!PreparedRecurrent::Supports(p, x))
    return Status::Error("this recurrent operator cannot be prepared");
  DRAGOMAN_RT_GUARDED {
    const CellSizes sizes = {cell, x[2], p.hidden_size, output};
    const std::int64_t rows = sizes.gate_units() * NumDirections(p.direction);
    const WideWeights wide_w(w, rows * sizes.input), wide_r(r, rows * output);
    weights.w = wide_w.data();
    weights.r = wide_r.data();
    weights.in_half = r.precision == Precision::kBF16 && HalfPanels::Supported();
    auto impl = Pimpl<Impl>::Make();
    DRAGOMAN_RT_TRY(
        impl->Init(context, sizes, {x[0], x[1]}, AllFunctions(p), p.direction, weights));
    *prepared = std::move(impl);
  }
  DRAGOMAN_RT_CAUGHT(std::exception) { return Status::Error("out of memory"); }
  return Status();
}

}  // namespace

Status PreparedRecurrent::Init(const FastContext& context, const LSTMParams& p, const Shape& x,
                               const WeightData& w, const WeightData& r, const float* b,
                               const float* peepholes) noexcept {
  return Init(context, AsProjected(p), x, p.hidden_size, w, r, b, peepholes, nullptr);
}

Status PreparedRecurrent::Init(const FastContext& context, const ProjectedLSTMParams& p,
                               const Shape& x, std::int64_t output, const WeightData& w,
                               const WeightData& r, const float* b, const float* peepholes,
                               const float* projection) noexcept {
  return PrepareRecurrent(context, p, x, RecurrentCell::kLstm, w, r, output,
                          {nullptr, nullptr, b, peepholes, projection}, &impl_);
}

Status PreparedRecurrent::Init(const FastContext& context, const GRUParams& p, const Shape& x,
                               const WeightData& w, const WeightData& r, const float* b) noexcept {
  const RecurrentCell cell = p.linear_before_reset ? RecurrentCell::kGru : RecurrentCell::kGruReset;
  return PrepareRecurrent(context, p, x, cell, w, r, p.hidden_size, {nullptr, nullptr, b}, &impl_);
}

Status PreparedRecurrent::Init(const FastContext& context, const RNNParams& p, const Shape& x,
                               const WeightData& w, const WeightData& r, const float* b) noexcept {
  return PrepareRecurrent(context, p, x, RecurrentCell::kRnn, w, r, p.hidden_size,
                          {nullptr, nullptr, b}, &impl_);
}

void PreparedRecurrent::Resize(const Shape& x) noexcept { impl_->Resize({x[0], x[1]}); }

Status PreparedRecurrent::Run(const float* x, const std::int32_t* lengths, const float* initial_h,
                              const float* initial_c, float* y, float* y_h, float* y_c,
                              void* scratch) noexcept {
  Impl& impl = *impl_;
  if (!impl.FitLengths(lengths)) return Status::Error("sequence length out of range");
  auto* memory = static_cast<float*>(scratch);
  const std::int64_t own = impl.directions.front().Floats(), count = impl.num_directions();
  for (std::int64_t d = 0; d < count; ++d) {
    DRAGOMAN_RT_TRY(impl.direction(d).Begin(x, PartAt(initial_h, d * impl.given),
                                            PartAt(initial_c, d * impl.state), memory + d * own,
                                            memory + count * own));
  }
  impl.RunPhases(lengths, y, memory, own);
  for (std::int64_t d = 0; d < count; ++d) {
    impl.direction(d).End(impl.Results(d, lengths, y), memory + d * own,
                          PartAt(y_h, d * impl.given), PartAt(y_c, d * impl.state));
  }
  return Status();
}

std::int64_t PreparedRecurrent::ScratchBytes() const noexcept {
  std::int64_t products = 0;
  for (const RecurrentDirection& direction : impl_->directions)
    products = std::max(products, direction.ScratchBytes());
  const std::int64_t own = impl_->directions.front().Floats();
  return impl_->num_directions() * own * std::int64_t{sizeof(float)} + products;
}

const char* PreparedRecurrent::Implementation() const noexcept {
  return impl_->directions.front().is_half() ? "own loop, bf16" : "own loop";
}

}  // namespace dragoman::rt
