#include "runtime/fast/recurrent.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <vector>

#include "runtime/fast/clones.h"
#include "runtime/fast/half_weights.h"
#include "runtime/fast/linear.h"
#include "runtime/fast/math.h"
#include "runtime/fast/panel_product.h"

namespace dragoman::rt {
namespace {

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

// The loops below are over one row; x is the input's part of the gates, r the state's.

// Gates i, o, f, c.
DRAGOMAN_RT_CLONES void LstmRow(std::int64_t hidden, const float* x, const float* r, float* h,
                                float* c) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < hidden; ++k) {
    const float i = fast::Sigmoid(x[k] + r[k]);
    const float o = fast::Sigmoid(x[hidden + k] + r[hidden + k]);
    const float f = fast::Sigmoid(x[2 * hidden + k] + r[2 * hidden + k]);
    const float g = fast::Tanh(x[3 * hidden + k] + r[3 * hidden + k]);
    c[k] = f * c[k] + i * g;
    h[k] = o * fast::Tanh(c[k]);
  }
}

// The same with peepholes i, o, f and bounds, which are infinite where there are none.
DRAGOMAN_RT_CLONES void BoundedLstmRow(std::int64_t hidden, const float* x, const float* r,
                                       const float* p, float cell_bound, float bound, float* h,
                                       float* c) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < hidden; ++k) {
    const float i = fast::Sigmoid(x[k] + r[k] + p[k] * c[k]);
    const float f = fast::Sigmoid(x[2 * hidden + k] + r[2 * hidden + k] + p[2 * hidden + k] * c[k]);
    const float g = fast::Tanh(x[3 * hidden + k] + r[3 * hidden + k]);
    c[k] = fast::Max(fast::Min(f * c[k] + i * g, cell_bound), -cell_bound);
    const float o = fast::Sigmoid(x[hidden + k] + r[hidden + k] + p[hidden + k] * c[k]);
    h[k] = fast::Max(fast::Min(o * fast::Tanh(c[k]), bound), -bound);
  }
}

DRAGOMAN_RT_CLONES void BoundRow(std::int64_t size, float bound, float* h) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < size; ++k) h[k] = fast::Max(fast::Min(h[k], bound), -bound);
}

// Gates z, r, h.
DRAGOMAN_RT_CLONES void GruRow(std::int64_t hidden, const float* x, const float* r,
                               const float* bias, float* h) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < hidden; ++k) {
    const float z = fast::Sigmoid(x[k] + r[k]);
    const float reset = fast::Sigmoid(x[hidden + k] + r[hidden + k]);
    const float g = fast::Tanh(x[2 * hidden + k] + reset * (r[2 * hidden + k] + bias[k]));
    h[k] = (1.0f - z) * g + z * h[k];
  }
}

// r begins with the gates z and r; z takes its place there.
DRAGOMAN_RT_CLONES void ResetRow(std::int64_t hidden, const float* x, float* r, const float* h,
                                 float* reset_h) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < hidden; ++k) {
    r[k] = fast::Sigmoid(x[k] + r[k]);
    reset_h[k] = fast::Sigmoid(x[hidden + k] + r[hidden + k]) * h[k];
  }
}

// `r` is gate h's part of the reset state.
DRAGOMAN_RT_CLONES void UpdateRow(std::int64_t hidden, const float* x, const float* r,
                                  const float* z, float* h) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < hidden; ++k) {
    const float g = fast::Tanh(x[2 * hidden + k] + r[k]);
    h[k] = (1.0f - z[k]) * g + z[k] * h[k];
  }
}

DRAGOMAN_RT_CLONES void TanhRow(std::int64_t hidden, const float* x, const float* r, float* h) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < hidden; ++k) h[k] = fast::Tanh(x[k] + r[k]);
}

DRAGOMAN_RT_CLONES void ReluRow(std::int64_t hidden, const float* x, const float* r, float* h) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < hidden; ++k) h[k] = fast::Relu(x[k] + r[k]);
}

struct Direction {
  PreparedLinear input;
  PanelProduct recurrent;
  PanelProduct after_reset;  // kGruReset: gate h
  std::vector<float> reset_bias;
  std::vector<float> peepholes;  // of a bounded LSTM
  PanelProduct projection;
  bool backward = false;
};

