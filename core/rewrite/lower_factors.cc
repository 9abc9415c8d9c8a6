// SPDX-License-Identifier: Apache-2.0
// An iteration sees whole matrices: what it must not touch is masked by the places of rows and
// columns, as columns (m, 1) and rows (1, n) of int64.
#include "core/rewrite/lower_factors.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ops/declared_attributes.h"
#include "core/ops/expansion.h"
#include "core/ops/op_def.h"
#include "core/rewrite/loop_builder.h"
#include "core/rewrite/lower_spectra.h"
#include "core/rewrite/pass_context.h"
#include "core/support/find_by_key.h"

namespace dragoman {
namespace {

using Values = std::vector<Value*>;

Value* Where(StepNodes& nodes, Value* condition, Value* a, Value* b) {
  return nodes.Op("Where", {condition, a, b});
}

// 0, 1, … up to `count`, along axis 0 of 2 (or 1).
Value* PlacesUpTo(StepNodes& nodes, Value* count, std::int64_t axis) {
  Value* zero = nodes.Scalar(0, count);
  return nodes.Unsqueeze(nodes.Op("Range", {zero, count, nodes.Scalar(1, count)}), 1 - axis);
}

// Row or column `k` of all matrices; its axis stays, of size 1.
Value* Row(StepNodes& nodes, Value* x, Value* k) {
  return nodes.Unsqueeze(nodes.Op("Gather", {x, k}, {{"axis", std::int64_t{-2}}}), -2);
}
Value* Column(StepNodes& nodes, Value* x, Value* k) {
  return nodes.Unsqueeze(nodes.Op("Gather", {x, k}, {{"axis", std::int64_t{-1}}}), -1);
}

class FactorLowering {
 public:
  FactorLowering(Node& node, PassContext& context)
      : node_(node), context_(context), before_(node, context), x_(node.operand(0)) {
    const auto rank = static_cast<std::int64_t>(x_->type().shape()->size());
    rows_ = CountOf(before_, x_, rank - 2);
    columns_ = CountOf(before_, x_, rank - 1);
    i_ = PlacesUpTo(before_, rows_, 0);
    j_ = PlacesUpTo(before_, columns_, 1);
  }

  Status Run() {
    Result<Values> results = Lowered();
    if (!results.ok()) return std::move(results).error();
    DRAGOMAN_TRY(before_.status());
    results->resize(node_.num_results());
    DRAGOMAN_TRY(context_.InsertCopies(node_, *results));
    context_.Replace(node_, *results);
    return {};
  }

 private:
  Result<Values> Lowered() {
    if (node_.Is("Det")) return Det();
    if (node_.IsDragoman("LuFactor")) return Lu();
    if (node_.IsDragoman("Cholesky")) return Cholesky();
    if (node_.IsDragoman("TriangularSolve")) return TriangularSolve();
    if (node_.IsDragoman("HouseholderQr")) return HouseholderQr();
    if (node_.IsDragoman("HouseholderProduct")) return HouseholderProduct();
    return LowerSpectrum(node_, context_);
  }

  bool IsWanted(std::size_t i) const {
    return i < node_.num_results() && node_.result(i) != nullptr && node_.result(i)->used();
  }
  // Of which there are as many as iterations, (k, …, 1, 1): as the last axis.
  Value* LastAxis(Value* collected) {
    const std::size_t rank = collected->type().shape()->size();
    Value* flat = before_.Op("Squeeze", {collected, before_.Ints({-2, -1})});
    return MoveFirstTo(before_, flat, static_cast<std::int64_t>(rank) - 3);
  }
  // One of each matrix, (…, 1, 1).
  Value* Ones(Value* like, double value) {
    Value* one = before_.Op("ReduceMax", {like, before_.Ints({-2, -1})});
    return before_.Op("Expand",
                      {before_.Scalar(value, before_.Ints({0})), before_.Op("Shape", {one})});
  }

  struct Elimination {
    Value *factors, *rows, *signs, *pivots;
  };

