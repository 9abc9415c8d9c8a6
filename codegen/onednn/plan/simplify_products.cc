// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/onednn/plan/simplify.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/einsum_labels.h"
#include "runtime/params/einsum.h"

namespace dragoman::onednn {
namespace {

AxisLabels Joined(AxisLabels first, const AxisLabels& second, const AxisLabels& third = {}) {
  first.insert(first.end(), second.begin(), second.end());
  first.insert(first.end(), third.begin(), third.end());
  return first;
}

// With the axes of an ellipsis spelled out; none where an axis occurs twice.
std::optional<AxisLabels> ReadLabels(const rt::EinsumParams& einsum, const Node& node,
                                     std::size_t operand) {
  const std::optional<int> rank = node.operand(operand)->type().rank();
  rt::Shape axes;
  if (!rank || *rank > rt::kMaxRank ||
      !rt::EinsumOperandAxes(einsum, static_cast<int>(operand), *rank, &axes).ok()) {
    return std::nullopt;
  }
  AxisLabels labels(axes.begin(), axes.end());
  return AreDistinct(labels) ? std::optional(std::move(labels)) : std::nullopt;
}

std::optional<EinsumEquation> ReadEquation(const Node& node) {
  const Result<Params> params = FindOp(node)->fill_params(node);
  if (!params.ok() || node.num_operands() != 2) return std::nullopt;
  const auto& einsum = params->As<rt::EinsumParams>();
  EinsumEquation equation;
  rt::Shape shapes[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const std::optional<AxisLabels> labels = ReadLabels(einsum, node, i);
    if (!labels) return std::nullopt;
    equation.operands[i] = *labels;
    shapes[i] = rt::Shape::Filled(static_cast<int>(labels->size()), 1);
  }
  // Which axes there are does not depend on their sizes.
  rt::EinsumSpace space;
  if (!rt::ResolveEinsum(einsum, shapes, 2, &space).ok()) return std::nullopt;
  equation.output.assign(space.axes.begin(), space.axes.begin() + space.output_rank);
  return AreDistinct(equation.output) ? std::optional(std::move(equation)) : std::nullopt;
}

// What labels are to a product of matrices.
struct Roles {
  AxisLabels batch;
  AxisLabels rows;     // of the first operand alone
  AxisLabels columns;  // of the second
  AxisLabels summed;
};

// None where an operand is summed on its own, and where no matrix is left. Where nothing is summed,
// matrices have one column and one row.
std::optional<Roles> FindRoles(const EinsumEquation& equation) {
  const AxisLabels(&operands)[2] = equation.operands;
  const AxisLabels& output = equation.output;
  Roles roles;
  for (const std::int64_t label : output) {
    const bool first = Has(operands[0], label), second = Has(operands[1], label);
    (first && second ? roles.batch : first ? roles.rows : roles.columns).push_back(label);
  }
  for (const std::int64_t label : operands[0]) {
    if (Has(output, label)) continue;
    if (!Has(operands[1], label)) return std::nullopt;
    roles.summed.push_back(label);
  }
  const bool second_alone = std::ranges::any_of(operands[1], [&](std::int64_t label) {
    return !Has(output, label) && !Has(operands[0], label);
  });
  const bool no_rows = roles.rows.empty(), no_columns = roles.columns.empty();
  if (second_alone || (no_rows && no_columns)) return std::nullopt;
  if (roles.summed.empty() && (no_rows || no_columns)) return std::nullopt;
  return roles;
}

// A value and the labels of its axes.
struct Labelled {
  Value* value = nullptr;
  AxisLabels labels;

  const Dim& SizeOf(std::int64_t label) const {
    const auto at = std::ranges::find(labels, label) - labels.begin();
    return (*value->type().shape())[static_cast<std::size_t>(at)];
  }
};

// Sizes of 1 are not broadcast.
bool HaveEqualSizes(const Labelled& a, const Labelled& b) {
  return std::ranges::all_of(a.labels, [&](std::int64_t label) {
    return !Has(b.labels, label) || Equal(a.SizeOf(label), b.SizeOf(label)) == Truth::kYes;
  });
}

class Multiplier {
 public:
  Multiplier(Node& node, PassContext& context) : node_(node), context_(context) {}

  // The batch, then rows and columns, each of them one axis.
  Result<Value*> Multiply(const Labelled& a, const Labelled& b, const Roles& roles) {
    DRAGOMAN_ASSIGN(Value * left, Matrix(a, roles.batch, roles.rows, roles.summed));
    DRAGOMAN_ASSIGN(Value * right, Matrix(b, roles.batch, roles.summed, roles.columns));
    DRAGOMAN_ASSIGN(Value * product, context_.Insert(node_, "MatMul", {{left, right}}));
    if (roles.rows.size() == 1 && roles.columns.size() == 1) return product;
    std::vector<std::int64_t> sizes = Sizes(a, Joined(roles.batch, roles.rows));
    for (const std::int64_t size : Sizes(b, roles.columns)) sizes.push_back(size);
    return Reshape(product, sizes);
  }

