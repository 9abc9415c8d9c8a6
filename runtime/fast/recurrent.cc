#include "runtime/fast/recurrent.h"

#include <algorithm>
#include <exception>
#include <vector>

#include "runtime/fast/clones.h"
#include "runtime/fast/linear.h"
#include "runtime/fast/math.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kPanel = 64;    // outputs that are computed in registers together
constexpr std::int64_t kOwnBatch = 2;  // up to which our own product is the faster one
constexpr std::int64_t kAlignment = 64;

using Vector = float __attribute__((vector_size(32)));
constexpr std::int64_t kVectors = kPanel * sizeof(float) / sizeof(Vector);

std::int64_t Rounded(std::int64_t count) { return (count + kPanel - 1) / kPanel * kPanel; }

// out = panels · h, where a panel holds for each element of h the weights of kPanel outputs.
#if defined(__clang__)
DRAGOMAN_RT_CLONES
#else
DRAGOMAN_RT_CLONES __attribute__((optimize("fp-contract=fast")))
#endif
void MultiplyPanels(const float* panels, std::int64_t count, const float* h, std::int64_t hidden,
                    float* out) {
  for (std::int64_t p = 0; p < count; ++p) {
    Vector sums[kVectors] = {};
    const auto* weights = reinterpret_cast<const Vector*>(panels + p * hidden * kPanel);
    for (std::int64_t k = 0; k < hidden; ++k) {
      const float factor = h[k];
      for (std::int64_t j = 0; j < kVectors; ++j) sums[j] += weights[k * kVectors + j] * factor;
    }
    auto* to = reinterpret_cast<Vector*>(out + p * kPanel);
    for (std::int64_t j = 0; j < kVectors; ++j) to[j] = sums[j];
  }
}

// Gates i, o, f, c of one row; x is the input's part of them.
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

// Gates z, r, h of one row.
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

// Floats at an address that is a multiple of kAlignment.
class AlignedFloats {
 public:
  explicit AlignedFloats(std::int64_t count)
      : data_(static_cast<float*>(::operator new(static_cast<std::size_t>(count) * sizeof(float),
                                                 std::align_val_t(kAlignment)))) {
    std::fill_n(data_.get(), count, 0.0f);
  }
  float* data() const { return data_.get(); }

 private:
  struct Deleter {
    void operator()(float* data) const { ::operator delete(data, std::align_val_t(kAlignment)); }
  };
  std::unique_ptr<float, Deleter> data_;
};

// r (outputs, hidden) in panels.
AlignedFloats Packed(const float* r, std::int64_t outputs, std::int64_t hidden) {
  AlignedFloats panels(Rounded(outputs) * hidden);
  for (std::int64_t i = 0; i < outputs; ++i) {
    float* panel = panels.data() + i / kPanel * kPanel * hidden + i % kPanel;
    for (std::int64_t k = 0; k < hidden; ++k) panel[k * kPanel] = r[i * hidden + k];
  }
  return panels;
}

struct Direction {
  PreparedLinear input;
  PreparedLinear recurrent;  // of large batches
  AlignedFloats panels{0};   // of small ones
  std::vector<float> reset_bias;
  bool backward = false;
};

template <class P, class Function>
bool HasDefaults(const P& p, const Shape& x, Function function, int functions) {
  const int directions = p.direction == RnnDirection::kBidirectional ? 2 : 1;
  for (int d = 0; d < directions; ++d) {
    for (int i = 0; i < functions; ++i) {
      const RnnActivation expected = i == 0 ? RnnActivation::kSigmoid : RnnActivation::kTanh;
      if (function(p, d, i).kind != expected) return false;
    }
  }
  return p.clip == 0.0f && p.layout == 0 && p.hidden_size > 0 && x.size() == 3 &&
         NumElements(x) > 0;
}

}  // namespace

struct PreparedRecurrent::Impl {
  std::int64_t steps = 0, batch = 0, input = 0, hidden = 0, gates = 0;
  std::vector<Direction> directions;

  std::int64_t outputs() const { return gates * hidden; }
  std::int64_t state() const { return batch * hidden; }
  std::int64_t product_size() const { return batch * Rounded(outputs()); }
  bool multiplies_itself() const { return batch <= kOwnBatch; }

  Status Prepare(const FastContext& context, RnnDirection which, const float* w, const float* r,
                 const float* b) {
    const int count = which == RnnDirection::kBidirectional ? 2 : 1;
    for (int d = 0; d < count; ++d) {
      Direction direction;
      direction.backward = which == RnnDirection::kReverse || d == 1;
      const float* bias = b != nullptr ? b + d * 2 * outputs() : nullptr;
      std::vector<float> sum(static_cast<std::size_t>(outputs()), 0.0f);
      direction.reset_bias.assign(static_cast<std::size_t>(hidden), 0.0f);
      for (std::int64_t i = 0; bias != nullptr && i < outputs(); ++i) {
        const bool after_reset = gates == 3 && i >= 2 * hidden;
        const float recurrent = bias[outputs() + i];
        if (after_reset) direction.reset_bias[static_cast<std::size_t>(i - 2 * hidden)] = recurrent;
        sum[static_cast<std::size_t>(i)] = bias[i] + (after_reset ? 0.0f : recurrent);
      }
      DRAGOMAN_RT_TRY(direction.input.Init(context, {steps * batch, input, outputs(), false},
                                           w + d * outputs() * input, sum.data(), {}));
      const float* recurrent = r + d * outputs() * hidden;
      if (multiplies_itself()) {
        direction.panels = Packed(recurrent, outputs(), hidden);
      } else {
        DRAGOMAN_RT_TRY(direction.recurrent.Init(context, {batch, hidden, outputs(), false},
                                                 recurrent, nullptr, {}));
      }
      directions.push_back(std::move(direction));
    }
    return Status();
  }

