// SPDX-License-Identifier: Apache-2.0
// Sums of products over an axis that the operands share, which must not be that of the samples.
#include <algorithm>
#include <string>
#include <vector>

#include "core/ops/declared_attributes.h"
#include "core/resize/rules.h"

namespace dragoman {
namespace {

struct Factor {
  std::size_t operand = 0;
  int rank = 0;
  Rows rows;
  bool is_axis() const { return rows.is_axis(); }
  int FromEnd() const { return rank - 1 - rows.axis; }
};

Factor FactorOf(const Node& node, std::size_t i, const RowTracer& tracer) {
  const Value* value = node.operand(i);
  return {i, static_cast<int>(tracer.OldShape(value)->size()), tracer.RowsOf(value)};
}

// Scales, zero points and the like.
Status NothingElse(Node& node, const std::vector<std::size_t>& factors, const RowTracer& tracer) {
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    if (tracer.RowsOf(node.operand(i)).is_count())
      return tracer.Refuse(node, "it computes with the number of samples");
    if (std::ranges::count(factors, i) > 0) continue;
    if (!tracer.RowsOf(node.operand(i)).is_shared())
      return tracer.Refuse(node,
                           "its operand '" + node.operand(i)->name() + "' depends on the sample");
  }
  return {};
}

Status RefuseSum(const Node& node, const RowTracer& tracer) {
  return tracer.Refuse(node, "it sums over the samples");
}

// Matrices in the last two axes, products of each of which are alone.
Status TraceMatrices(Node& node, const Factor& a, const Factor& b, RowTracer& tracer) {
  const auto rank = static_cast<int>(tracer.OldShape(node.result())->size());
  if (a.rank < 2 || b.rank < 2) {
    const bool is_vector = a.is_axis() ? a.rank == 1 : b.rank == 1;
    if (is_vector || (a.is_axis() && b.is_axis())) return RefuseSum(node, tracer);
    // The other is a vector, whose axis the result lacks.
    const Factor& matrix = a.is_axis() ? a : b;
    const int summed = a.is_axis() ? 0 : 1;
    if (matrix.FromEnd() == summed) return RefuseSum(node, tracer);
    const int behind = matrix.FromEnd() - (matrix.FromEnd() > summed ? 1 : 0);
    tracer.SetRows(node.result(), matrix.rows.Moved(rank - 1 - behind));
    return {};
  }
  const bool along_rows = a.is_axis() && a.FromEnd() == 1;
  const bool along_columns = b.is_axis() && b.FromEnd() == 0;
  if ((a.is_axis() && a.FromEnd() == 0) || (b.is_axis() && b.FromEnd() == 1))
    return RefuseSum(node, tracer);
  if (along_rows || along_columns) {
    if (a.is_axis() && b.is_axis())
      return tracer.Refuse(node, "it multiplies the samples with one another");
    const Factor& only = along_rows ? a : b;
    tracer.SetRows(node.result(), only.rows.Moved(rank - 1 - only.FromEnd()));
    return {};
  }
  const Factor& first = a.is_axis() ? a : b;
  const Rows rows = first.rows.Moved(rank - 1 - first.FromEnd());
  DRAGOMAN_TRY(tracer.AlignBroadcast(node, a.operand, rows, rank));
  DRAGOMAN_TRY(tracer.AlignBroadcast(node, b.operand, rows, rank));
  tracer.SetRows(node.result(), rows);
  return {};
}

Status TraceMatMul(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(NothingElse(node, {0, 1}, tracer));
  return TraceMatrices(node, FactorOf(node, 0, tracer), FactorOf(node, 1, tracer), tracer);
}

Status TraceQuantizedMatMul(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(NothingElse(node, {0, 3}, tracer));
  return TraceMatrices(node, FactorOf(node, 0, tracer), FactorOf(node, 3, tracer), tracer);
}

Status TraceGemm(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(NothingElse(node, {0, 1, 2}, tracer));
  const Factor a = FactorOf(node, 0, tracer);
  const Factor b = FactorOf(node, 1, tracer);
  const int rows_of_a = IntAttribute(node, "transA") != 0 ? 1 : 0;
  const int columns_of_b = IntAttribute(node, "transB") != 0 ? 0 : 1;
  if ((a.is_axis() && a.rows.axis != rows_of_a) || (b.is_axis() && b.rows.axis != columns_of_b))
    return RefuseSum(node, tracer);
  if (a.is_axis() && b.is_axis())
    return tracer.Refuse(node, "it multiplies the samples with one another");
  if (!a.is_axis() && !b.is_axis())
    return tracer.Refuse(node, "what it adds, but not what it multiplies, depends on the sample");
  const Rows rows = a.is_axis() ? a.rows.Moved(0) : b.rows.Moved(1);
  DRAGOMAN_TRY(tracer.AlignBroadcast(node, 2, rows, 2));
  tracer.SetRows(node.result(), rows);
  return {};
}

Status TraceLinear(Node& node, RowTracer& tracer) {
  DRAGOMAN_TRY(NothingElse(node, {0}, tracer));
  const Factor x = FactorOf(node, 0, tracer);
  if (!x.is_axis()) return tracer.Refuse(node, "its weight depends on the sample");
  if (x.FromEnd() == 0) return RefuseSum(node, tracer);
  tracer.SetRows(node.result(), x.rows);
  return {};
}

// One label an axis; axes of "..." get labels of their own, counted from the end.
std::vector<std::string> LabelsOf(const std::string& term, int rank) {
  std::vector<std::string> labels;
  const auto is_letter = [](char c) { return c != '.' && c != ' '; };
  const auto letters = static_cast<int>(std::ranges::count_if(term, is_letter));
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (is_letter(term[i])) labels.emplace_back(1, term[i]);
    if (term[i] != '.') continue;
    for (int k = rank - letters; k > 0; --k) labels.push_back("." + std::to_string(k));
    i += 2;
  }
  return labels;
}

