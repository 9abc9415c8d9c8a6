#include "runtime/fast/recurrent.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>
#include <vector>

#include "runtime/fast/gate_loops.h"
#include "runtime/fast/half_weights.h"
#include "runtime/fast/linear.h"
#include "runtime/fast/panel_product.h"
#include "runtime/fast/parallel.h"
#include "runtime/fast/threads.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kUnitBlock = 16;            // units that are not divided
constexpr std::int64_t kThreadProducts = 1 << 16;  // of a step, below which a thread costs more

enum class Cell {
  kLstm,
  kGru,       // that multiplies the state before it resets it
  kGruReset,  // that resets the state before
  kTanh,
  kRelu,
};

std::int64_t NumGates(Cell cell) {
  return cell == Cell::kLstm ? 4 : cell == Cell::kGru || cell == Cell::kGruReset ? 3 : 1;
}

std::int64_t Rounded(std::int64_t floats) { return (floats + 15) / 16 * 16; }

// The hidden units that one thread computes of one direction.
struct Part {
  std::int64_t first = 0, units = 0;
  PanelProduct recurrent;    // their gates; of kGruReset all but the last
  PanelProduct after_reset;  // kGruReset: gate h
  std::vector<float> reset_bias;
  std::vector<float> peepholes;  // of a bounded LSTM
};

struct Direction {
  PreparedLinear input;
  std::vector<Part> parts;
  PanelProduct projection;
  bool backward = false;
};

// Memory of one direction's run.
struct Buffers {
  float* given;      // the input's part of all gates of all steps; of each row the parts in order
  float* product;    // the state's part of one step, the parts in order
  float* states[2];  // h as it is given: before the first step, and by turns where nobody wants it
  float* c;
  float* unprojected;  // h before its projection
  float* reset_h;      // kGruReset
  float* candidate;    // kGruReset: its product, the parts in order
};

template <class P, class Function>
bool HasFunctions(const P& p, Function function, std::initializer_list<RnnActivation> expected) {
  for (int d = 0; d < (p.direction == RnnDirection::kBidirectional ? 2 : 1); ++d) {
    int i = 0;
    for (const RnnActivation activation : expected) {
      if (function(p, d, i++).kind != activation) return false;
    }
  }
  return true;
}

template <class P>
bool IsPlain(const P& p, const Shape& x) {
  return p.clip == 0.0f && p.layout == 0 && p.hidden_size > 0 && x.size() == 3 &&
         NumElements(x) > 0;
}

}  // namespace

struct PreparedRecurrent::Impl {
  Cell cell = Cell::kLstm;
  std::int64_t steps = 0, batch = 0, input = 0, hidden = 0;
  std::int64_t output = 0;  // of a row of the hidden state that is given
  bool bounded = false;     // an LSTM with peepholes, bounds or a projection
  bool projects = false;
  float cell_bound = INFINITY, bound = INFINITY;
  std::vector<Direction> directions;
  std::int64_t threads = 1;

  std::int64_t gates() const { return NumGates(cell); }
  // Of the first product of a step.
  std::int64_t product_gates() const { return cell == Cell::kGruReset ? 2 : gates(); }
  std::int64_t outputs() const { return gates() * hidden; }
  std::int64_t state() const { return batch * hidden; }
  std::int64_t given() const { return batch * output; }
  std::int64_t num_directions() const { return static_cast<std::int64_t>(directions.size()); }
  std::int64_t num_parts() const {
    return static_cast<std::int64_t>(directions.front().parts.size());
  }
  // Between which all parts of a direction wait for each other.
  int num_phases() const { return cell == Cell::kGruReset || projects ? 2 : 1; }

  Status Prepare(const FastContext& context, RnnDirection which, const float* w, const float* r,
                 const float* b) {
    directions.resize(which == RnnDirection::kBidirectional ? 2 : 1);
    const std::int64_t work = batch * outputs() * output * num_directions();
    threads = std::clamp<std::int64_t>(work / kThreadProducts, 1, MaxThreads());
    for (std::int64_t d = 0; d < num_directions(); ++d) {
      Direction& direction = directions[static_cast<std::size_t>(d)];
      direction.backward = which == RnnDirection::kReverse || d == 1;
      DivideUnits(&direction);
      const std::vector<float> bias =
          Bias(b != nullptr ? b + d * 2 * outputs() : nullptr, &direction);
      const std::vector<float> weights = InParts(direction, w + d * outputs() * input, input);
      DRAGOMAN_RT_TRY(direction.input.Init(context, {steps * batch, input, outputs(), false},
                                           weights.data(), bias.data(), {}));
      PackRecurrent(InParts(direction, r + d * outputs() * output, output).data(), &direction);
    }
    return Status();
  }

