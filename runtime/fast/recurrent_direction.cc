// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/recurrent_direction.h"

#include <algorithm>
#include <utility>

#include "runtime/fast/half_tensors.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kUnitBlock = 16;  // units that are not divided

std::int64_t Rounded(std::int64_t floats) { return (floats + 15) / 16 * 16; }

void StartState(const float* from, std::int64_t size, float* to) {
  if (from == nullptr) {
    std::fill_n(to, size, 0.0f);
  } else {
    std::copy_n(from, size, to);
  }
}

}  // namespace

void RecurrentDirection::Product::Pack(const float* weights, std::int64_t outputs,
                                       std::int64_t inputs, std::int64_t rows, const float* added,
                                       const PackingOrigin& origin) {
  in_half ? half.Pack(weights, inputs, 1, added, outputs, inputs, rows, {}, origin)
          : wide.Pack(weights, inputs, 1, added, outputs, inputs, rows, {}, origin);
}

void RecurrentDirection::Product::RunRows(std::int64_t rows, const float* x,
                                          float* y) const noexcept {
  in_half ? half.RunRows(rows, x, y) : wide.RunRows(rows, x, y);
}

// Rows of batches, each of them the parts in order.
struct RecurrentDirection::Buffers {
  float* given;      // the input's part of all gates of all steps; of each row the parts in order
  float* product;    // the state's part of one step, the parts in order
  float* states[2];  // h as it is given: before the first step, and by turns where nobody wants it
  float* c;
  float* unprojected;  // h before its projection
  float* reset_h;      // kGruReset
  float* candidate;    // kGruReset: its product, the parts in order
};

// Some rows of one step.
struct RecurrentDirection::Step {
  Buffers buffers;
  const float* given;  // of the step's first row
  const float* h;      // before the step, of its first row
  float* next;
  std::int64_t t;
  const std::int32_t* lengths;
  std::int64_t first, rows;

  bool Has(std::int64_t row) const { return lengths == nullptr || t < lengths[row]; }
  // Without the rows at both ends whose sequences have ended.
  Step Narrowed() const {
    Step some = *this;
    while (some.rows > 0 && !Has(some.first + some.rows - 1)) --some.rows;
    for (; some.rows > 0 && !Has(some.first); ++some.first) --some.rows;
    return some;
  }
};

std::int64_t CellSizes::gates() const {
  switch (cell) {
    case RecurrentCell::kLstm:
      return 4;
    case RecurrentCell::kGru:
    case RecurrentCell::kGruReset:
      return 3;
    case RecurrentCell::kRnn:
      break;
  }
  return 1;
}

Status RecurrentDirection::Init(const FastContext& context, const CellSizes& sizes,
                                const RecurrentExtent& extent, const CellFunctions& functions,
                                bool backward, std::int64_t units,
                                const RecurrentWeights& weights) {
  sizes_ = sizes;
  extent_ = extent;
  is_open_ = extent.is_open();
  functions_ = functions;
  backward_ = backward;
  projects_ = weights.projection != nullptr;
  is_plain_ = functions.are_usual && weights.peepholes == nullptr && !projects_ &&
              !(functions.cell < INFINITY) && !(functions.output < INFINITY);
  if (projects_) projection_bound_ = std::exchange(functions_.output, INFINITY);
  steps_phases_ = sizes.cell == RecurrentCell::kGruReset || projects_ ? 2 : 1;
  DivideUnits(units);
  PackRecurrent(InParts(weights.r, sizes.output).data(), weights.in_half, {&context, weights.r});
  if (weights.peepholes != nullptr) PackPeepholes(weights.peepholes);
  if (projects_) {
    projection_.Pack(weights.projection, sizes_.hidden, 1, nullptr, sizes_.output, sizes_.hidden,
                     product_rows());
  }
  return InitInput(context, weights);
}

void RecurrentDirection::Resize(const RecurrentExtent& extent, const RecurrentShares& shares) {
  extent_ = extent;
  divides_units_ = shares.units > 1 && num_parts() > 1;
  row_shares_ = shares.rows;
}

// For which products of steps are packed.
std::int64_t RecurrentDirection::product_rows() const {
  return extent_.batch == RecurrentExtent::kOpen ? PanelProduct::kAnyRows : extent_.batch;
}

