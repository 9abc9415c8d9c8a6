// SPDX-License-Identifier: Apache-2.0
// Random numbers, which PyTorch draws with its own generator; seeds of the source are its own.
#include "exporters/pt2/ops/op_rows.h"

#include <utility>

namespace dragoman::pt2 {
namespace {

Result<Term> Drawn(const AtenOp& op, std::string_view target, const TermType& type) {
  const DType dtype = Info(type.dtype).bits < 32 ? DType::kF32 : type.dtype;
  DRAGOMAN_ASSIGN(const Sizes sizes, op.SizesOf(type.shape));
  return op.Call(target, {{"size", sizes}, Kw("dtype", dtype)}, {dtype, type.shape});
}

// Of a generator the type of the result, with sizes as the operand has them.
TermType DrawnType(const AtenOp& op) {
  TermType type = op.result();
  if (op.has(0)) type.shape = op.arg(0).shape;
  return type;
}

Emitted Scaled(const AtenOp& op, const Term& x, double factor, double offset) {
  Term scaled = factor == 1 ? x : op.WithNumber("aten.mul.Scalar", x, factor);
  if (offset != 0) scaled = op.WithNumber("aten.add.Scalar", scaled, offset);
  return One(op.Cast(scaled, op.result().dtype));
}

Emitted EmitRandomNormal(AtenOp& op) {
  DRAGOMAN_ASSIGN(const Term drawn, Drawn(op, "aten.randn.default", DrawnType(op)));
  return Scaled(op, drawn, op.Float("scale"), op.Float("mean"));
}

Emitted EmitRandomUniform(AtenOp& op) {
  DRAGOMAN_ASSIGN(const Term drawn, Drawn(op, "aten.rand.default", DrawnType(op)));
  return Scaled(op, drawn, op.Float("high") - op.Float("low"), op.Float("low"));
}

Emitted EmitBernoulli(AtenOp& op) {
  return One(op.Cast(op.Unary("aten.bernoulli.default", op.arg(0)), op.result().dtype));
}

// Of unnormalised log probabilities.
Emitted EmitMultinomial(AtenOp& op) {
  const TermType result = op.result();
  const Term x = op.arg(0);
  const Term probabilities =
      op.Call("aten.softmax.int", {{"self", x}, {"dim", 1}}, {x.dtype, x.shape});
  const Term drawn = op.Call(
      "aten.multinomial.default",
      {{"self", probabilities}, {"num_samples", op.Int("sample_size")}, {"replacement", true}},
      {DType::kI64, result.shape});
  return One(op.Cast(drawn, result.dtype));
}

}  // namespace

std::span<const Row> RandomRows() {
  static constexpr Row kRows[] = {
      {"Bernoulli", EmitBernoulli},         {"Multinomial", EmitMultinomial},
      {"RandomNormal", EmitRandomNormal},   {"RandomNormalLike", EmitRandomNormal},
      {"RandomUniform", EmitRandomUniform}, {"RandomUniformLike", EmitRandomUniform},
  };
  return kRows;
}

}  // namespace dragoman::pt2