  Result<Value*> Transpose(const Labelled& from, const AxisLabels& to) {
    if (from.labels == to) return from.value;
    std::vector<std::int64_t> perm;
    for (const std::int64_t label : to)
      perm.push_back(std::ranges::find(from.labels, label) - from.labels.begin());
    return context_.Insert(node_, "Transpose", {{from.value}}, {{"perm", std::move(perm)}});
  }

 private:
  static std::vector<std::int64_t> Sizes(const Labelled& from, const AxisLabels& labels) {
    std::vector<std::int64_t> sizes;
    for (const std::int64_t label : labels) sizes.push_back(from.SizeOf(label).value());
    return sizes;
  }

  // The product of sizes; 1 of none.
  static std::int64_t Size(const Labelled& from, const AxisLabels& labels) {
    std::int64_t product = 1;
    for (const std::int64_t size : Sizes(from, labels)) product *= size;
    return product;
  }

  Result<Value*> Reshape(Value* value, const std::vector<std::int64_t>& sizes) {
    Value* target = context_.AddConstant(*node_.graph(), Tensor::Ints(sizes), "sizes", {});
    return context_.Insert(node_, "Reshape", {{value, target}});
  }

  Result<Value*> Matrix(const Labelled& from, const AxisLabels& batch, const AxisLabels& rows,
                        const AxisLabels& columns) {
    DRAGOMAN_ASSIGN(Value * ordered, Transpose(from, Joined(batch, rows, columns)));
    if (rows.size() == 1 && columns.size() == 1) return ordered;
    std::vector<std::int64_t> sizes = Sizes(from, batch);
    sizes.push_back(Size(from, rows));
    sizes.push_back(Size(from, columns));
    return Reshape(ordered, sizes);
  }

  Node& node_;
  PassContext& context_;
};

bool IsOfMatrices(const Roles& roles) {
  return roles.rows.size() == 1 && roles.columns.size() == 1 && roles.summed.size() == 1;
}

bool HasElements(const Value& value) {
  const std::optional<rt::Shape> sizes = SizesOf(&value);
  return sizes && rt::NumElements(*sizes) > 0;
}

// Einsum(a, b) = MatMul(a', b') with a Transpose or a Reshape around where axes lie otherwise:
// "bhid,bhjd->bhij", "...ik,kj->...ij", "bhwc,whkc->bhwk".
Result<bool> MultiplyEinsum(Node& node, PassContext& context) {
  if (!node.Is("Einsum") || !IsF32(node.result())) return false;
  const std::optional<EinsumEquation> equation = ReadEquation(node);
  const std::optional<Roles> found = equation ? FindRoles(*equation) : std::nullopt;
  if (!found) return false;
  Roles roles = *found;
  Labelled a{node.operand(0), equation->operands[0]}, b{node.operand(1), equation->operands[1]};
  const bool known = HasElements(*a.value) && HasElements(*b.value);
  if (!HaveEqualSizes(a, b) || (!known && !IsOfMatrices(roles))) return false;
  if (equation->output != Joined(roles.batch, roles.rows, roles.columns) &&
      equation->output == Joined(roles.batch, roles.columns, roles.rows)) {
    std::swap(a, b);
    std::swap(roles.rows, roles.columns);
  }
  Multiplier multiplier(node, context);
  DRAGOMAN_ASSIGN(Value * product, multiplier.Multiply(a, b, roles));
  const Labelled result{product, Joined(roles.batch, roles.rows, roles.columns)};
  DRAGOMAN_ASSIGN(Value * y, multiplier.Transpose(result, equation->output));
  return context.ReplaceIfAllowed(node, y);
}

void AppendLetters(const AxisLabels& labels, std::string& text) {
  for (const std::int64_t label : labels) text += static_cast<char>(label);
}

// Letters alone, and none twice in a term.
std::optional<std::vector<Labelled>> ReadTerms(const rt::EinsumParams& einsum, const Node& node) {
  std::vector<Labelled> terms;
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    std::optional<AxisLabels> labels = ReadLabels(einsum, node, i);
    const auto is_ellipsis = [](std::int64_t label) {
      return label >= rt::EinsumSpace::kEllipsisAxis;
    };
    if (!labels || std::ranges::any_of(*labels, is_ellipsis)) return std::nullopt;
    terms.push_back({node.operand(i), *std::move(labels)});
  }
  return terms;
}

// Of two terms, without the labels that neither the output nor another term has.
EinsumEquation EquationOfPair(const std::vector<Labelled>& terms, std::size_t first,
                              std::size_t second, const AxisLabels& output) {
  EinsumEquation equation{{terms[first].labels, terms[second].labels}, {}};
  AxisLabels wanted = output;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i != first && i != second) wanted = Joined(wanted, terms[i].labels);
  }
  for (const std::int64_t label : Joined(terms[first].labels, terms[second].labels)) {
    if (Has(wanted, label) && !Has(equation.output, label)) equation.output.push_back(label);
  }
  return equation;
}

