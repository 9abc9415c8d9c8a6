// SPDX-License-Identifier: Apache-2.0
// Rotations of disjoint pairs of columns are one step: "On Jacobi and Jacobi-like algorithms for a
// parallel computer" (Sameh, 1971). In iteration r of a sweep over m columns, m even, column i
// meets (2r - i) mod (m - 1), and column r meets the last one, as in a tournament. A column of
// zeros makes their number even; it is orthogonal to all others, so that no rotation ever mixes it
// with them.
#include "core/rewrite/lower_spectra.h"

#include <utility>

#include "core/rewrite/loop_builder.h"

namespace dragoman {
namespace {

using Values = std::vector<Value*>;

// Random matrices of 256 columns need 12, Hilbert's and graded ones up to 24.
constexpr std::int64_t kSweeps = 24;

Value* Product(StepNodes& nodes, Value* a, Value* b) { return nodes.Op("Mul", {a, b}); }
Value* ColumnsAt(StepNodes& nodes, Value* x, Value* places) {
  return nodes.Op("Gather", {x, places}, {{"axis", std::int64_t{-1}}});
}
Value* RowsAt(StepNodes& nodes, Value* x, Value* places) {
  return nodes.Op("Gather", {x, places}, {{"axis", std::int64_t{-2}}});
}
Value* Transposed(StepNodes& nodes, Value* x) {
  Attribute::Ints perm;
  for (std::size_t i = 0; i < x->type().shape()->size(); ++i)
    perm.push_back(static_cast<std::int64_t>(i));
  std::swap(perm[perm.size() - 2], perm.back());
  return nodes.Op("Transpose", {x}, {{"perm", perm}});
}

// The rotation of every column with its partner in an iteration.
struct Rotation {
  Value* partner;        // (m)
  Value *cosine, *sine;  // (…, 1, m); of two partners, the sines have opposite signs
};

class SpectrumLowering {
 public:
  SpectrumLowering(Node& node, PassContext& context)
      : node_(node),
        context_(context),
        before_(node, context),
        dtype_(node.operand(0)->type().dtype()),
        rank_(static_cast<std::int64_t>(node.operand(0)->type().shape()->size())) {}

  // X = V·diag(values)·Vᵀ, where what lies above the diagonal of X does not count; values ascend.
  Result<Values> SymmetricEigen() {
    Value* x = before_.Cast(node_.operand(0), DType::kF64);
    CountColumns(x);
    Value* padded = Padded(x, true);
    Value* is_lower = before_.Op("LessOrEqual", {places_, before_.Unsqueeze(places_, 1)});
    Value* whole = before_.Op("Where", {is_lower, padded, Transposed(before_, padded)});
    DRAGOMAN_ASSIGN(const Values found, Rotate(whole, true));
    Value* values = WithoutPadding(Diagonal(before_, found[0]), -1);
    DRAGOMAN_ASSIGN(const Sorted sorted, Sort(values, columns_, false));
    Value* vectors = WithoutPadding(WithoutPadding(found[1], -1), -2);
    return Finished({sorted.values, Chosen(vectors, sorted.places)});
  }

  // X = U·diag(values)·Vᵀ; values descend. The columns of X are rotated until they are orthogonal
  // (Hestenes): they are U·diag(values) then.
  Result<Values> Svd() {
    Value* x = before_.Cast(node_.operand(0), DType::kF64);
    const Shape& sizes = *x->type().shape();
    const Dim rows = sizes[sizes.size() - 2], columns = sizes.back();
    const bool wide = rows.known() && columns.known() && rows.value() < columns.value();
    if (wide) x = Transposed(before_, x);
    CountColumns(x);
    Value* count = before_.Op("Min", {CountOf(before_, x, rank_ - 2), columns_});
    DRAGOMAN_ASSIGN(const Values found, Rotate(Padded(x, false), false));
    Value* scaled = WithoutPadding(found[0], -1);
    Value* lengths = before_.Op("Sqrt", {before_.Sum(Product(before_, scaled, scaled), -2)});
    Value* values = before_.Op("Squeeze", {lengths, before_.Ints({-2})});
    DRAGOMAN_ASSIGN(const Sorted sorted, Sort(values, count, true));
    Value* zero = before_.Scalar(0, lengths);
    Value* is_zero = before_.Op("Equal", {lengths, zero});
    Value* divisor = before_.Op("Where", {is_zero, before_.Scalar(1, lengths), lengths});
    Value* left = Chosen(before_.Op("Div", {scaled, divisor}), sorted.places);
    Value* right = Chosen(WithoutPadding(WithoutPadding(found[1], -1), -2), sorted.places);
    if (wide) std::swap(left, right);
    return Finished({left, sorted.values, Transposed(before_, right)});
  }

