// SPDX-License-Identifier: Apache-2.0
#include "core/ops/matrix_formulas.h"

#include <memory>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "core/ops/expansion_formula.h"
#include "core/ops/params.h"
#include "runtime/params/triangular_solve.h"

namespace dragoman {
namespace {

using Values = std::vector<Value*>;
using Places = std::vector<std::int64_t>;

// Formulas over matrices of n rows, which stand in the last two axes.
class Matrices {
 public:
  static Result<Matrices> Of(Node& node) {
    const Shape* shape = node.operand(0)->type().shape();
    const bool known = shape != nullptr && shape->size() >= 2 && shape->back().known() &&
                       (*shape)[shape->size() - 2] == shape->back();
    if (!known || shape->back().value() < 1 || shape->back().value() > kMostFormulaRows)
      return Unsupported("its matrices are not square, or of an unknown or a large size");
    Matrices matrices(node, shape->back().value());
    DRAGOMAN_ASSIGN(matrices.zero_, matrices.formula_.Number(0));
    DRAGOMAN_ASSIGN(matrices.one_, matrices.formula_.Number(1));
    return matrices;
  }

  std::int64_t n() const { return n_; }
  Value* zero() const { return zero_; }
  Value* one() const { return one_; }
  Result<Value*> Number(double number) { return formula_.Number(number); }
  Value* Constant(Tensor tensor) { return formula_.Constant(std::move(tensor)); }
  Value* Ints(const Places& values) { return Constant(Tensor::Ints(values)); }

  // `like` with other sizes of the matrix, of `dtype`.
  Type Sized(const Value* like, Dim rows, Dim columns, DType dtype) const {
    Shape shape = *like->type().shape();
    shape[shape.size() - 2] = std::move(rows);
    shape.back() = std::move(columns);
    return Type::Tensor(dtype, std::move(shape));
  }
  Value* Add(std::string_view op, const Values& operands, const Type& type) {
    return formula_.Add(op, operands, type);
  }
  // Elementwise; the first operand has the sizes of the result.
  Value* Add(std::string_view op, const Values& operands) {
    return Add(op, operands, operands[0]->type());
  }
  Value* Where(Value* condition, Value* a, Value* b, const Type& type) {
    return Add("Where", {condition, a, b}, type);
  }
  Value* Along(std::string_view op, const Values& operands, std::int64_t axis, const Type& type) {
    Value* y = Add(op, operands, type);
    y->producer()->SetAttribute("axis", axis);
    return y;
  }

  Value* Rows(Value* x, const Places& places) {
    const Type type = Sized(x, Dim(static_cast<std::int64_t>(places.size())),
                            x->type().shape()->back(), x->type().dtype());
    return Along("Gather", {x, Ints(places)}, -2, type);
  }
  Value* Columns(Value* x, const Places& places) {
    const Shape& shape = *x->type().shape();
    const Type type = Sized(x, shape[shape.size() - 2],
                            Dim(static_cast<std::int64_t>(places.size())), x->type().dtype());
    return Along("Gather", {x, Ints(places)}, -1, type);
  }
  Value* Element(Value* x, std::int64_t row, std::int64_t column) {
    return Columns(Rows(x, {row}), {column});
  }
  Value* SizesOf(Value* x) {
    return Add("Shape", {x}, Type::Tensor(DType::kI64, Places{*x->type().rank()}));
  }

  // A matrix of bools, true where holds(row, column).
  template <class Holds>
  Value* Mask(std::int64_t rows, std::int64_t columns, Holds holds) {
    const auto size = static_cast<std::size_t>(rows * columns);
    const auto marks = std::make_unique<bool[]>(size);
    for (std::size_t i = 0; i < size; ++i) {
      const auto place = static_cast<std::int64_t>(i);
      marks[i] = holds(place / columns, place % columns);
    }
    return Constant(Tensor::Of<bool>({rows, columns}, std::span(marks.get(), size)));
  }

 private:
  Matrices(Node& node, std::int64_t n) : formula_(node), n_(n) {}