  // Gaussian elimination with partial pivoting. A pivot of zero is the largest of zeros: nothing is
  // left to eliminate.
  Result<Elimination> Eliminate(Value* x) {
    Value* sizes = before_.Op("Shape", {Column(before_, x, before_.Scalar(0, rows_))});
    Value* rows = before_.Op("Expand", {i_, sizes});
    Value* count = before_.Op("Min", {rows_, columns_});
    DRAGOMAN_TRY(before_.status());
    LoopBuilder loop(node_, context_, count, {x, rows, Ones(x, 1)});
    StepNodes& n = loop.nodes();
    Value *k = loop.index(), *a = loop.state(0);
    Value* column = Column(n, a, k);
    Value* from = n.Op("GreaterOrEqual", {i_, k});
    Value* largest = Where(n, from, n.Op("Abs", {column}), n.Scalar(-1, column));
    Value* pivot = n.Op("ArgMax", {largest}, {{"axis", std::int64_t{-2}}});
    Value* order = Where(n, n.Op("Equal", {i_, pivot}), k, i_);
    order = Where(n, n.Op("Equal", {i_, k}), pivot, order);
    const auto permuted = [&](Value* y) {
      Value* places = n.Op("Expand", {order, n.Op("Shape", {y})});
      return n.Op("GatherElements", {y, places}, {{"axis", std::int64_t{-2}}});
    };
    a = permuted(a);
    column = Column(n, a, k);
    Value* row = Row(n, a, k);
    Value* chosen = Column(n, row, k);
    Value* zero = n.Scalar(0, a);
    Value* divisor = Where(n, n.Op("Equal", {chosen, zero}), n.Scalar(1, a), chosen);
    Value* below = n.Op("Greater", {i_, k});
    Value* factors = Where(n, below, n.Op("Div", {column, divisor}), zero);
    row = Where(n, n.Op("Greater", {j_, k}), row, zero);
    Value* rest = n.Op("Sub", {a, n.Op("Mul", {factors, row})});
    Value* spot = n.Op("And", {below, n.Op("Equal", {j_, k})});
    a = Where(n, spot, factors, rest);
    Value* stays = n.Op("Equal", {pivot, k});
    Value* sign = n.Op("Mul", {loop.state(2), Where(n, stays, n.Scalar(1, k), n.Scalar(-1, k))});
    DRAGOMAN_TRY(n.status());
    DRAGOMAN_ASSIGN(const Values results, loop.Finish({a, permuted(loop.state(1)), sign}, {pivot}));
    return Elimination{results[0], results[1], results[2], results[3]};
  }

  Result<Values> Lu() {
    DRAGOMAN_ASSIGN(const Elimination found, Eliminate(x_));
    return Values{found.factors, IsWanted(1) ? LastAxis(found.pivots) : nullptr,
                  IsWanted(2) ? before_.Op("Squeeze", {found.rows, before_.Ints({-1})}) : nullptr};
  }

  Result<Values> Det() {
    const DType dtype = x_->type().dtype();
    Value* x = dtype == DType::kF16 ? before_.Cast(x_, DType::kF32) : x_;
    DRAGOMAN_ASSIGN(const Elimination found, Eliminate(x));
    Value* on_diagonal = before_.Op("Equal", {i_, j_});
    Value* diagonal = Where(before_, on_diagonal, found.factors, before_.Scalar(1, x));
    const std::vector<NamedAttribute> drops = {{"keepdims", std::int64_t{0}}};
    Value* product = before_.Op("ReduceProd", {diagonal, before_.Ints({-2, -1})}, drops);
    Value* sign = before_.Op("Squeeze", {found.signs, before_.Ints({-2, -1})});
    product = before_.Op("Mul", {product, before_.Cast(sign, x->type().dtype())});
    return Values{before_.Cast(product, dtype)};
  }