Result<Value*> InsertEinsum(Node& node, const std::vector<Labelled>& terms,
                            const AxisLabels& output, PassContext& context) {
  std::string text;
  std::vector<Value*> operands;
  for (const Labelled& term : terms) {
    if (!operands.empty()) text += ',';
    AppendLetters(term.labels, text);
    operands.push_back(term.value);
  }
  text += "->";
  AppendLetters(output, text);
  return context.Insert(node, "Einsum", operands, {{"equation", std::move(text)}});
}

// Einsum(a, b, c…) = Einsum(Einsum(a, b), c…) of the first two that are a product of matrices
Result<bool> SplitEinsum(Node& node, PassContext& context) {
  if (!node.Is("Einsum") || node.num_operands() < 3 || !IsF32(node.result())) return false;
  const Result<Params> params = FindOp(node)->fill_params(node);
  if (!params.ok()) return false;
  const auto& einsum = params->As<rt::EinsumParams>();
  std::optional<std::vector<Labelled>> terms = ReadTerms(einsum, node);
  const AxisLabels output(einsum.output.begin(), einsum.output.end());
  if (!terms || Has(output, rt::kEinsumEllipsis)) return false;
  for (std::size_t second = 1; second < terms->size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      const Labelled a = (*terms)[first], b = (*terms)[second];
      const EinsumEquation equation = EquationOfPair(*terms, first, second, output);
      const std::optional<Roles> roles = FindRoles(equation);
      if (!roles || roles->summed.empty() || !HaveEqualSizes(a, b)) continue;
      DRAGOMAN_ASSIGN(Value * product, InsertEinsum(node, {a, b}, equation.output, context));
      terms->erase(terms->begin() + static_cast<std::ptrdiff_t>(second));
      (*terms)[first] = {product, equation.output};
      DRAGOMAN_ASSIGN(Value * y, InsertEinsum(node, *terms, output, context));
      return context.ReplaceIfAllowed(node, y);
    }
  }
  return false;
}

// Whether a product by packed weights and a bias computes all of it.
bool IsAffine(const Node& gemm) {
  const bool scaled = FloatAttribute(gemm, "alpha") != 1.0f || FloatAttribute(gemm, "beta") != 1.0f;
  const Tensor* bias = ConstantOf(gemm.operand(2));
  const bool has_bias = gemm.operand(2) == nullptr || (bias != nullptr && bias->rank() == 1);
  return !scaled && IntAttribute(gemm, "transA") == 0 && ConstantOf(gemm.operand(1)) != nullptr &&
         has_bias;
}

// Of what is added to it, Gemm takes no other sizes, Add does.
bool BroadcastsTo(const Value* c, const Value& y) {
  if (c == nullptr) return true;
  const Shape *from = c->type().shape(), *to = y.type().shape();
  if (from == nullptr || to == nullptr || from->size() > to->size()) return false;
  return std::equal(from->rbegin(), from->rend(), to->rbegin(), [](const Dim& a, const Dim& b) {
    return (a.known() && a.value() == 1) || Equal(a, b) == Truth::kYes;
  });
}

// Gemm(a, b, c) = alpha MatMul(a', b') + beta c
Result<bool> MultiplyGemm(Node& node, PassContext& context) {
  if (!node.Is("Gemm") || !IsF32(node.result()) || IsAffine(node) ||
      !BroadcastsTo(node.operand(2), *node.result())) {
    return false;
  }
  const auto matrix = [&](std::size_t i, std::string_view flag) -> Result<Value*> {
    if (IntAttribute(node, flag) == 0) return node.operand(i);
    return context.Insert(node, "Transpose", {{node.operand(i)}},
                          {{"perm", Attribute::Ints{1, 0}}});
  };
  const auto scaled = [&](Value* value, std::string_view factor) -> Result<Value*> {
    const float by = FloatAttribute(node, factor);
    if (by == 1.0f) return value;
    Value* constant =
        context.AddConstant(*node.graph(), Tensor::Float(by), std::string(factor), {});
    return context.Insert(node, "Mul", {{value, constant}});
  };
  DRAGOMAN_ASSIGN(Value * a, matrix(0, "transA"));
  DRAGOMAN_ASSIGN(Value * b, matrix(1, "transB"));
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "MatMul", {{a, b}}));
  DRAGOMAN_ASSIGN(y, scaled(y, "alpha"));
  if (node.operand(2) != nullptr) {
    DRAGOMAN_ASSIGN(Value * c, scaled(node.operand(2), "beta"));
    DRAGOMAN_ASSIGN(y, context.Insert(node, "Add", {{y, c}}));
  }
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> ProductPatterns() {
  static constexpr Pattern kPatterns[] = {{"split-einsum", SplitEinsum},
                                          {"multiply-einsum", MultiplyEinsum},
                                          {"multiply-gemm", MultiplyGemm}};
  return kPatterns;
}

}  // namespace dragoman::onednn