Status RecurrentDirection::InitInput(const FastContext& context, const RecurrentWeights& weights) {
  const LinearSizes sizes{extent_.steps * extent_.batch, sizes_.input, sizes_.gate_units(), false};
  const std::vector<float> bias = Bias(weights.b);
  std::vector<float> ordered;
  if (num_parts() > 1) ordered = InParts(weights.w, sizes.in);
  const float* const w = num_parts() > 1 ? ordered.data() : weights.w;
  if (is_open_) {
    open_input_.in_half = weights.in_half;
    open_input_.Pack(w, sizes.out, sizes.in, PanelProduct::kAnyRows, bias.data(), {&context, w});
    return Status();
  }
  if (!weights.in_half) return input_.Init(context, sizes, w, bias.data(), {});
  std::vector<BFloat16> halves(static_cast<std::size_t>(sizes.in * sizes.out));
  Narrow(w, sizes.in * sizes.out, halves.data());
  return input_.Init(context, sizes, halves.data(), bias.data(), {});
}

void RecurrentDirection::DivideUnits(std::int64_t shares) {
  const std::int64_t blocks = (sizes_.hidden + kUnitBlock - 1) / kUnitBlock;
  const std::int64_t count = std::clamp<std::int64_t>(shares, 1, std::max<std::int64_t>(blocks, 1));
  parts_.resize(static_cast<std::size_t>(count));
  std::int64_t first = 0;
  for (std::int64_t p = 0; p < count; ++p) {
    Part& part = parts_[static_cast<std::size_t>(p)];
    part.first = first;
    first = std::min(sizes_.hidden, blocks * (p + 1) / count * kUnitBlock);
    part.units = first - part.first;
  }
}

// The rows of all gates, each of `size` floats, in the order of the parts.
std::vector<float> RecurrentDirection::InParts(const float* rows, std::int64_t size) const {
  std::vector<float> ordered(static_cast<std::size_t>(sizes_.gate_units() * size));
  float* to = ordered.data();
  for (const Part& part : parts_) {
    for (std::int64_t g = 0; g < sizes_.gates(); ++g) {
      to = std::copy_n(rows + (g * sizes_.hidden + part.first) * size, part.units * size, to);
    }
  }
  return ordered;
}

// The biases that need not wait for the state, in the order of the parts, which get the others.
std::vector<float> RecurrentDirection::Bias(const float* b) {
  const std::int64_t count = sizes_.gate_units(), last = 2 * sizes_.hidden;
  std::vector<float> sum(static_cast<std::size_t>(count), 0.0f);
  for (std::int64_t i = 0; b != nullptr && i < count; ++i) {
    const bool waits = sizes_.cell == RecurrentCell::kGru && i >= last;
    sum[static_cast<std::size_t>(i)] = b[i] + (waits ? 0.0f : b[count + i]);
  }
  for (Part& part : parts_) {
    part.reset_bias.assign(static_cast<std::size_t>(part.units), 0.0f);
    if (b == nullptr || sizes_.cell != RecurrentCell::kGru) continue;
    std::copy_n(b + count + last + part.first, part.units, part.reset_bias.data());
  }
  return InParts(sum.data(), 1);
}

// Of the first product of a step.
std::int64_t RecurrentDirection::product_gates() const {
  return sizes_.cell == RecurrentCell::kGruReset ? 2 : sizes_.gates();
}

// What a product is packed of depends on where its part begins, and on which gates of how many
// units it has: of nodes with one R, some may reset before the product.
void RecurrentDirection::PackRecurrent(const float* r, bool in_half, PackingOrigin origin) {
  const std::int64_t output = sizes_.output;
  for (Part& part : parts_) {
    const float* own = r + part.first * sizes_.gates() * output;
    part.recurrent.in_half = part.after_reset.in_half = in_half;
    origin.part = 8 * part.first + product_gates();
    part.recurrent.Pack(own, product_gates() * part.units, output, product_rows(), nullptr, origin);
    if (sizes_.cell != RecurrentCell::kGruReset) continue;
    origin.part = 8 * part.first + 5;  // the last gate alone
    part.after_reset.Pack(own + 2 * part.units * output, part.units, output, product_rows(),
                          nullptr, origin);
  }
}

void RecurrentDirection::PackPeepholes(const float* peepholes) {
  for (Part& part : parts_) {
    part.peepholes.resize(static_cast<std::size_t>(3 * part.units));
    for (std::int64_t i = 0; i < 3; ++i) {
      std::copy_n(peepholes + i * sizes_.hidden + part.first, part.units,
                  part.peepholes.data() + i * part.units);
    }
  }
}

