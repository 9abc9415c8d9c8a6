// SPDX-License-Identifier: Apache-2.0
// Products.
#include "codegen/relax/ops/op_rows.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "codegen/relax/ops/runtime_sizes.h"

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
  const std::string a = op.Int("transA") != 0 ? Transposed(op, 0) : op.arg(0);
  const std::string b = op.Int("transB") != 0 ? Transposed(op, 1) : op.arg(1);
  const float alpha = op.Float("alpha");
  const float beta = op.Float("beta");
  if (!IsFloating(op.dtype()) && (alpha != 1.0f || beta != 1.0f))
    return op.Refuse("scaled products of integers");
  if (alpha == 1.0f && !op.has(2)) return std::vector<std::string>{MatMul(a, b)};
  const std::string product =
      Scaled(op, op.bind(MatMul(a, b), op.result_type()), op.result_type(), alpha);
  if (!op.has(2)) return std::vector<std::string>{product};
  const std::string c = Scaled(op, op.arg(2), op.type(2), beta);
  return std::vector<std::string>{fmt::format("R.add({}, {})", product, c)};
}

// An equation in letters only, its result written out, and the operands that go with it.
class Einsum {
 public:
  explicit Einsum(RelaxOp& op) : op_(op) {}

  Result<std::string> Equation(const std::string& text);
  std::string Operands() const;

 private:
  Result<std::string> Term(const std::string& written, std::size_t operand);
  Result<std::string> WithoutEllipsis(const std::string& written, std::size_t rank);
  Result<std::string> WithoutDiagonals(std::string term, std::size_t operand);

  RelaxOp& op_;
  std::string wide_;  // the letters of the longest ellipsis
  std::map<char, int> seen_;
  std::vector<std::string> operands_;
};

// An ellipsis stands for the last of the letters that no equation uses.
Result<std::string> Einsum::WithoutEllipsis(const std::string& written, std::size_t rank) {
  const std::size_t dots = written.find("...");
  if (dots == std::string::npos) return written;
  const std::size_t named = written.size() - 3;
  if (named > rank || rank - named > wide_.size())
    return op_.Refuse("an ellipsis of too many axes");
  return written.substr(0, dots) + wide_.substr(wide_.size() - (rank - named)) +
         written.substr(dots + 3);
}

// A letter twice in one operand: what lies off the diagonal becomes 0, and one axis is summed.
Result<std::string> Einsum::WithoutDiagonals(std::string term, std::size_t operand) {
  DRAGOMAN_ASSIGN(Shape shape, op_.shape(operand));
  std::string& x = operands_[operand];
  for (std::size_t i = 0; i < term.size(); ++i) {
    for (std::size_t j = term.size(); --j > i;) {
      if (term[j] != term[i]) continue;
      const std::optional<std::string> size = DimText(shape[i], op_.symbols);
      if (!size) return op_.Refuse("the diagonal of a size that is known at run time only");
      const std::string places = Places(op_, *size);
      const auto along = [&](std::size_t axis) {
        std::vector<std::int64_t> others;
        for (std::size_t k = 0; k < term.size(); ++k) {
          if (k != axis) others.push_back(static_cast<std::int64_t>(k));
        }
        return op_.BindPlain(fmt::format("R.expand_dims({}, axis={})", places, ListText(others)));
      };
      const std::string on = op_.Do("equal", along(i), along(j));
      const std::string kept = op_.Do("where", on, x, op_.Const(0, operand));
      x = op_.BindPlain(fmt::format("R.sum({}, axis=[{}], keepdims=False)", kept, j));
      term.erase(j, 1);
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
  return term;
}

Result<std::string> Einsum::Term(const std::string& written, std::size_t operand) {
  DRAGOMAN_ASSIGN(Shape shape, op_.shape(operand));
  DRAGOMAN_ASSIGN(std::string term, WithoutEllipsis(written, shape.size()));
  for (char c : term) {
    if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z'))
      return op_.Refuse("the equation uses more than letters");
    ++seen_[c];
  }
  return WithoutDiagonals(std::move(term), operand);
}

Result<std::string> Einsum::Equation(const std::string& text) {
  std::string all;
  std::ranges::copy_if(text, std::back_inserter(all), [](char c) { return c != ' '; });
  for (char c = 'Z'; c >= 'A'; --c) {
    if (all.find(c) == std::string::npos) wide_.insert(wide_.begin(), c);
  }
  const std::size_t arrow = all.find("->");
  std::string equation, inputs = all.substr(0, arrow);
  std::size_t longest = 0;
  for (std::size_t i = 0; i < op_.node.num_operands(); ++i) {
    const std::size_t end = std::min(inputs.find(','), inputs.size());
    const std::string written = inputs.substr(0, end);
    inputs = inputs.substr(std::min(end + 1, inputs.size()));
    operands_.push_back(op_.arg(i));
    DRAGOMAN_ASSIGN(Shape shape, op_.shape(i));
    if (written.find("...") != std::string::npos)
      longest = std::max(longest, shape.size() + 3 - std::min(written.size(), shape.size() + 3));
    DRAGOMAN_ASSIGN(std::string term, Term(written, i));
    equation += (i > 0 ? "," : "") + term;
  }
  const std::string shared = wide_.substr(wide_.size() - std::min(longest, wide_.size()));
  if (arrow != std::string::npos) {
    DRAGOMAN_ASSIGN(std::string result,
                    WithoutEllipsis(all.substr(arrow + 2), all.size() - arrow - 5 + shared.size()));
    return equation + "->" + result;
  }
  equation += "->" + shared;
  for (const auto& [letter, count] : seen_) {
    if (count == 1 && shared.find(letter) == std::string::npos) equation += letter;
  }
  return equation;
}

std::string Einsum::Operands() const {
  return fmt::format("{}{}", fmt::join(operands_, ", "), operands_.size() == 1 ? "," : "");
}

Expressions EmitEinsum(RelaxOp& op) {
  Einsum einsum(op);
  DRAGOMAN_ASSIGN(std::string equation, einsum.Equation(op.String("equation", "")));
  return One(fmt::format("R.einsum(({}), subscripts=\"{}\")", einsum.Operands(), equation));
}

}  // namespace

std::span<const Row> ProductRows() {
  static constexpr Row kRows[] = {
      {"Einsum", EmitEinsum, true},
      {"Gemm", EmitGemm, true},
      {"MatMul", EmitMatMul},
      {"dragoman.Linear", EmitLinear},
  };
  return kRows;
}

}  // namespace dragoman::relax
