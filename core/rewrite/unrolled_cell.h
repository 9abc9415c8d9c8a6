// SPDX-License-Identifier: Apache-2.0
// The cells of LSTM, GRU and RNN, also of dragoman.LSTM, as nodes, one step at a time.
#ifndef DRAGOMAN_CORE_REWRITE_UNROLLED_CELL_H_
#define DRAGOMAN_CORE_REWRITE_UNROLLED_CELL_H_

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "core/rewrite/pass_context.h"
#include "runtime/params/recurrent.h"

namespace dragoman {

// Inserts nodes with one result before a node. After an error nothing more is inserted, calls
// return an operand of the node, and status() says why.
class StepNodes {
 public:
  StepNodes(Node& position, PassContext& context) : position_(position), context_(context) {}

  const Status& status() const { return status_; }

  // Trailing operands may be nullptr.
  Value* Op(std::string_view label, const std::vector<Value*>& operands,
            std::vector<NamedAttribute> attributes = {});
  Value* Ints(std::vector<std::int64_t> values);
  // 0-d, of the element type of `like`.
  Value* Scalar(double value, const Value* like);

  Value* Concat(const std::vector<Value*>& parts, std::int64_t axis);
  Value* Gather(Value* x, std::int64_t index, std::int64_t axis);  // the axis goes
  Value* Slice(Value* x, std::int64_t axis, std::int64_t from, std::int64_t to);
  Value* Unsqueeze(Value* x, std::int64_t axis);
  Value* Cast(Value* x, DType to);             // x itself if it is of that element type
  Value* Sum(Value* x, std::int64_t axis);     // the axis stays, of size 1
  Value* SizeOf(Value* x, std::int64_t axis);  // i64[1]
  // Of the sizes that `sizes` holds and the element type of the node's first operand.
  Value* Zeros(Value* sizes);

 private:
  Node& position_;
  PassContext& context_;
  Status status_;
  std::map<std::vector<std::int64_t>, Value*> ints_;
  std::map<std::pair<DType, double>, Value*> scalars_;
};

// What such a cell computes in a step, beside its weights.
struct RecurrentForm {
  enum class Kind { kLstm, kGru, kRnn };

  Kind kind = Kind::kRnn;
  rt::RnnDirection direction = rt::RnnDirection::kForward;
  int directions = 1;
  float clip = 0.0f;                 // of what activations are given; 0: none
  float cell_clip = 0.0f;            // of the new cell state, before it is read; 0: none
  float output_clip = 0.0f;          // of the hidden state, after any projection; 0: none
  bool coupled = false;              // f = 1 - i
  bool linear_before_reset = false;  // the reset gate scales the product
  std::array<std::array<rt::RnnFunction, 3>, 2> functions;  // by direction

  std::int64_t gates() const { return kind == Kind::kLstm ? 4 : kind == Kind::kGru ? 3 : 1; }
  bool Reversed(int d) const { return d == 1 || direction == rt::RnnDirection::kReverse; }
};

// Errors: attributes that the operator refuses.
Result<RecurrentForm> ReadRecurrentForm(const Node& node);

// Of one direction, as the operator has them: w (G·H, I), r (G·H, H), biases (G·H) and peepholes
// (3·H) or nullptr; a projection (O, H), or nullptr, of what r (G·H, O) then reads.
struct UnrolledWeights {
  Value* w = nullptr;
  Value* r = nullptr;
  Value* wb = nullptr;
  Value* rb = nullptr;
  Value* p = nullptr;
  Value* projection = nullptr;
};

struct UnrolledState {
  Value* h = nullptr;
  Value* c = nullptr;  // of LSTM
};

// One step of direction `d`. `x` (B, G·H) is the product of the step's input with w, plus wb.
UnrolledState AppendUnrolledCell(StepNodes& nodes, const RecurrentForm& form, int d,
                                 std::int64_t hidden, const UnrolledWeights& weights, Value* x,
                                 const UnrolledState& state);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_UNROLLED_CELL_H_