std::int64_t RecurrentDirection::Floats() const {
  const std::int64_t gates = extent_.batch * sizes_.gate_units();
  return Rounded(extent_.steps * gates) + Rounded(gates) +
         4 * Rounded(extent_.batch * sizes_.hidden) + 2 * Rounded(extent_.batch * sizes_.output);
}

RecurrentDirection::Buffers RecurrentDirection::Divide(float* memory) const {
  const auto next = [&](std::int64_t floats) {
    float* own = memory;
    memory += Rounded(floats);
    return own;
  };
  const std::int64_t gates = extent_.batch * sizes_.gate_units();
  const std::int64_t units = extent_.batch * sizes_.hidden, state = extent_.batch * sizes_.output;
  Buffers buffers;
  buffers.given = next(extent_.steps * gates);
  buffers.product = next(gates);
  for (float*& h : buffers.states) h = next(state);
  for (float** own : {&buffers.c, &buffers.unprojected, &buffers.reset_h, &buffers.candidate})
    *own = next(units);
  return buffers;
}

Status RecurrentDirection::Begin(const float* x, const float* h, const float* c, float* memory,
                                 void* scratch) {
  const Buffers buffers = Divide(memory);
  StartState(h, extent_.batch * sizes_.output, buffers.states[0]);
  StartState(c, extent_.batch * sizes_.hidden, buffers.c);
  return MultiplyInput(x, buffers.given, scratch);
}

Status RecurrentDirection::MultiplyInput(const float* x, float* given, void* scratch) {
  if (!is_open_) return input_.Run(x, nullptr, given, scratch);
  open_input_.Run(extent_.steps * extent_.batch, x, given, scratch);
  return Status();
}

void RecurrentDirection::End(const RecurrentResults& results, float* memory, float* h,
                             float* c) const {
  const Buffers buffers = Divide(memory);
  if (h != nullptr)
    std::copy_n(StateAfter(extent_.steps, buffers, results), extent_.batch * sizes_.output, h);
  if (c != nullptr) std::copy_n(buffers.c, extent_.batch * sizes_.hidden, c);
}

// Where the hidden state lies when so many steps are done.
float* RecurrentDirection::StateAfter(std::int64_t done, const Buffers& buffers,
                                      const RecurrentResults& results) const {
  if (done == 0 || !results.hold_states()) return buffers.states[done % 2];
  return results.y + (backward_ ? extent_.steps - done : done - 1) * results.step;
}

void RecurrentDirection::RunPhase(std::int64_t phase, std::int64_t share,
                                  const RecurrentResults& results, float* memory) const {
  const std::int64_t i = phase / steps_phases_;
  Step step;
  step.t = backward_ ? extent_.steps - 1 - i : i;
  step.lengths = results.lengths;
  step.buffers = Divide(memory);
  step.given = step.buffers.given + step.t * extent_.batch * sizes_.gate_units();
  step.h = StateAfter(i, step.buffers, results);
  step.next = StateAfter(i + 1, step.buffers, results);
  const std::int64_t row_share = divides_units_ ? 0 : share;
  step.first = extent_.batch * row_share / row_shares_;
  step.rows = extent_.batch * (row_share + 1) / row_shares_ - step.first;
  const std::int64_t first = divides_units_ ? share : 0;
  const std::int64_t last = divides_units_ ? first + 1 : num_parts();
  RunParts(first, last, phase % steps_phases_ == 0, step.Narrowed());
  if (results.lengths == nullptr || (phase + 1) % steps_phases_ != 0) return;
  float* y = results.y == nullptr ? nullptr : results.y + step.t * results.step;
  for (std::int64_t p = first; p < last; ++p)
    KeepEnded(parts_[static_cast<std::size_t>(p)], step, y);
}

// What a phase does with some of the parts.
void RecurrentDirection::RunParts(std::int64_t first, std::int64_t last, bool begins,
                                  const Step& step) const {
  for (std::int64_t p = first; p < last; ++p) {
    const Part& part = parts_[static_cast<std::size_t>(p)];
    if (begins) {
      RunFirst(part, step);
    } else if (!projects_) {
      RunAfterReset(part, step);
    } else if (p == 0) {
      Project(step);
    }
  }
}