  void DivideUnits(Direction* direction) const {
    const std::int64_t blocks = (hidden + kUnitBlock - 1) / kUnitBlock;
    const std::int64_t count =
        std::clamp<std::int64_t>(threads / num_directions(), 1, std::max<std::int64_t>(blocks, 1));
    direction->parts.resize(static_cast<std::size_t>(count));
    std::int64_t first = 0;
    for (std::int64_t p = 0; p < count; ++p) {
      Part& part = direction->parts[static_cast<std::size_t>(p)];
      part.first = first;
      first = std::min(hidden, blocks * (p + 1) / count * kUnitBlock);
      part.units = first - part.first;
    }
  }

  // The rows of all gates, each of `size` floats, in the order of the parts.
  std::vector<float> InParts(const Direction& direction, const float* rows,
                             std::int64_t size) const {
    std::vector<float> ordered(static_cast<std::size_t>(outputs() * size));
    float* to = ordered.data();
    for (const Part& part : direction.parts) {
      for (std::int64_t g = 0; g < gates(); ++g) {
        to = std::copy_n(rows + (g * hidden + part.first) * size, part.units * size, to);
      }
    }
    return ordered;
  }

  void PackRecurrent(const float* rows, Direction* direction) const {
    for (Part& part : direction->parts) {
      const float* own = rows + part.first * gates() * output;
      part.recurrent.Pack(own, output, 1, nullptr, product_gates() * part.units, output, batch);
      if (cell != Cell::kGruReset) continue;
      part.after_reset.Pack(own + 2 * part.units * output, output, 1, nullptr, part.units, output,
                            batch);
    }
  }

  // Null stands for none.
  void PrepareBounded(const ProjectedLSTMParams& p, const float* peepholes,
                      const float* projection) {
    bounded = peepholes != nullptr || projection != nullptr || p.cell_clip > 0 || p.output_clip > 0;
    projects = projection != nullptr;
    if (p.cell_clip > 0) cell_bound = p.cell_clip;
    if (p.output_clip > 0) bound = p.output_clip;
    for (std::int64_t d = 0; bounded && d < num_directions(); ++d) {
      Direction& direction = directions[static_cast<std::size_t>(d)];
      for (Part& part : direction.parts) {
        part.peepholes.assign(static_cast<std::size_t>(3 * part.units), 0.0f);
        for (std::int64_t i = 0; i < 3 && peepholes != nullptr; ++i) {
          std::copy_n(peepholes + (d * 3 + i) * hidden + part.first, part.units,
                      part.peepholes.data() + i * part.units);
        }
      }
      if (!projects) continue;
      direction.projection.Pack(projection + d * output * hidden, hidden, 1, nullptr, output,
                                hidden, batch);
    }
  }

  // The biases that need not wait for the state, in the order of the parts, which get the others.
  std::vector<float> Bias(const float* b, Direction* direction) const {
    std::vector<float> sum(static_cast<std::size_t>(outputs()), 0.0f);
    for (std::int64_t i = 0; b != nullptr && i < outputs(); ++i) {
      const bool waits = cell == Cell::kGru && i >= 2 * hidden;
      sum[static_cast<std::size_t>(i)] = b[i] + (waits ? 0.0f : b[outputs() + i]);
    }
    for (Part& part : direction->parts) {
      part.reset_bias.assign(static_cast<std::size_t>(part.units), 0.0f);
      if (b == nullptr || cell != Cell::kGru) continue;
      std::copy_n(b + outputs() + 2 * hidden + part.first, part.units, part.reset_bias.data());
    }
    return InParts(*direction, sum.data(), 1);
  }

  // Of one direction; the scratch memory of the products by the input follows all of them.
  std::int64_t OwnFloats() const {
    return Rounded(steps * batch * outputs()) + Rounded(batch * outputs()) + 4 * Rounded(state()) +
           2 * Rounded(given());
  }

  Buffers Divide(float* memory) const {
    Buffers buffers;
    buffers.given = memory;
    buffers.product = buffers.given + Rounded(steps * batch * outputs());
    buffers.states[0] = buffers.product + Rounded(batch * outputs());
    buffers.states[1] = buffers.states[0] + Rounded(given());
    buffers.c = buffers.states[1] + Rounded(given());
    buffers.reset_h = buffers.c + Rounded(state());
    buffers.candidate = buffers.reset_h + Rounded(state());
    buffers.unprojected = buffers.candidate + Rounded(state());
    return buffers;
  }

  // Where the hidden state lies when so many steps of direction d are done; y may be null.
  float* StateAfter(std::int64_t done, std::int64_t d, const Buffers& buffers, float* y) const {
    if (done == 0 || y == nullptr) return buffers.states[done % 2];
    const std::int64_t t =
        directions[static_cast<std::size_t>(d)].backward ? steps - done : done - 1;
    return y + (t * num_directions() + d) * given();
  }