  ExpansionFormula formula_;
  std::int64_t n_;
  Value* zero_ = nullptr;
  Value* one_ = nullptr;
};

Places UpTo(std::int64_t end) {
  Places places(static_cast<std::size_t>(end));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

// Gaussian elimination with partial pivoting; what is known after some steps.
class Elimination {
 public:
  Elimination(Matrices& m, Value* x)
      : m_(m), a_(x), places_(m.Constant(Tensor::Ints(UpTo(m.n())).Reshaped({m.n(), 1}))) {}

  Status Step(std::int64_t k) {
    Value* column = m_.Columns(a_, {k});
    const Type one_i64 = m_.Sized(column, Dim(1), Dim(1), DType::kI64);
    const Type column_i64 = column->type().WithDType(DType::kI64);
    Value* from = m_.Mask(m_.n(), 1, [k](auto i, auto) { return i >= k; });
    DRAGOMAN_ASSIGN(Value * below_all, m_.Number(-1));
    Value* sizes = m_.Where(from, m_.Add("Abs", {column}), below_all, column->type());
    Value* pivot = m_.Along("ArgMax", {sizes}, -2, one_i64);
    pivots_.push_back(pivot);
    Value* is_k = m_.Mask(m_.n(), 1, [k](auto i, auto) { return i == k; });
    Value* is_pivot = m_.Add("Equal", {places_, pivot}, column->type().WithDType(DType::kBool));
    Value* order = m_.Where(is_pivot, m_.Ints({k}), places_, column_i64);
    order = m_.Where(is_k, pivot, order, column_i64);
    orders_.push_back(order);
    Eliminate(k, Permute(a_, order));
    return {};
  }

  Value* factors() const { return a_; }
  // Columns of int64: the row that each row was exchanged with, and where each row was.
  Value* Pivots() { return m_.Along("Concat", pivots_, -2, places_like()); }
  Value* Rows() {
    Value* rows = orders_.front();
    for (std::size_t k = 1; k < orders_.size(); ++k) rows = Permute(rows, orders_[k]);
    return rows;
  }
  // 1 for each row that stayed, else -1.
  Result<Value*> Signs() {
    const Type type = places_like().WithDType(a_->type().dtype());
    DRAGOMAN_ASSIGN(Value * minus, m_.Number(-1));
    Value* stays = m_.Add("Equal", {Pivots(), places_}, type.WithDType(DType::kBool));
    return m_.Where(stays, m_.one(), minus, type);
  }

 private:
  Value* Permute(Value* x, Value* order) {
    Value* indices = m_.Add("Expand", {order, m_.SizesOf(x)}, x->type().WithDType(DType::kI64));
    return m_.Along("GatherElements", {x, indices}, -2, x->type());
  }

  // A pivot of zero is the largest of zeros: nothing is left to eliminate.
  void Eliminate(std::int64_t k, Value* a) {
    Value* column = m_.Columns(a, {k});
    Value* pivot = m_.Rows(column, {k});
    Value* vanishes = m_.Add("Equal", {pivot, m_.zero()}, pivot->type().WithDType(DType::kBool));
    Value* divisor = m_.Where(vanishes, m_.one(), pivot, pivot->type());
    Value* below = m_.Mask(m_.n(), 1, [k](auto i, auto) { return i > k; });
    Value* factors = m_.Where(below, m_.Add("Div", {column, divisor}), m_.zero(), column->type());
    Value* row = m_.Rows(a, {k});
    Value* right = m_.Mask(1, m_.n(), [k](auto, auto j) { return j > k; });
    row = m_.Where(right, row, m_.zero(), row->type());
    Value* rest = m_.Add("Sub", {a, m_.Add("Mul", {factors, row}, a->type())});
    Value* spot = m_.Mask(m_.n(), m_.n(), [k](auto i, auto j) { return i > k && j == k; });
    a_ = m_.Where(spot, factors, rest, a->type());
  }

  Type places_like() const { return orders_.front()->type(); }

  Matrices& m_;
  Value* a_;
  Value* places_;
  Values pivots_;
  Values orders_;
};

bool IsWanted(const Node& node, std::size_t i) {
  return node.result(i) != nullptr && node.result(i)->used();
}

}  // namespace

Result<Values> ExpandDet(Node& node) {
  if (node.operand(0)->type().dtype() == DType::kF16) return Unsupported("it computes in f16");
  DRAGOMAN_ASSIGN(Matrices m, Matrices::Of(node));
  Elimination elimination(m, node.operand(0));
  for (std::int64_t k = 0; k < m.n(); ++k) DRAGOMAN_TRY(elimination.Step(k));
  Value* eye = m.Mask(m.n(), m.n(), [](auto i, auto j) { return i == j; });
  Value* factors = elimination.factors();
  Value* diagonal = m.Where(eye, factors, m.one(), factors->type());
  DRAGOMAN_ASSIGN(Value * signs, elimination.Signs());
  Value* both[] = {diagonal, signs};
  for (Value*& part : both) {
    part = m.Add("ReduceProd", {part, m.Ints({-2, -1})}, node.result()->type());
    part->producer()->SetAttribute("keepdims", std::int64_t{0});
  }
  return Values{m.Add("Mul", {both[0], both[1]})};
}

Result<Values> ExpandLuFactor(Node& node) {
  DRAGOMAN_ASSIGN(Matrices m, Matrices::Of(node));
  Elimination elimination(m, node.operand(0));
  for (std::int64_t k = 0; k < m.n(); ++k) DRAGOMAN_TRY(elimination.Step(k));
  const auto vector = [&](Value* column) {
    Shape shape = *column->type().shape();
    shape.pop_back();
    return m.Add("Squeeze", {column, m.Ints({-1})}, column->type().WithShape(std::move(shape)));
  };
  return Values{elimination.factors(), IsWanted(node, 1) ? vector(elimination.Pivots()) : nullptr,
                IsWanted(node, 2) ? vector(elimination.Rows()) : nullptr};
}

// Row by row: what the rows that are solved contribute is subtracted.
Result<Values> ExpandTriangularSolve(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::TriangularSolveParams>(node));
  const auto& params = filled.As<rt::TriangularSolveParams>();
  DRAGOMAN_ASSIGN(Matrices m, Matrices::Of(node));
  Value* a = node.operand(0);
  Value* b = node.operand(1);
  if (b->type().shape() == nullptr) return Unsupported("the rank of its operand is unknown");
  Value* solved = nullptr;
  Places done;
  for (std::int64_t step = 0; step < m.n(); ++step) {
    const std::int64_t r = params.upper ? m.n() - 1 - step : step;
    Value* row = m.Rows(b, {r});
    if (solved != nullptr) {
      Value* shares = m.Columns(m.Rows(a, {r}), done);
      row = m.Add("Sub", {row, m.Add("MatMul", {shares, solved}, row->type())});
    }
    if (!params.unit) row = m.Add("Div", {row, m.Element(a, r, r)});
    done.insert(params.upper ? done.begin() : done.end(), r);
    if (solved == nullptr) {
      solved = row;
      continue;
    }
    const Type type = m.Sized(row, Dim(step + 1), row->type().shape()->back(), row->type().dtype());
    solved = m.Along("Concat", params.upper ? Values{row, solved} : Values{solved, row}, -2, type);
  }
  return Values{solved};
}

// Column by column: what the columns before contribute is subtracted, and the rest is scaled.
Result<Values> ExpandCholesky(Node& node) {
  DRAGOMAN_ASSIGN(Matrices m, Matrices::Of(node));
  Value* x = node.operand(0);
  const Type one_bool = m.Sized(x, Dim(1), Dim(1), DType::kBool);
  const Type one_i64 = one_bool.WithDType(DType::kI64);
  Value* none = m.Ints({0});
  Value* info = none;
  Value* whole = nullptr;
  for (std::int64_t k = 0; k < m.n(); ++k) {
    Value* column = m.Columns(x, {k});
    if (whole != nullptr) {
      Value* products = m.Add("Mul", {whole, m.Rows(whole, {k})});
      Value* shares = m.Add("ReduceSum", {products, m.Ints({-1})}, column->type());
      column = m.Add("Sub", {column, shares});
    }
    Value* rest = m.Rows(column, {k});
    Value* positive = m.Add("Greater", {rest, m.zero()}, one_bool);
    Value* failed = m.Where(positive, none, m.Ints({k + 1}), one_i64);
    Value* fine = info == none ? nullptr : m.Add("Equal", {info, none}, one_bool);
    info = fine == nullptr ? failed : m.Where(fine, failed, info, one_i64);
    Value* scaled = m.Add("Div", {column, m.Add("Sqrt", {rest})});
    Value* from = m.Mask(m.n(), 1, [k](auto i, auto) { return i >= k; });
    column = m.Where(from, scaled, m.zero(), column->type());
    const Type type = m.Sized(column, Dim(m.n()), Dim(k + 1), column->type().dtype());
    whole = whole == nullptr ? column : m.Along("Concat", {whole, column}, -1, type);
  }
  DRAGOMAN_ASSIGN(Value * nan, m.Number(std::nan("")));
  Value* fine = m.Add("Equal", {info, none}, one_bool);
  whole = m.Where(fine, whole, nan, whole->type());
  Shape batch = *x->type().shape();
  batch.resize(batch.size() - 2);
  info = m.Add("Squeeze", {info, m.Ints({-2, -1})}, Type::Tensor(DType::kI64, std::move(batch)));
  return Values{whole, info};
}

}  // namespace dragoman
