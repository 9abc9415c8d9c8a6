// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One direction of a recurrent operator: its weights, packed, and its steps. Only runtime/fast
// includes this.
//
// Each step is one phase, or two where a second product needs all units of the first. The work of a
// phase lies in shares: of rows of the batch, which never wait for each other, or of hidden units,
// all of which must have finished a phase before any begins the next.
#ifndef DRAGOMAN_RUNTIME_FAST_RECURRENT_DIRECTION_H_
#define DRAGOMAN_RUNTIME_FAST_RECURRENT_DIRECTION_H_

#include <cstdint>
#include <vector>

#include "runtime/fast/gate_loops.h"
#include "runtime/fast/half_panels.h"
#include "runtime/fast/linear.h"
#include "runtime/fast/panel_product.h"

namespace dragoman::rt {

enum class RecurrentCell {
  kLstm,
  kGru,       // that multiplies the state before it resets it
  kGruReset,  // that resets the state before
  kRnn,
};

struct CellSizes {
  RecurrentCell cell = RecurrentCell::kLstm;
  std::int64_t input = 0, hidden = 0;
  std::int64_t output = 0;  // of a row of the hidden state that is given

  std::int64_t gates() const;
  std::int64_t gate_units() const { return gates() * hidden; }
};

// One direction's, as ONNX has them; all but w and r may be null.
struct RecurrentWeights {
  const float* w = nullptr;
  const float* r = nullptr;
  const float* b = nullptr;
  const float* peepholes = nullptr;
  const float* projection = nullptr;  // (output, hidden)
  bool in_half = false;               // w and r are numbers of bf16, in which products are computed
};

// Of runs, as far as they are known when weights are packed.
struct RecurrentExtent {
  static constexpr std::int64_t kOpen = -1;  // known at run time only

  std::int64_t steps = 0, batch = 0;

  bool is_open() const { return steps == kOpen || batch == kOpen; }
};

// One of the two is 1; there may be fewer shares of units than asked for.
struct RecurrentShares {
  std::int64_t units = 1;
  std::int64_t rows = 1;
};

// What the steps of a run give, those of one direction.
struct RecurrentResults {
  float* y = nullptr;                     // null: not wanted
  std::int64_t step = 0;                  // floats between the results of two steps
  const std::int32_t* lengths = nullptr;  // of the rows' sequences; null: all have all steps

  // Where sequences end, y has zeros, and states stay.
  bool hold_states() const { return y != nullptr && lengths == nullptr; }
};

class RecurrentDirection {
 public:
  // Copies the weights, for shares of as many units as `units` says at most. Throws
  // std::bad_alloc.
  Status Init(const FastContext& context, const CellSizes& sizes, const RecurrentExtent& extent,
              const CellFunctions& functions, bool backward, std::int64_t units,
              const RecurrentWeights& weights);
  // Of the runs that follow, until the next call; nothing is open.
  void Resize(const RecurrentExtent& extent, const RecurrentShares& shares);

  // Of a run, which needs memory of its own from its beginning to its end; aligned to 64 bytes.
  std::int64_t Floats() const;
  // Of the beginning alone, shared by directions that begin one after the other; in bytes.
  std::int64_t ScratchBytes() const {
    return is_open_ ? open_input_.ScratchBytes(extent_.steps * extent_.batch)
                    : input_.ScratchBytes();
  }

  // Begins a run: the product by the input, and the first states, zeros if null.
  Status Begin(const float* x, const float* h, const float* c, float* memory, void* scratch);

  bool is_half() const { return parts_.front().recurrent.in_half; }
  std::int64_t num_phases() const { return steps_phases_ * extent_.steps; }
  std::int64_t num_shares() const { return divides_units_ ? num_parts() : row_shares_; }
  bool shares_meet() const { return divides_units_; }

  // One phase of one share.
  void RunPhase(std::int64_t phase, std::int64_t share, const RecurrentResults& results,
                float* memory) const;

  // The states after the last step; null: not wanted.
  void End(const RecurrentResults& results, float* memory, float* h, float* c) const;

 private:
  // A product of each step, in f32 or in bf16.
  struct Product {
    PanelProduct wide;
    HalfPanels half;
    bool in_half = false;

    void Pack(const float* weights, std::int64_t outputs, std::int64_t inputs, std::int64_t rows,
              const float* added = nullptr, const PackingOrigin& origin = {});
    std::int64_t ScratchBytes(std::int64_t rows) const noexcept {
      return in_half ? half.ScratchBytes(rows) : wide.ScratchBytes();
    }
    // The sums and the bias of all rows, on all threads; it was packed for any number of them.
    void Run(std::int64_t rows, const float* x, float* y, void* scratch) const noexcept {
      in_half ? half.Run(rows, x, nullptr, y, scratch) : wide.Run(rows, x, nullptr, y, scratch);
    }
    void RunRows(std::int64_t rows, const float* x, float* y) const noexcept;
  };

  // Some of the hidden units.
  struct Part {
    std::int64_t first = 0, units = 0;
    Product recurrent;    // their gates; of kGruReset all but the last
    Product after_reset;  // kGruReset: gate h
    std::vector<float> reset_bias;
    std::vector<float> peepholes;
  };
  struct Buffers;
  struct Step;

  std::int64_t num_parts() const { return static_cast<std::int64_t>(parts_.size()); }
  std::int64_t product_gates() const;
  void DivideUnits(std::int64_t shares);
  std::vector<float> InParts(const float* rows, std::int64_t size) const;
  std::vector<float> Bias(const float* b);
  std::int64_t product_rows() const;
  void PackRecurrent(const float* r, bool in_half, PackingOrigin origin);
  Status InitInput(const FastContext& context, const RecurrentWeights& weights);
  void PackPeepholes(const float* peepholes);
  Status MultiplyInput(const float* x, float* given, void* scratch);

  Buffers Divide(float* memory) const;
  float* StateAfter(std::int64_t done, const Buffers& buffers,
                    const RecurrentResults& results) const;
  void RunParts(std::int64_t first, std::int64_t last, bool begins, const Step& step) const;
  void RunFirst(const Part& part, const Step& step) const;
  void RunGates(const Part& part, std::int64_t row, const Step& step) const;
  void RunAnyGates(const Part& part, std::int64_t at, const float* x, float* r,
                   const Step& step) const;
  void RunAfterReset(const Part& part, const Step& step) const;
  void Project(const Step& step) const;
  void KeepEnded(const Part& part, const Step& step, float* y) const;

  CellSizes sizes_;
  RecurrentExtent extent_;
  CellFunctions functions_;
  float projection_bound_ = INFINITY;
  bool is_open_ = false;        // what was packed is for any sizes of runs
  bool divides_units_ = false;  // among the shares; else rows
  std::int64_t row_shares_ = 1;
  std::int64_t steps_phases_ = 1;  // of one step
  bool is_plain_ = true;           // the usual functions, without peepholes, bounds and projection
  bool projects_ = false;
  bool backward_ = false;
  PreparedLinear input_;
  Product open_input_;  // in its place
  std::vector<Part> parts_;
  PanelProduct projection_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_RECURRENT_DIRECTION_H_
