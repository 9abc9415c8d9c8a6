// Products.
#include <map>

#include <fmt/format.h>

#include "codegen/relax/ops/emitters.h"

namespace dragoman::relax {
namespace {

std::string Transposed(RelaxOp& op, std::size_t i) {
  const Type& type = op.type(i);
  Type swapped = Type::Tensor(type.dtype());
  if (const Shape* shape = type.shape(); shape != nullptr && shape->size() == 2) {
    swapped = Type::Tensor(type.dtype(), Shape{(*shape)[1], (*shape)[0]});
  }
  return op.bind(fmt::format("R.permute_dims({}, axes=[1, 0])", op.arg(i)), swapped);
}

std::string MatMul(const std::string& a, const std::string& b) {
  return fmt::format("R.matmul({}, {}, out_dtype=None)", a, b);
}

std::string Scaled(RelaxOp& op, const std::string& x, const Type& type, float factor) {
  if (factor == 1.0f) return x;
  return op.bind(fmt::format("R.multiply({}, {})", x, op.Const(factor)), type);
}

}  // namespace

// x · weightᵀ + bias
Expressions EmitLinear(RelaxOp& op) {
  const std::string weight = Transposed(op, 1);
  const std::string product = MatMul(op.arg(0), weight);
  if (!op.has(2)) return std::vector<std::string>{product};
  const std::string sum = op.bind(product, op.result_type());
  return std::vector<std::string>{fmt::format("R.add({}, {})", sum, op.arg(2))};
}

Expressions EmitMatMul(RelaxOp& op) {
  return std::vector<std::string>{MatMul(op.arg(0), op.arg(1))};
}

Expressions EmitGemm(RelaxOp& op) {
  const std::string a = op.Int("transA", 0) != 0 ? Transposed(op, 0) : op.arg(0);
  const std::string b = op.Int("transB", 0) != 0 ? Transposed(op, 1) : op.arg(1);
  const float alpha = op.Float("alpha", 1.0f);
  const float beta = op.Float("beta", 1.0f);
  if (!IsFloating(op.dtype()) && (alpha != 1.0f || beta != 1.0f))
    return op.Refuse("scaled products of integers");
  if (alpha == 1.0f && !op.has(2)) return std::vector<std::string>{MatMul(a, b)};
  const std::string product =
      Scaled(op, op.bind(MatMul(a, b), op.result_type()), op.result_type(), alpha);
  if (!op.has(2)) return std::vector<std::string>{product};
  const std::string c = Scaled(op, op.arg(2), op.type(2), beta);
  return std::vector<std::string>{fmt::format("R.add({}, {})", product, c)};
}

namespace {

// The equation with its result written out, without blanks. Refused: an ellipsis, a letter twice in
// one operand (a diagonal).
Result<std::string> Explicit(const RelaxOp& op, const std::string& equation) {
  std::string text;
  for (char c : equation) {
    if (c == ' ') continue;
    if (c != ',' && c != '-' && c != '>' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z'))
      return op.Refuse("the equation uses more than letters");
    text += c;
  }
  const std::size_t arrow = text.find("->");
  const std::string inputs = text.substr(0, arrow);
  std::map<char, int> in_operand;
  std::map<char, int> in_all;
  for (char c : inputs) {
    if (c == ',') {
      in_operand.clear();
    } else if (++in_operand[c] > 1) {
      return op.Refuse("a diagonal");
    } else {
      ++in_all[c];
    }
  }
  if (arrow != std::string::npos) return text;
  text += "->";
  for (const auto& [letter, count] : in_all) {
    if (count == 1) text += letter;
  }
  return text;
}

}  // namespace

Expressions EmitEinsum(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::string equation, Explicit(op, op.String("equation", "")));
  std::string operands;
  for (std::size_t i = 0; i < op.node.num_operands(); ++i)
    operands += (i > 0 ? ", " : "") + op.arg(i);
  if (op.node.num_operands() == 1) operands += ",";
  return One(fmt::format("R.einsum(({}), subscripts=\"{}\")", operands, equation));
}

}  // namespace dragoman::relax