// Memory of one run.
struct Buffers {
  float* given;    // the input's part of all gates of all steps
  float* product;  // the state's part of one step
  float* h;        // as it is given
  float* c;
  float* unprojected;  // h before its projection; without one h itself
  float* reset_h;      // kGruReset
  float* candidate;    // kGruReset: its product
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

  std::int64_t outputs() const { return NumGates(cell) * hidden; }
  std::int64_t state() const { return batch * hidden; }
  std::int64_t given() const { return batch * output; }
  // Outputs of the first product of a step.
  std::int64_t product_size() const { return cell == Cell::kGruReset ? 2 * hidden : outputs(); }

  Status Prepare(const FastContext& context, RnnDirection which, const float* w, const float* r,
                 const float* b) {
    const int count = which == RnnDirection::kBidirectional ? 2 : 1;
    for (int d = 0; d < count; ++d) {
      Direction direction;
      direction.backward = which == RnnDirection::kReverse || d == 1;
      const std::vector<float> bias =
          Bias(b != nullptr ? b + d * 2 * outputs() : nullptr, &direction);
      DRAGOMAN_RT_TRY(direction.input.Init(context, {steps * batch, input, outputs(), false},
                                           w + d * outputs() * input, bias.data(), {}));
      const float* recurrent = r + d * outputs() * output;
      const bool resets = cell == Cell::kGruReset;
      direction.recurrent.Pack(recurrent, output, 1, nullptr, product_size(), output, batch);
      if (resets) {
        direction.after_reset.Pack(recurrent + 2 * hidden * hidden, hidden, 1, nullptr, hidden,
                                   hidden, batch);
      }
      directions.push_back(std::move(direction));
    }
    return Status();
  }

  // Null stands for none.
  void PrepareBounded(const ProjectedLSTMParams& p, const float* peepholes,
                      const float* projection) {
    bounded = peepholes != nullptr || projection != nullptr || p.cell_clip > 0 || p.output_clip > 0;
    projects = projection != nullptr;
    if (p.cell_clip > 0) cell_bound = p.cell_clip;
    if (p.output_clip > 0) bound = p.output_clip;
    for (std::size_t d = 0; bounded && d < directions.size(); ++d) {
      Direction& direction = directions[d];
      const auto at = static_cast<std::int64_t>(d);
      direction.peepholes.assign(static_cast<std::size_t>(3 * hidden), 0.0f);
      if (peepholes != nullptr) {
        std::copy_n(peepholes + at * 3 * hidden, 3 * hidden, direction.peepholes.data());
      }
      if (!projects) continue;
      direction.projection.Pack(projection + at * output * hidden, hidden, 1, nullptr, output,
                                hidden, batch);
    }
  }

  // The biases that need not wait for the state; the others go to `direction`.
  std::vector<float> Bias(const float* b, Direction* direction) const {
    std::vector<float> sum(static_cast<std::size_t>(outputs()), 0.0f);
    direction->reset_bias.assign(static_cast<std::size_t>(hidden), 0.0f);
    for (std::int64_t i = 0; b != nullptr && i < outputs(); ++i) {
      const bool waits = cell == Cell::kGru && i >= 2 * hidden;
      const float recurrent = b[outputs() + i];
      if (waits) direction->reset_bias[static_cast<std::size_t>(i - 2 * hidden)] = recurrent;
      sum[static_cast<std::size_t>(i)] = b[i] + (waits ? 0.0f : recurrent);
    }
    return sum;
  }

  // Our own part of the scratch memory; that of the product by the input follows.
  std::int64_t OwnFloats() const {
    return Rounded(steps * batch * outputs()) + Rounded(batch * product_size()) +
           4 * Rounded(state()) + Rounded(given());
  }

  Buffers Divide(float* memory) const {
    Buffers buffers;
    buffers.given = memory;
    buffers.product = buffers.given + Rounded(steps * batch * outputs());
    buffers.h = buffers.product + Rounded(batch * product_size());
    buffers.c = buffers.h + Rounded(given());
    buffers.reset_h = buffers.c + Rounded(state());
    buffers.candidate = buffers.reset_h + Rounded(state());
    buffers.unprojected = projects ? buffers.candidate + Rounded(state()) : buffers.h;
    return buffers;
  }

