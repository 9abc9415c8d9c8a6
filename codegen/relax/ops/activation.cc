// SPDX-License-Identifier: Apache-2.0
// Activations: Relax has few of them, the rest is composed. All in the operand's own element type.
#include "codegen/relax/ops/op_rows.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/relax/ops/extreme.h"
#include "codegen/tvm/activations.h"

namespace dragoman::relax {
namespace {

// The calls of a formula (codegen/tvm/activations.h).
struct Formula {
  using Term = std::string;
  using Terms = std::initializer_list<Term>;

  RelaxOp& op;

  Term arg(std::size_t i) const { return op.arg(i); }
  Term Number(double value) const { return op.Const(value); }
  Term Last(std::string_view function, Terms terms) const {
    return fmt::format("R.{}({})", function, fmt::join(terms, ", "));
  }
  Term Do(std::string_view function, Terms terms) const {
    return op.BindLike(Last(function, terms));
  }
  Term Compare(std::string_view function, Terms terms) const {
    return op.bind(Last(function, terms), op.type().WithDType(DType::kBool));
  }
  Term Clamp(const Term& x, double low, double high) const {
    return Do("minimum", {Number(high), Do("maximum", {Number(low), x})});
  }
  Term Magnitude() const { return Do("abs", {arg(0)}); }
};

template <Result<std::string> (*formula)(const Formula& f)>
Expressions EmitFormula(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::string result, formula({op}));
  return One(std::move(result));
}

Expressions EmitRelu(RelaxOp& op) { return One(fmt::format("R.nn.relu({})", op.arg(0))); }

Expressions EmitLeakyRelu(RelaxOp& op) {
  return One(
      fmt::format("R.nn.leakyrelu({}, alpha={})", op.arg(0), op.FloatArgument(op.Float("alpha"))));
}

Expressions EmitGelu(RelaxOp& op) {
  const bool tanh = op.String("approximate", "none") == "tanh";
  return One(fmt::format("R.nn.{}({})", tanh ? "gelu_tanh" : "gelu", op.arg(0)));
}

Expressions EmitReciprocal(RelaxOp& op) {
  return One(fmt::format("R.divide({}, {})", op.Const(1), op.arg(0)));
}

// x * sigmoid(alpha * x)
Expressions EmitSwish(RelaxOp& op) {
  const float alpha = op.Float("alpha");
  if (alpha == 1.0f) return One(fmt::format("R.nn.silu({})", op.arg(0)));
  const std::string scaled =
      op.BindLike(fmt::format("R.multiply({}, {})", op.arg(0), op.Const(alpha)));
  const std::string gate = op.BindLike(fmt::format("R.sigmoid({})", scaled));
  return One(fmt::format("R.multiply({}, {})", op.arg(0), gate));
}

// One at the first greatest element of each row along the axis, else zero.
Expressions EmitHardmax(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::int64_t axis, op.Axis("axis"));
  const Dim& size = shape[static_cast<std::size_t>(axis)];
  Shape row(shape.size(), Dim(1));
  row[static_cast<std::size_t>(axis)] = size;
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(row));
  const std::optional<std::string> count = DimText(size, op.symbols);
  const std::string places =
      op.BindPlain(fmt::format("R.arange(0, {}, 1, dtype=\"int64\")", *count));
  const std::string aligned =
      op.bind(fmt::format("R.reshape({}, {})", places, sizes), Type::Tensor(DType::kI64, row));
  const std::string greatest = op.BindPlain(ExtremePlace(op, true, op.arg(0), axis, true));
  const std::string hit =
      op.bind(fmt::format("R.equal({}, {})", greatest, aligned), op.type().WithDType(DType::kBool));
  return One(fmt::format("R.astype({}, dtype=\"{}\")", hit, RelaxDType(op.dtype())));
}

Expressions EmitSoftmax(RelaxOp& op) {
  const char* name = op.node.op().type == "Softmax" ? "softmax" : "log_softmax";
  return One(fmt::format("R.nn.{}({}, axis={})", name, op.arg(0), op.Int("axis")));
}

}  // namespace

std::span<const Row> ActivationRows() {
#define DRAGOMAN_ROW(NAME) {#NAME, EmitFormula<tvm::NAME>},
  static constexpr Row kRows[] = {
      DRAGOMAN_TVM_FORMULAS(DRAGOMAN_ROW)  //
      {"Gelu", EmitGelu},
      {"Hardmax", EmitHardmax},
      {"LeakyRelu", EmitLeakyRelu},
      {"LogSoftmax", EmitSoftmax},
      {"Reciprocal", EmitReciprocal, true},
      {"Relu", EmitRelu},
      {"Softmax", EmitSoftmax},
      {"Swish", EmitSwish},
  };
#undef DRAGOMAN_ROW
  return kRows;
}

}  // namespace dragoman::relax