  // Column by column: what the columns before contribute is subtracted, and the rest is scaled.
  Result<Values> Cholesky() {
    Value* zeros = before_.Zeros(before_.Op("Shape", {x_}));
    LoopBuilder loop(node_, context_, rows_, {zeros, Ones(x_, 0)});
    StepNodes& n = loop.nodes();
    Value *k = loop.index(), *l = loop.state(0), *info = loop.state(1);
    Value* none = n.Scalar(0, k);
    Value* shares = n.Sum(n.Op("Mul", {l, Row(n, l, k)}), -1);
    Value* column = n.Op("Sub", {Column(n, x_, k), shares});
    Value* rest = Row(n, column, k);
    Value* positive = n.Op("Greater", {rest, n.Scalar(0, rest)});
    Value* failed = Where(n, positive, none, n.Op("Add", {k, n.Scalar(1, k)}));
    info = Where(n, n.Op("Equal", {info, none}), failed, info);
    Value* scaled = n.Op("Div", {column, n.Op("Sqrt", {rest})});
    column = Where(n, n.Op("GreaterOrEqual", {i_, k}), scaled, n.Scalar(0, rest));
    l = Where(n, n.Op("Equal", {j_, k}), column, l);
    DRAGOMAN_TRY(n.status());
    DRAGOMAN_ASSIGN(const Values results, loop.Finish({l, info}, {}));
    Value* fine = before_.Op("Equal", {results[1], before_.Scalar(0, results[1])});
    DRAGOMAN_ASSIGN(Tensor nan, Tensor::Full(x_->type().dtype(), {}, std::nan("")));
    Value* none_such = context_.AddConstant(*node_.graph(), std::move(nan), "nan", {});
    l = Where(before_, fine, results[0], none_such);
    return Values{
        l, IsWanted(1) ? before_.Op("Squeeze", {results[1], before_.Ints({-2, -1})}) : nullptr};
  }

  // Row by row: what the rows that are solved contribute is subtracted.
  Result<Values> TriangularSolve() {
    Value* b = node_.operand(1);
    const bool upper = IntAttribute(node_, "upper") != 0;
    Value* zeros = before_.Zeros(before_.Op("Shape", {b}));
    LoopBuilder loop(node_, context_, rows_, {zeros});
    StepNodes& n = loop.nodes();
    Value *r = loop.index(), *solved = loop.state(0);
    if (upper) r = n.Op("Sub", {n.Op("Sub", {rows_, n.Scalar(1, r)}), r});
    Value* row = Row(n, x_, r);
    Value* done = n.Op(upper ? "Greater" : "Less", {j_, r});
    Value* shares = n.Op("MatMul", {Where(n, done, row, n.Scalar(0, row)), solved});
    Value* value = n.Op("Sub", {Row(n, b, r), shares});
    if (IntAttribute(node_, "unit") == 0) value = n.Op("Div", {value, Column(n, row, r)});
    solved = Where(n, n.Op("Equal", {i_, r}), value, solved);
    DRAGOMAN_TRY(n.status());
    return loop.Finish({solved}, {});
  }

  // A column with nothing below the diagonal is not reflected.
  Result<Values> HouseholderQr() {
    Value* count = before_.Op("Min", {rows_, columns_});
    LoopBuilder loop(node_, context_, count, {x_});
    StepNodes& n = loop.nodes();
    Value *k = loop.index(), *a = loop.state(0);
    Value *zero = n.Scalar(0, a), *one = n.Scalar(1, a);
    Value* below = n.Op("Greater", {i_, k});
    Value* column = Where(n, below, Column(n, a, k), zero);
    Value* alpha = Column(n, Row(n, a, k), k);
    Value* squares = n.Sum(n.Op("Mul", {column, column}), -2);
    Value* idle = n.Op("Equal", {squares, zero});
    Value* length = n.Op("Sqrt", {n.Op("Add", {n.Op("Mul", {alpha, alpha}), squares})});
    Value* beta = Where(n, n.Op("Less", {alpha, zero}), length, n.Op("Neg", {length}));
    Value* whole = n.Op("Sub", {beta, alpha});
    Value* tau = Where(n, idle, zero, n.Op("Div", {whole, Where(n, idle, one, beta)}));
    column = n.Op("Div", {column, Where(n, idle, one, n.Op("Neg", {whole}))});
    Value* at_k = n.Op("Equal", {i_, k});
    Value* v = Where(n, at_k, one, column);
    Value* sums = n.Op("Mul", {tau, n.Sum(n.Op("Mul", {v, a}), -2)});
    Value* reflected = n.Op("Sub", {a, n.Op("Mul", {v, sums})});
    Value* right = n.Op("Greater", {j_, k});
    Value* left = Where(n, below, column, Where(n, idle, alpha, beta));
    Value* spot = n.Op("And", {n.Op("Equal", {j_, k}), n.Op("GreaterOrEqual", {i_, k})});
    a = Where(n, right, reflected, Where(n, spot, left, a));
    DRAGOMAN_TRY(n.status());
    DRAGOMAN_ASSIGN(const Values results, loop.Finish({a}, {tau}));
    return Values{results[0], IsWanted(1) ? LastAxis(results[1]) : nullptr};
  }