  // The first product and what follows it, of one row.
  void RunRow(const Part& part, std::int64_t n, const float* x, const float* h, float* next,
              const Buffers& buffers) const {
    float* r = buffers.product + product_gates() * (batch * part.first + n * part.units);
    float* c = buffers.c + n * hidden + part.first;
    switch (cell) {
      case Cell::kLstm:
        if (!bounded) return LstmRow(part.units, x, r, c, next);
        return BoundedLstmRow(part.units, x, r, part.peepholes.data(), cell_bound,
                              projects ? INFINITY : bound, c, next);
      case Cell::kGru:
        return GruRow(part.units, x, r, part.reset_bias.data(), h, next);
      case Cell::kGruReset:
        return ResetRow(part.units, x, r, h, buffers.reset_h + n * hidden + part.first);
      case Cell::kTanh:
        return TanhRow(part.units, x, r, next);
      case Cell::kRelu:
        return ReluRow(part.units, x, r, next);
    }
  }

  void RunFirstPhase(const Part& part, const float* given, const float* h, float* next,
                     const Buffers& buffers) const {
    float* product = buffers.product + product_gates() * batch * part.first;
    part.recurrent.RunRows(batch, h, product);
    if (projects) next = buffers.unprojected;
    for (std::int64_t n = 0; n < batch; ++n) {
      const std::int64_t at = n * hidden + part.first;
      RunRow(part, n, given + n * outputs() + gates() * part.first, projects ? nullptr : h + at,
             next + at, buffers);
    }
  }

  void RunSecondPhase(const Direction& direction, const Part& part, const float* given,
                      const float* h, float* next, const Buffers& buffers) const {
    if (projects) {
      if (part.first != 0) return;
      direction.projection.RunRows(batch, buffers.unprojected, next);
      if (bound < INFINITY) BoundRow(batch * output, bound, next);
      return;
    }
    float* candidate = buffers.candidate + batch * part.first;
    part.after_reset.RunRows(batch, buffers.reset_h, candidate);
    for (std::int64_t n = 0; n < batch; ++n) {
      const std::int64_t at = n * hidden + part.first, row = n * part.units;
      UpdateRow(part.units, given + n * outputs() + gates() * part.first, candidate + row,
                buffers.product + 2 * (batch * part.first + row), h + at, next + at);
    }
  }

  void RunStep(std::int64_t i, int phase, std::int64_t d, const Part& part, float* y,
               const Buffers& buffers) const {
    const Direction& direction = directions[static_cast<std::size_t>(d)];
    const std::int64_t t = direction.backward ? steps - 1 - i : i;
    const float* given = buffers.given + t * batch * outputs();
    const float* h = StateAfter(i, d, buffers, y);
    float* next = StateAfter(i + 1, d, buffers, y);
    if (phase == 0) {
      RunFirstPhase(part, given, h, next, buffers);
    } else {
      RunSecondPhase(direction, part, given, h, next, buffers);
    }
  }

  // All steps. Directions do not wait for each other, parts of one do.
  void RunSteps(float* y, float* memory) const {
    const std::int64_t parts = num_parts(), tasks = num_directions() * parts;
    const auto run = [&](std::int64_t task, std::int64_t i, int phase) {
      const std::int64_t d = task / parts;
      RunStep(i, phase, d,
              directions[static_cast<std::size_t>(d)].parts[static_cast<std::size_t>(task % parts)],
              y, Divide(memory + d * OwnFloats()));
    };
    Team(std::min(threads, tasks), [&](std::int64_t thread, std::int64_t count) {
      if (parts == 1) {
        for (std::int64_t task = thread; task < tasks; task += count) {
          for (std::int64_t i = 0; i < steps * num_phases(); ++i)
            run(task, i / num_phases(), static_cast<int>(i % num_phases()));
        }
        return;
      }
      for (std::int64_t i = 0; i < steps * num_phases(); ++i) {
        for (std::int64_t task = thread; task < tasks; task += count)
          run(task, i / num_phases(), static_cast<int>(i % num_phases()));
        Meet();
      }
    });
  }
};

bool PreparedRecurrent::Supports(const LSTMParams& p, const Shape& x) {
  using A = RnnActivation;
  return IsPlain(p, x) && !p.input_forget &&
         HasFunctions(p, LSTMFunction, {A::kSigmoid, A::kTanh, A::kTanh});
}

bool PreparedRecurrent::Supports(const ProjectedLSTMParams& p, const Shape& x) {
  return Supports(p.Plain(), x);
}

