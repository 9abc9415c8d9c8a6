// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU, RNN; dragoman.LSTM.
#include <array>

#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"
#include "runtime/params/gru.h"
#include "runtime/params/lstm.h"
#include "runtime/params/rnn.h"

namespace dragoman {
namespace {

// What rt::RecurrentSizes holds, with sizes that may not be known.
struct Extents {
  Dim steps;
  Dim batch;
  Dim input;
  Dim hidden;
  Dim output;  // of the hidden state as it is given
  std::int64_t directions = 1;
  std::int64_t gates = 1;
  bool batch_first = false;

  Shape Sequence(const Dim& features) const {
    return batch_first ? Shape{batch, steps, features} : Shape{steps, batch, features};
  }
  Shape State(const Dim& size) const {
    return batch_first ? Shape{batch, directions, size} : Shape{directions, batch, size};
  }
  Shape Y() const {
    return batch_first ? Shape{batch, steps, directions, output}
                       : Shape{steps, directions, batch, output};
  }
  // Of all operands that dragoman.LSTM may have: ONNX's has no projection, the others have the
  // first six.
  std::array<Shape, 9> OperandShapes() const {
    const Dim rows = Dim(gates) * hidden;
    return {Sequence(input),
            Shape{directions, rows, input},
            Shape{directions, rows, output},
            Shape{directions, rows + rows},
            Shape{batch},
            State(output),
            State(hidden),
            Shape{directions, Dim(3) * hidden},
            Shape{directions, output, hidden}};
  }
  // The same with 1 where a size is not known.
  Extents WithStandIns() const {
    Extents known = *this;
    for (Dim* dim : {&known.steps, &known.batch, &known.input, &known.hidden, &known.output}) {
      if (!dim->known()) *dim = Dim(1);
    }
    return known;
  }
};

template <class Params>
Extents ReadExtents(const InferContext& context, std::int64_t gates) {
  const auto& params = context.params<Params>();
  Extents extents;
  extents.gates = gates;
  extents.directions = params.direction == rt::RnnDirection::kBidirectional ? 2 : 1;
  extents.batch_first = params.layout == 1;
  if (const Shape* x = context.shape(0); x != nullptr && x->size() == 3) {
    extents.steps = (*x)[extents.batch_first ? 1 : 0];
    extents.batch = (*x)[extents.batch_first ? 0 : 1];
    extents.input = (*x)[2];
  }
  if (const Shape* r = context.shape(2); r != nullptr && r->size() == 3) extents.hidden = (*r)[2];
  if (!extents.hidden.known() && params.hidden_size != 0) extents.hidden = Dim(params.hidden_size);
  extents.output = extents.hidden;
  return extents;
}

// With a projection, what r reads is its output.
Extents ReadProjectedExtents(const InferContext& context) {
  Extents extents = ReadExtents<rt::ProjectedLSTMParams>(context, 4);
  if (!context.has(8)) return extents;
  const auto& params = context.params<rt::ProjectedLSTMParams>();
  if (const Shape* r = context.shape(2); r == nullptr || r->size() != 3) {
    extents.output = Dim::Unknown();
  }
  extents.hidden = params.hidden_size != 0 ? Dim(params.hidden_size) : Dim::Unknown();
  if (const Shape* p = context.shape(8); p != nullptr && p->size() == 3) {
    if ((*p)[2].known()) extents.hidden = (*p)[2];
    if (!extents.output.known()) extents.output = (*p)[1];
  }
  return extents;
}

// Checks the operands that are there; gives their sizes as the runtime takes them, with stand-ins
// for sizes that are not known.
Result<std::array<rt::Shape, 9>> CheckOperands(const InferContext& context,
                                               const Extents& extents) {
  const std::array<Shape, 9> expected = extents.OperandShapes();
  const std::array<Shape, 9> stand_ins = extents.WithStandIns().OperandShapes();
  std::array<rt::Shape, 9> shapes;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!context.has(i)) continue;
    DRAGOMAN_TRY(CheckShape(context, i, expected[i]));
    const std::optional<rt::Shape> sizes = ToRuntimeShape(&stand_ins[i]);
    if (!sizes) return context.Fail("the hidden size is too large");
    shapes[i] = *sizes;
  }
  return shapes;
}

void SetResults(InferContext& context, const Extents& extents) {
  context.SetShape(0, extents.Y());
  for (std::size_t i = 1; i < context.num_results(); ++i) {
    context.SetShape(i, extents.State(i == 1 ? extents.output : extents.hidden));
  }
}