void RecurrentDirection::RunFirst(const Part& part, const Step& step) const {
  float* product = step.buffers.product +
                   product_gates() * (extent_.batch * part.first + step.first * part.units);
  part.recurrent.RunRows(step.rows, step.h + step.first * sizes_.output, product);
  for (std::int64_t row = step.first; row < step.first + step.rows; ++row) {
    if (step.Has(row)) RunGates(part, row, step);
  }
}

void RecurrentDirection::RunGates(const Part& part, std::int64_t row, const Step& step) const {
  const std::int64_t at = row * sizes_.hidden + part.first;
  const float* x = step.given + row * sizes_.gate_units() + sizes_.gates() * part.first;
  float* r =
      step.buffers.product + product_gates() * (extent_.batch * part.first + row * part.units);
  if (!is_plain_) return RunAnyGates(part, at, x, r, step);
  switch (sizes_.cell) {
    case RecurrentCell::kLstm:
      return LstmRow(part.units, x, r, step.buffers.c + at, step.next + at);
    case RecurrentCell::kGru:
      return GruRow(part.units, x, r, part.reset_bias.data(), step.h + at, step.next + at);
    case RecurrentCell::kGruReset:
      return ResetRow(part.units, x, r, step.h + at, step.buffers.reset_h + at);
    case RecurrentCell::kRnn:
      return (functions_.f.kind == RnnActivation::kRelu ? ReluRow : TanhRow)(part.units, x, r,
                                                                             step.next + at);
  }
}

// By any functions, for the units of a row from `at`.
void RecurrentDirection::RunAnyGates(const Part& part, std::int64_t at, const float* x, float* r,
                                     const Step& step) const {
  switch (sizes_.cell) {
    case RecurrentCell::kLstm:
      return AnyLstmRow(
          part.units, functions_, x, r, part.peepholes.empty() ? nullptr : part.peepholes.data(),
          step.buffers.c + at, (projects_ ? step.buffers.unprojected : step.next) + at);
    case RecurrentCell::kGru:
      return AnyGruRow(part.units, functions_, x, r, part.reset_bias.data(), step.h + at,
                       step.next + at);
    case RecurrentCell::kGruReset:
      return AnyResetRow(part.units, functions_, x, r, step.h + at, step.buffers.reset_h + at);
    case RecurrentCell::kRnn:
      return AnyRnnRow(part.units, functions_, x, r, step.next + at);
  }
}

void RecurrentDirection::RunAfterReset(const Part& part, const Step& step) const {
  float* candidate = step.buffers.candidate + extent_.batch * part.first;
  part.after_reset.RunRows(step.rows, step.buffers.reset_h + step.first * sizes_.hidden,
                           candidate + step.first * part.units);
  for (std::int64_t row = step.first; row < step.first + step.rows; ++row) {
    if (!step.Has(row)) continue;
    const std::int64_t at = row * sizes_.hidden + part.first, own = row * part.units;
    const float* x = step.given + row * sizes_.gate_units() + sizes_.gates() * part.first;
    const float* z = step.buffers.product + 2 * (extent_.batch * part.first + own);
    if (is_plain_) {
      UpdateRow(part.units, x, candidate + own, z, step.h + at, step.next + at);
    } else {
      AnyUpdateRow(part.units, functions_, x, candidate + own, z, step.h + at, step.next + at);
    }
  }
}

void RecurrentDirection::Project(const Step& step) const {
  float* next = step.next + step.first * sizes_.output;
  projection_.RunRows(step.rows, step.buffers.unprojected + step.first * sizes_.hidden, next);
  if (projection_bound_ < INFINITY) BoundRow(step.rows * sizes_.output, projection_bound_, next);
}

// Sequences that have ended keep their states and give zeros; the others give their states.
void RecurrentDirection::KeepEnded(const Part& part, const Step& step, float* y) const {
  if (projects_ && part.first > 0) return;
  const std::int64_t first = projects_ ? 0 : part.first;
  const std::int64_t count = projects_ ? sizes_.output : part.units;
  for (std::int64_t row = step.first; row < step.first + step.rows; ++row) {
    const std::int64_t at = row * sizes_.output + first;
    if (!step.Has(row)) std::copy_n(step.h + at, count, step.next + at);
    if (y == nullptr) continue;
    if (step.Has(row)) {
      std::copy_n(step.next + at, count, y + at);
    } else {
      std::fill_n(y + at, count, 0.0f);
    }
  }
}

}  // namespace dragoman::rt