  // Bytes behind our own part of the scratch memory, for the products.
  std::int64_t LinearScratch() const {
    std::int64_t bytes = 0;
    for (const Direction& direction : directions) {
      bytes = std::max(bytes, direction.input.ScratchBytes());
      if (!multiplies_itself()) bytes = std::max(bytes, direction.recurrent.ScratchBytes());
    }
    return bytes;
  }
  std::int64_t OwnFloats() const {
    return Rounded(steps * batch * outputs()) + Rounded(product_size()) + 2 * Rounded(state());
  }

  Status RunDirection(std::size_t d, const float* x, float* h, float* c, float* y, float* memory) {
    Direction& direction = directions[d];
    float* from_input = memory;
    float* product = from_input + Rounded(steps * batch * outputs());
    float* scratch = memory + OwnFloats();
    DRAGOMAN_RT_TRY(direction.input.Run(x, nullptr, from_input, scratch));
    const std::int64_t row = multiplies_itself() ? Rounded(outputs()) : outputs();
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::int64_t t = direction.backward ? steps - 1 - i : i;
      if (!multiplies_itself())
        DRAGOMAN_RT_TRY(direction.recurrent.Run(h, nullptr, product, scratch));
      for (std::int64_t n = 0; n < batch; ++n) {
        if (multiplies_itself()) {
          MultiplyPanels(direction.panels.data(), row / kPanel, h + n * hidden, hidden,
                         product + n * row);
        }
        const float* given = from_input + (t * batch + n) * outputs();
        if (gates == 4) {
          LstmRow(hidden, given, product + n * row, h + n * hidden, c + n * hidden);
        } else {
          GruRow(hidden, given, product + n * row, direction.reset_bias.data(), h + n * hidden);
        }
      }
      if (y == nullptr) continue;
      const std::int64_t at = t * static_cast<std::int64_t>(directions.size());
      std::copy_n(h, state(), y + (at + static_cast<std::int64_t>(d)) * state());
    }
    return Status();
  }
};

PreparedRecurrent::PreparedRecurrent() = default;
PreparedRecurrent::~PreparedRecurrent() = default;
PreparedRecurrent::PreparedRecurrent(PreparedRecurrent&&) noexcept = default;
PreparedRecurrent& PreparedRecurrent::operator=(PreparedRecurrent&&) noexcept = default;

bool PreparedRecurrent::Supports(const LSTMParams& p, const Shape& x) {
  return HasDefaults(p, x, LSTMFunction, 3) && !p.input_forget;
}

bool PreparedRecurrent::Supports(const GRUParams& p, const Shape& x) {
  return HasDefaults(p, x, GRUFunction, 2) && p.linear_before_reset;
}

namespace {

template <class Impl, class P>
Status Prepare(const FastContext& context, const P& p, const Shape& x, std::int64_t gates,
               const float* w, const float* r, const float* b,
               std::unique_ptr<Impl>* prepared) noexcept {
  try {
    auto impl = std::make_unique<Impl>();
    impl->steps = x[0];
    impl->batch = x[1];
    impl->input = x[2];
    impl->hidden = p.hidden_size;
    impl->gates = gates;
    DRAGOMAN_RT_TRY(impl->Prepare(context, p.direction, w, r, b));
    *prepared = std::move(impl);
  } catch (const std::exception&) {
    return Status::Error("out of memory");
  }
  return Status();
}

}  // namespace

Status PreparedRecurrent::Init(const FastContext& context, const LSTMParams& p, const Shape& x,
                               const float* w, const float* r, const float* b) noexcept {
  if (!Supports(p, x)) return Status::Error("this LSTM cannot be prepared");
  return Prepare(context, p, x, 4, w, r, b, &impl_);
}

Status PreparedRecurrent::Init(const FastContext& context, const GRUParams& p, const Shape& x,
                               const float* w, const float* r, const float* b) noexcept {
  if (!Supports(p, x)) return Status::Error("this GRU cannot be prepared");
  return Prepare(context, p, x, 3, w, r, b, &impl_);
}

Status PreparedRecurrent::Run(const float* x, const float* initial_h, const float* initial_c,
                              float* y, float* y_h, float* y_c, void* scratch) noexcept {
  Impl& impl = *impl_;
  const std::int64_t state = impl.state();
  auto* memory = static_cast<float*>(scratch);
  float* h = memory + impl.OwnFloats() - 2 * Rounded(state);
  float* c = h + Rounded(state);
  auto load = [state](const float* from, std::size_t d, float* to) {
    if (from == nullptr) {
      std::fill_n(to, state, 0.0f);
    } else {
      std::copy_n(from + static_cast<std::int64_t>(d) * state, state, to);
    }
  };
  for (std::size_t d = 0; d < impl.directions.size(); ++d) {
    load(initial_h, d, h);
    load(initial_c, d, c);
    DRAGOMAN_RT_TRY(impl.RunDirection(d, x, h, c, y, memory));
    const std::int64_t at = static_cast<std::int64_t>(d) * state;
    if (y_h != nullptr) std::copy_n(h, state, y_h + at);
    if (y_c != nullptr) std::copy_n(c, state, y_c + at);
  }
  return Status();
}

std::int64_t PreparedRecurrent::ScratchBytes() const noexcept {
  return impl_->OwnFloats() * static_cast<std::int64_t>(sizeof(float)) + impl_->LinearScratch();
}

const char* PreparedRecurrent::Implementation() const noexcept {
  return impl_->multiplies_itself() ? "own loop" : impl_->directions[0].recurrent.Implementation();
}

}  // namespace dragoman::rt