 private:
  struct Sorted {
    Value *values, *places;
  };

  void CountColumns(Value* x) {
    columns_ = CountOf(before_, x, rank_ - 1);
    Value* two = before_.Scalar(2, columns_);
    Value* odd = before_.Op("Mod", {columns_, two});
    // No columns at all become two.
    padded_columns_ = before_.Op("Max", {before_.Op("Add", {columns_, odd}), two});
    Value *none = before_.Scalar(0, columns_), *one = before_.Scalar(1, columns_);
    places_ = before_.Op("Range", {none, padded_columns_, one});
  }

  // Zeros after the columns, and after the rows.
  Value* Padded(Value* x, bool rows_too) {
    Value* more = before_.Unsqueeze(before_.Op("Sub", {padded_columns_, columns_}), 0);
    std::vector<std::int64_t> none(static_cast<std::size_t>(2 * rank_ - (rows_too ? 2 : 1)), 0);
    Values pads = {before_.Ints(std::move(none)), more};
    if (rows_too) pads.push_back(more);
    return before_.Op("Pad", {x, before_.Concat(pads, 0)});
  }
  Value* WithoutPadding(Value* x, std::int64_t axis) {
    Value* end = before_.Unsqueeze(columns_, 0);
    return before_.Op("Slice", {x, before_.Ints({0}), end, before_.Ints({axis})});
  }

  // (…, m)
  Value* Diagonal(StepNodes& nodes, Value* x) {
    Value* on_diagonal = nodes.Op("Equal", {places_, nodes.Unsqueeze(places_, 1)});
    Value* diagonal = nodes.Op("Where", {on_diagonal, x, nodes.Scalar(0, x)});
    return nodes.Op("ReduceSum", {diagonal, nodes.Ints({-2})}, {{"keepdims", std::int64_t{0}}});
  }

  // Who meets whom in an iteration.
  Value* Partners(StepNodes& nodes, Value* iteration) {
    Value* last = nodes.Op("Sub", {padded_columns_, nodes.Scalar(1, iteration)});
    Value* round = nodes.Op("Mod", {iteration, last});
    Value* mirrored = nodes.Op("Sub", {nodes.Op("Add", {round, round}), places_});
    Value* partner = nodes.Op("Mod", {mirrored, last});
    partner = nodes.Op("Where", {nodes.Op("Equal", {places_, round}), last, partner});
    return nodes.Op("Where", {nodes.Op("Equal", {places_, last}), round, partner});
  }

  // What makes each column of x orthogonal to its partner; of a symmetric x, the product of the two
  // is the element where one's row meets the other's column.
  Rotation RotationOf(StepNodes& nodes, Value* x, Value* partner, bool symmetric) {
    Value *own, *product;
    if (symmetric) {
      own = nodes.Unsqueeze(Diagonal(nodes, x), -2);
      Value* meets = nodes.Op("Equal", {partner, nodes.Unsqueeze(places_, 1)});
      product = nodes.Sum(nodes.Op("Where", {meets, x, nodes.Scalar(0, x)}), -2);
    } else {
      own = nodes.Sum(Product(nodes, x, x), -2);
      product = nodes.Sum(Product(nodes, x, ColumnsAt(nodes, x, partner)), -2);
    }
    Value *zero = nodes.Scalar(0, own), *one = nodes.Scalar(1, own);
    Value* done = nodes.Op("Equal", {product, zero});
    Value* twice = nodes.Op("Where", {done, one, nodes.Op("Add", {product, product})});
    Value* difference = nodes.Op("Sub", {ColumnsAt(nodes, own, partner), own});
    Value* cotangent = nodes.Op("Div", {difference, twice});
    Value* comes_first = nodes.Op("Less", {places_, partner});
    Value* sign = nodes.Op("Where", {comes_first, one, nodes.Scalar(-1, own)});
    Value* is_zero = nodes.Op("Equal", {cotangent, zero});
    sign = nodes.Op("Where", {is_zero, sign, nodes.Op("Sign", {cotangent})});
    Value* length = LengthWithOne(nodes, cotangent);
    Value* sum = nodes.Op("Add", {nodes.Op("Abs", {cotangent}), length});
    Value* tangent = nodes.Op("Where", {done, zero, nodes.Op("Div", {sign, sum})});
    Value* cosine = nodes.Op("Reciprocal", {LengthWithOne(nodes, tangent)});
    return {partner, cosine, Product(nodes, tangent, cosine)};
  }
  // sqrt(1 + x²)
  static Value* LengthWithOne(StepNodes& nodes, Value* x) {
    Value* sum = nodes.Op("Add", {nodes.Scalar(1, x), Product(nodes, x, x)});
    return nodes.Op("Sqrt", {sum});
  }