  // The first columns of the product of the reflections, the last of them first.
  Result<Values> HouseholderProduct() {
    Value* tau = node_.operand(1);
    const auto last = static_cast<std::int64_t>(tau->type().shape()->size()) - 1;
    Value* count = CountOf(before_, tau, last);
    Value* unit =
        Where(before_, before_.Op("Equal", {i_, j_}), before_.Scalar(1, x_), before_.Scalar(0, x_));
    Value* start = before_.Op("Expand", {unit, before_.Op("Shape", {x_})});
    LoopBuilder loop(node_, context_, count, {start});
    StepNodes& n = loop.nodes();
    Value* iteration = loop.index();
    Value* k = n.Op("Sub", {n.Op("Sub", {count, n.Scalar(1, iteration)}), iteration});
    Value *zero = n.Scalar(0, x_), *q = loop.state(0);
    Value* v = Where(n, n.Op("Greater", {i_, k}), Column(n, x_, k), zero);
    v = Where(n, n.Op("Equal", {i_, k}), n.Scalar(1, x_), v);
    Value* scale = n.Unsqueeze(Column(n, tau, k), -1);
    Value* sums = n.Op("Mul", {scale, n.Sum(n.Op("Mul", {v, q}), -2)});
    q = n.Op("Sub", {q, n.Op("Mul", {v, sums})});
    DRAGOMAN_TRY(n.status());
    return loop.Finish({q}, {});
  }

  Node& node_;
  PassContext& context_;
  StepNodes before_;
  Value* x_;
  Value *rows_, *columns_;  // how many
  Value *i_, *j_;           // their places
};

// By name: FactorLowering has a function for each.
constexpr std::string_view kFactorisations[] = {"Det",
                                                "dragoman.Cholesky",
                                                "dragoman.HouseholderProduct",
                                                "dragoman.HouseholderQr",
                                                "dragoman.LuFactor",
                                                "dragoman.Svd",
                                                "dragoman.SymmetricEigen",
                                                "dragoman.TriangularSolve"};
static_assert(IsSortedBy(kFactorisations));

// Whether all ranks are known, and no tensor is known to have no elements.
bool HasMatrices(const Node& node) {
  return std::ranges::all_of(node.operands(), [](const Use& use) {
    const Shape* shape = use.value() != nullptr ? use.value()->type().shape() : nullptr;
    return shape != nullptr && std::ranges::find(*shape, Dim(0)) == shape->end();
  });
}

// Those of small matrices have a formula.
bool IsExpanded(Node& node, const OpDef& def) {
  return def.expand && ReplaceByExpansion(node).ok();
}

}  // namespace

bool IsFactorisation(std::string_view label) {
  return FindByKey(kFactorisations, label) != nullptr;
}

Status LowerFactors(Graph& entry, bool (*has)(std::string_view label)) {
  std::vector<Node*> nodes;
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      const OpDef* def = FindOp(node);
      if (def == nullptr || !IsFactorisation(def->Label()) || has(def->Label())) continue;
      if (HasMatrices(node)) nodes.push_back(&node);
    }
  });
  std::erase_if(nodes, [](Node* node) { return IsExpanded(*node, *FindOp(*node)); });
  if (nodes.empty()) return {};
  DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(entry, {}));
  for (Node* node : nodes) DRAGOMAN_TRY(FactorLowering(*node, context).Run());
  return {};
}

}  // namespace dragoman