  void BoundedStep(const Direction& direction, const float* given, const Buffers& buffers) const {
    for (std::int64_t n = 0; n < batch; ++n) {
      BoundedLstmRow(hidden, given + n * outputs(), buffers.product + n * outputs(),
                     direction.peepholes.data(), cell_bound, projects ? INFINITY : bound,
                     buffers.unprojected + n * hidden, buffers.c + n * hidden);
    }
    if (!projects) return;
    direction.projection.Run(buffers.unprojected, nullptr, buffers.h, nullptr);
    if (bound < INFINITY) BoundRow(batch * output, bound, buffers.h);
  }

  void Step(const Direction& direction, const float* given, const Buffers& buffers) const {
    const std::int64_t row = product_size();
    direction.recurrent.Run(buffers.h, nullptr, buffers.product, nullptr);
    if (bounded) return BoundedStep(direction, given, buffers);
    for (std::int64_t n = 0; n < batch; ++n) {
      const float* x = given + n * outputs();
      float* r = buffers.product + n * row;
      float* h = buffers.h + n * hidden;
      switch (cell) {
        case Cell::kLstm:
          LstmRow(hidden, x, r, h, buffers.c + n * hidden);
          break;
        case Cell::kGru:
          GruRow(hidden, x, r, direction.reset_bias.data(), h);
          break;
        case Cell::kGruReset:
          ResetRow(hidden, x, r, h, buffers.reset_h + n * hidden);
          break;
        case Cell::kTanh:
          TanhRow(hidden, x, r, h);
          break;
        case Cell::kRelu:
          ReluRow(hidden, x, r, h);
          break;
      }
    }
    if (cell != Cell::kGruReset) return;
    direction.after_reset.Run(buffers.reset_h, nullptr, buffers.candidate, nullptr);
    for (std::int64_t n = 0; n < batch; ++n) {
      UpdateRow(hidden, given + n * outputs(), buffers.candidate + n * hidden,
                buffers.product + n * row, buffers.h + n * hidden);
    }
  }

  Status RunDirection(std::size_t d, const float* x, float* y, const Buffers& buffers) {
    Direction& direction = directions[d];
    DRAGOMAN_RT_TRY(direction.input.Run(x, nullptr, buffers.given, buffers.given + OwnFloats()));
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::int64_t t = direction.backward ? steps - 1 - i : i;
      Step(direction, buffers.given + t * batch * outputs(), buffers);
      if (y == nullptr) continue;
      const std::int64_t at = t * static_cast<std::int64_t>(directions.size());
      std::copy_n(buffers.h, given(), y + (at + static_cast<std::int64_t>(d)) * given());
    }
    return Status();
  }
};

PreparedRecurrent::PreparedRecurrent() = default;
PreparedRecurrent::~PreparedRecurrent() = default;
PreparedRecurrent::PreparedRecurrent(PreparedRecurrent&&) noexcept = default;
PreparedRecurrent& PreparedRecurrent::operator=(PreparedRecurrent&&) noexcept = default;

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
               const WeightData& w, const WeightData& r, const float* b,
               std::unique_ptr<Impl>* prepared, std::int64_t output = 0) noexcept {
  if (!PreparedRecurrent::Supports(p, x))
    return Status::Error("this recurrent operator cannot be prepared");
  try {
    auto impl = std::make_unique<Impl>();
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
  const Buffers buffers = impl.Divide(static_cast<float*>(scratch));
  for (std::size_t d = 0; d < impl.directions.size(); ++d) {
    const auto load = [d](const float* from, std::int64_t count, float* to) {
      if (from == nullptr) {
        std::fill_n(to, count, 0.0f);
      } else {
        std::copy_n(from + static_cast<std::int64_t>(d) * count, count, to);
      }
    };
    const auto store = [d](const float* from, std::int64_t count, float* to) {
      if (to != nullptr) std::copy_n(from, count, to + static_cast<std::int64_t>(d) * count);
    };
    load(initial_h, impl.given(), buffers.h);
    load(initial_c, impl.state(), buffers.c);
    DRAGOMAN_RT_TRY(impl.RunDirection(d, x, y, buffers));
    store(buffers.h, impl.given(), y_h);
    store(buffers.c, impl.state(), y_c);
  }
  return Status();
}

std::int64_t PreparedRecurrent::ScratchBytes() const noexcept {
  std::int64_t products = 0;
  for (const Direction& direction : impl_->directions)
    products = std::max(products, direction.input.ScratchBytes());
  return impl_->OwnFloats() * static_cast<std::int64_t>(sizeof(float)) + products;
}

const char* PreparedRecurrent::Implementation() const noexcept { return "own loop"; }

}  // namespace dragoman::rt