  static Value* Columns(StepNodes& nodes, Value* x, const Rotation& by) {
    Value* others = Product(nodes, ColumnsAt(nodes, x, by.partner), by.sine);
    return nodes.Op("Sub", {Product(nodes, x, by.cosine), others});
  }
  static Value* Rows(StepNodes& nodes, Value* x, const Rotation& by) {
    Value* others = Product(nodes, RowsAt(nodes, x, by.partner), Transposed(nodes, by.sine));
    return nodes.Op("Sub", {Product(nodes, x, Transposed(nodes, by.cosine)), others});
  }

  // x after all rotations, and their product V.
  Result<Values> Rotate(Value* x, bool symmetric) {
    Value* on_diagonal = before_.Op("Equal", {places_, before_.Unsqueeze(places_, 1)});
    Value* unit = before_.Cast(on_diagonal, DType::kF64);
    Value* matrices = before_.Op("ReduceMax", {x, before_.Ints({-2, -1})});  // (…, 1, 1)
    Value* sizes = before_.Op("Shape", {matrices});
    Value* rounds = before_.Op("Sub", {padded_columns_, before_.Scalar(1, columns_)});
    Value* iterations = Product(before_, rounds, before_.Scalar(kSweeps, columns_));
    DRAGOMAN_TRY(before_.status());
    LoopBuilder loop(node_, context_, iterations, {x, before_.Op("Expand", {unit, sizes})});
    StepNodes& n = loop.nodes();
    const Rotation by = RotationOf(n, loop.state(0), Partners(n, loop.index()), symmetric);
    Value* rotated = Columns(n, loop.state(0), by);
    if (symmetric) rotated = Rows(n, rotated, by);
    Value* vectors = Columns(n, loop.state(1), by);
    DRAGOMAN_TRY(n.status());
    return loop.Finish({rotated, vectors}, {});
  }

  Result<Sorted> Sort(Value* values, Value* count, bool descending) {
    DRAGOMAN_TRY(before_.status());
    const Values operands = {values, before_.Unsqueeze(count, 0)};
    DRAGOMAN_ASSIGN(Node * sorted, context_.InsertNode(node_, "TopK", operands,
                                                       {{"largest", std::int64_t{descending}}}, 2));
    return Sorted{sorted->result(0), sorted->result(1)};
  }
  // The columns of x at `places` (…, k) of each matrix.
  Value* Chosen(Value* x, Value* places) {
    Value* column = before_.Op("ReduceMax", {x, before_.Ints({-1})});  // (…, m, 1)
    Value* at =
        before_.Op("Expand", {before_.Unsqueeze(places, -2), before_.Op("Shape", {column})});
    return before_.Op("GatherElements", {x, at}, {{"axis", std::int64_t{-1}}});
  }
  Result<Values> Finished(Values results) {
    for (Value*& result : results) result = before_.Cast(result, dtype_);
    DRAGOMAN_TRY(before_.status());
    return results;
  }

  Node& node_;
  PassContext& context_;
  StepNodes before_;
  DType dtype_;
  std::int64_t rank_;
  Value *columns_ = nullptr, *padded_columns_ = nullptr;  // how many
  Value* places_ = nullptr;                               // 0, 1, … (m)
};

}  // namespace

Result<std::vector<Value*>> LowerSpectrum(Node& node, PassContext& context) {
  SpectrumLowering lowering(node, context);
  return node.IsDragoman("Svd") ? lowering.Svd() : lowering.SymmetricEigen();
}

}  // namespace dragoman