bool PreparedRecurrent::Supports(const GRUParams& p, const Shape& x) {
  return IsPlain(p, x) &&
         HasFunctions(p, GRUFunction, {RnnActivation::kSigmoid, RnnActivation::kTanh});
}

bool PreparedRecurrent::Supports(const RNNParams& p, const Shape& x) {
  return IsPlain(p, x) && (HasFunctions(p, RNNFunction, {RnnActivation::kTanh}) ||
                           HasFunctions(p, RNNFunction, {RnnActivation::kRelu}));
}

namespace {

// `output` 0 is the hidden size.
template <class Impl, class P>
Status Prepare(const FastContext& context, const P& p, const Shape& x, Cell cell,
               const WeightData& w, const WeightData& r, const float* b, Pimpl<Impl>* prepared,
               std::int64_t output = 0) noexcept {
  if (!PreparedRecurrent::Supports(p, x))
    return Status::Error("this recurrent operator cannot be prepared");
  try {
    auto impl = Pimpl<Impl>::Make();
    impl->cell = cell;
    impl->steps = x[0];
    impl->batch = x[1];
    impl->input = x[2];
    impl->hidden = p.hidden_size;
    impl->output = output != 0 ? output : p.hidden_size;
    const std::int64_t rows =
        impl->outputs() * (p.direction == RnnDirection::kBidirectional ? 2 : 1);
    const WideWeights wide_w(w, rows * impl->input), wide_r(r, rows * impl->output);
    DRAGOMAN_RT_TRY(impl->Prepare(context, p.direction, wide_w.data(), wide_r.data(), b));
    *prepared = std::move(impl);
  } catch (const std::exception&) {
    return Status::Error("out of memory");
  }
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
  DRAGOMAN_RT_TRY(Prepare(context, p, x, Cell::kLstm, w, r, b, &impl_, output));
  try {
    impl_->PrepareBounded(p, peepholes, projection);
  } catch (const std::exception&) {
    return Status::Error("out of memory");
  }
  return Status();
}

Status PreparedRecurrent::Init(const FastContext& context, const GRUParams& p, const Shape& x,
                               const WeightData& w, const WeightData& r, const float* b) noexcept {
  return Prepare(context, p, x, p.linear_before_reset ? Cell::kGru : Cell::kGruReset, w, r, b,
                 &impl_);
}

Status PreparedRecurrent::Init(const FastContext& context, const RNNParams& p, const Shape& x,
                               const WeightData& w, const WeightData& r, const float* b) noexcept {
  const bool relu = RNNFunction(p, 0, 0).kind == RnnActivation::kRelu;
  return Prepare(context, p, x, relu ? Cell::kRelu : Cell::kTanh, w, r, b, &impl_);
}

Status PreparedRecurrent::Run(const float* x, const float* initial_h, const float* initial_c,
                              float* y, float* y_h, float* y_c, void* scratch) noexcept {
  Impl& impl = *impl_;
  auto* memory = static_cast<float*>(scratch);
  const std::int64_t own = impl.OwnFloats(), count = impl.num_directions();
  const auto load = [](const float* from, std::int64_t d, std::int64_t size, float* to) {
    if (from == nullptr) {
      std::fill_n(to, size, 0.0f);
    } else {
      std::copy_n(from + d * size, size, to);
    }
  };
  const auto store = [](const float* from, std::int64_t d, std::int64_t size, float* to) {
    if (to != nullptr) std::copy_n(from, size, to + d * size);
  };
  for (std::int64_t d = 0; d < count; ++d) {
    const Buffers buffers = impl.Divide(memory + d * own);
    load(initial_h, d, impl.given(), buffers.states[0]);
    load(initial_c, d, impl.state(), buffers.c);
    DRAGOMAN_RT_TRY(impl.directions[static_cast<std::size_t>(d)].input.Run(
        x, nullptr, buffers.given, memory + count * own));
  }
  impl.RunSteps(y, memory);
  for (std::int64_t d = 0; d < count; ++d) {
    const Buffers buffers = impl.Divide(memory + d * own);
    store(impl.StateAfter(impl.steps, d, buffers, y), d, impl.given(), y_h);
    store(buffers.c, d, impl.state(), y_c);
  }
  return Status();
}

std::int64_t PreparedRecurrent::ScratchBytes() const noexcept {
  std::int64_t products = 0;
  for (const Direction& direction : impl_->directions)
    products = std::max(products, direction.input.ScratchBytes());
  return impl_->num_directions() * impl_->OwnFloats() * std::int64_t{sizeof(float)} + products;
}

const char* PreparedRecurrent::Implementation() const noexcept { return "own loop"; }

}  // namespace dragoman::rt