Status InferLstm(InferContext& context) {
  const auto& params = context.params<rt::LSTMParams>();
  const Extents extents = ReadExtents<rt::LSTMParams>(context, 4);
  DRAGOMAN_ASSIGN(auto s, CheckOperands(context, extents));
  rt::Shape y, y_h, y_c;
  DRAGOMAN_TRY(context.Check(
      rt::LSTMShape(params, {s[0], s[1], s[2], s[3], s[4], s[5]}, s[6], s[7], &y, &y_h, &y_c)));
  SetResults(context, extents);
  return {};
}

Status InferProjectedLstm(InferContext& context) {
  const auto& params = context.params<rt::ProjectedLSTMParams>();
  const Extents extents = ReadProjectedExtents(context);
  DRAGOMAN_ASSIGN(auto s, CheckOperands(context, extents));
  rt::Shape y, y_h, y_c;
  DRAGOMAN_TRY(context.Check(rt::ProjectedLSTMShape(params, {s[0], s[1], s[2], s[3], s[4], s[5]},
                                                    s[6], s[7], s[8], &y, &y_h, &y_c)));
  SetResults(context, extents);
  return {};
}

Status InferGru(InferContext& context) {
  const auto& params = context.params<rt::GRUParams>();
  const Extents extents = ReadExtents<rt::GRUParams>(context, 3);
  DRAGOMAN_ASSIGN(auto s, CheckOperands(context, extents));
  rt::Shape y, y_h;
  DRAGOMAN_TRY(context.Check(rt::GRUShape(params, {s[0], s[1], s[2], s[3], s[4], s[5]}, &y, &y_h)));
  SetResults(context, extents);
  return {};
}

Status InferRnn(InferContext& context) {
  const auto& params = context.params<rt::RNNParams>();
  const Extents extents = ReadExtents<rt::RNNParams>(context, 1);
  DRAGOMAN_ASSIGN(auto s, CheckOperands(context, extents));
  rt::Shape y, y_h;
  DRAGOMAN_TRY(context.Check(rt::RNNShape(params, {s[0], s[1], s[2], s[3], s[4], s[5]}, &y, &y_h)));
  SetResults(context, extents);
  return {};
}

constexpr std::string_view kOneState =
    "(X: T, W: T, R: T, B: T?, sequence_lens: i32?, initial_h: T?) -> (Y: T?, Y_h: T?)";

}  // namespace

std::vector<OpDef> RecurrentOps() {
  return {
      Op("GRU", {1, 22}, kOneState, "T: float")
          .Attributes<rt::GRUParams>()
          .Infer(InferGru)
          .Sizes({.function = "GRUShape",
                  .header = "runtime/params/gru.h",
                  .arguments = "p g5",
                  .sizes = 2})
          .Kernel(
              {.header = "runtime/kernels/gru.h", .types = "T", .fallible = true, .scratch = true}),
      Op("LSTM", {1, 22},
         "(X: T, W: T, R: T, B: T?, sequence_lens: i32?, initial_h: T?, initial_c: T?, P: T?) -> "
         "(Y: T?, Y_h: T?, Y_c: T?)",
         "T: float")
          .Attributes<rt::LSTMParams>()
          .Infer(InferLstm)
          .Sizes({.function = "LSTMShape",
                  .header = "runtime/params/lstm.h",
                  .arguments = "p g5 s6 s7",
                  .sizes = 3})
          .Kernel({.header = "runtime/kernels/lstm.h",
                   .types = "T",
                   .fallible = true,
                   .scratch = true}),
      DragomanOp("LSTM",
                 "(X: T, W: T, R: T, B: T?, sequence_lens: i32?, initial_h: T?, initial_c: T?, "
                 "P: T?, projection: T?) -> (Y: T?, Y_h: T?, Y_c: T?)",
                 "T: float")
          .Attributes<rt::ProjectedLSTMParams>()
          .Infer(InferProjectedLstm)
          .Sizes({.function = "ProjectedLSTMShape",
                  .header = "runtime/params/lstm.h",
                  .arguments = "p g5 s6 s7 s8",
                  .sizes = 3})
          .Kernel({.header = "runtime/kernels/lstm.h",
                   .types = "T",
                   .function = "ProjectedLSTM",
                   .fallible = true,
                   .scratch = true}),
      Op("RNN", {1, 22}, kOneState, "T: float")
          .Attributes<rt::RNNParams>()
          .Infer(InferRnn)
          .Sizes({.function = "RNNShape",
                  .header = "runtime/params/rnn.h",
                  .arguments = "p g5",
                  .sizes = 2})
          .Kernel(
              {.header = "runtime/kernels/rnn.h", .types = "T", .fallible = true, .scratch = true}),
  };
}

}  // namespace dragoman