std::vector<std::string> TermsOf(const std::string& text) {
  std::vector<std::string> terms(1);
  for (const char c : text) {
    if (c == ',') {
      terms.emplace_back();
    } else {
      terms.back() += c;
    }
  }
  return terms;
}

Status TraceEinsum(Node& node, RowTracer& tracer) {
  for (const Use& use : node.operands()) {
    if (tracer.RowsOf(use.value()).is_count())
      return tracer.Refuse(node, "it computes with the number of samples");
  }
  const std::string equation = TextAttribute(node, "equation");
  const std::size_t arrow = equation.find("->");
  if (arrow == std::string::npos)
    return tracer.Refuse(node, "its equation does not state the result");
  const std::vector<std::string> terms = TermsOf(equation.substr(0, arrow));
  const auto out_rank = static_cast<int>(tracer.OldShape(node.result())->size());
  const std::vector<std::string> out = LabelsOf(equation.substr(arrow + 2), out_rank);
  std::string label;
  Rows rows;
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    const Factor factor = FactorOf(node, i, tracer);
    if (!factor.is_axis()) continue;
    const std::string own =
        LabelsOf(terms.at(i), factor.rank).at(static_cast<std::size_t>(factor.rows.axis));
    if (label.empty()) {
      label = own;
      rows = factor.rows;
    } else if (own != label || !SamePlace(rows.Moved(0), factor.rows.Moved(0))) {
      return tracer.Refuse(node, "it multiplies the samples with one another");
    }
  }
  const auto at = std::ranges::find(out, label);
  if (at == out.end()) return RefuseSum(node, tracer);
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    const Factor factor = FactorOf(node, i, tracer);
    const std::vector<std::string> labels = LabelsOf(terms.at(i), factor.rank);
    const auto own = std::ranges::find(labels, label);
    if (own == labels.end()) continue;
    if (std::ranges::count(labels, label) > 1)
      return tracer.Refuse(node, "it takes a diagonal of the samples");
    const auto axis = static_cast<int>(own - labels.begin());
    if (factor.rows.is_shared()) DRAGOMAN_TRY(tracer.Align(node, i, rows.Moved(axis)));
  }
  tracer.SetRows(node.result(), rows.Moved(static_cast<int>(at - out.begin())));
  return {};
}

}  // namespace

// By name: each says in its own way which axes are summed over.
std::span<const RowRule> ProductRowRules() {
  static constexpr RowRule kRules[] = {
      {"Einsum", TraceEinsum},
      {"Gemm", TraceGemm},
      {"MatMul", TraceMatMul},
      {"MatMulInteger", TraceMatMul},
      {"QLinearMatMul", TraceQuantizedMatMul},
      {"dragoman.Linear", TraceLinear},
  };
  return kRules;
}

}  // namespace dragoman
