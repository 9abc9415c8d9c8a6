// SPDX-License-Identifier: Apache-2.0
#include "core/ops/dft_formula.h"

#include <algorithm>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "core/ops/expansion_formula.h"
#include "core/ops/params.h"
#include "runtime/params/dft.h"

namespace dragoman {
namespace {

// Along the axis: how many terms are summed, and how many sums there are.
struct Sizes {
  Dim terms, result;
};
// The same, and the length of the transform, as i64[].
struct Numbers {
  Value *terms = nullptr, *whole = nullptr, *result = nullptr;
};

// nullopt: no constant. An absent operand is `absent`.
std::optional<std::int64_t> ConstantOr(const Node& node, std::size_t i, std::int64_t absent) {
  const Value* value = i < node.num_operands() ? node.operand(i) : nullptr;
  if (value == nullptr) return absent;
  if (value->tensor() == nullptr || value->tensor()->size() != 1) return std::nullopt;
  return value->tensor()->ToInts().front();
}

class DftFormula {
 public:
  // `length` as a number, if it is one; nullptr: the size of the axis.
  DftFormula(Node& node, const rt::DFTParams& params, int axis, Value* length,
             std::optional<std::int64_t> known_length)
      : f_(node), params_(params), axis_(axis), rank_(*f_.type().rank()) {
    dtype_ = f_.type().dtype();
    f_.set_type(f_.type().WithDType(DType::kF64));
    const Dim& size = (*f_.type().shape())[static_cast<std::size_t>(axis)];
    if (length == nullptr || known_length) {
      const Dim whole = known_length ? Dim(*known_length) : size;
      const Dim half = FloorDiv(whole, Dim(2)) + Dim(1);
      sizes_ = {length == nullptr ? size : Min(size, whole), params.onesided ? half : whole};
    } else if (const Shape* result = node.result()->type().shape()) {
      sizes_.result = (*result)[static_cast<std::size_t>(axis)];
    }
    is_cut_ = length != nullptr && sizes_.terms != size;
    MakeNumbers(size, length, known_length);
  }

  std::vector<Value*> Results() {
    MakeMatrices();
    const bool is_complex = f_.type().shape()->back() == Dim(2);
    Value* signal = f_.Cast(f_.x(), f_.type());
    Value* real_part = Part(signal, 0);
    Value* real = Product(real_part, cosines_);
    Value* imaginary = Product(real_part, sines_);
    if (is_complex) {
      Value* other = Part(signal, 1);
      const char* const plus = params_.inverse ? "Sub" : "Add";
      const char* const minus = params_.inverse ? "Add" : "Sub";
      real = f_.Add(plus, {real, Product(other, sines_)}, real->type());
      imaginary = f_.Add(minus, {Product(other, cosines_), imaginary}, real->type());
    } else if (!params_.inverse) {
      imaginary = f_.Add("Neg", {imaginary}, real->type());
    }
    Value* both = Joined(Back(real), Back(imaginary));
    if (params_.inverse) both = f_.Add("Div", {both, length_}, both->type());
    return std::vector{f_.Cast(both, both->type().WithDType(dtype_))};
  }

 private:
  static Type Scalar(DType dtype) { return Type::Tensor(dtype, Shape{}); }
  Value* Int(std::int64_t number) { return f_.Constant(Tensor::Int(number)); }
  Value* Add(std::string_view op, const std::vector<Value*>& operands, const Type& type,
             std::int64_t axis) {
    Value* value = f_.Add(op, operands, type);
    value->producer()->SetAttribute("axis", axis);
    return value;
  }

  Value* Number(std::string_view op, Value* a, Value* b) {
    return f_.Add(op, {a, b}, Scalar(DType::kI64));
  }
  void MakeNumbers(const Dim& size, Value* length, std::optional<std::int64_t> known_length) {
    Value* along = size.known() ? Int(size.value()) : nullptr;
    if (along == nullptr) {
      Value* sizes = f_.Add("Shape", {f_.x()}, Type::Tensor(DType::kI64, Shape{Dim(rank_)}));
      along = Number("Gather", sizes, Int(axis_));
    }
    numbers_ = {along, along, along};
    if (known_length) {
      numbers_.whole = Int(*known_length);
    } else if (length != nullptr) {
      length = f_.Cast(length, length->type().WithDType(DType::kI64));
      numbers_.whole = Number("Reshape", length, f_.Ints({}));
    }
    if (sizes_.terms.known()) {
      numbers_.terms = Int(sizes_.terms.value());
    } else if (length != nullptr) {
      numbers_.terms = Number("Min", along, numbers_.whole);
    }
    numbers_.result = numbers_.whole;
    if (sizes_.result.known()) {
      numbers_.result = Int(sizes_.result.value());
    } else if (params_.onesided) {
      numbers_.result = Number("Add", Number("Div", numbers_.whole, Int(2)), Int(1));
    }
  }
  // 0, 1, … below a size.
  Value* Places(Value* count, const Dim& size) {
    return f_.Add("Range", {Int(0), count, Int(1)}, Type::Tensor(DType::kI64, Shape{size}));
  }

  // cos and sin of 2π · term · place / length.
  void MakeMatrices() {
    const Type columns = Type::Tensor(DType::kI64, Shape{sizes_.terms, Dim(1)});
    const Type table = Type::Tensor(DType::kI64, Shape{sizes_.terms, sizes_.result});
    const Type angles = table.WithDType(DType::kF64);
    terms_ = Places(numbers_.terms, sizes_.terms);
    Value* terms = f_.Add("Unsqueeze", {terms_, f_.Ints({1})}, columns);
    Value* turns = f_.Add("Mul", {terms, Places(numbers_.result, sizes_.result)}, table);
    turns = f_.Cast(f_.Add("Mod", {turns, numbers_.whole}, table), angles);
    length_ = f_.Cast(numbers_.whole, Scalar(DType::kF64));
    Value* circle = f_.Constant(*Tensor::Full(DType::kF64, {}, 2 * std::numbers::pi));
    Value* unit = f_.Add("Div", {circle, length_}, Scalar(DType::kF64));
    Value* angle = f_.Add("Mul", {turns, unit}, angles);
    cosines_ = f_.Add("Cos", {angle}, angles);
    sines_ = f_.Add("Sin", {angle}, angles);
  }

  // The real or imaginary parts of the terms, with the axis last.
  Value* Part(Value* signal, std::int64_t which) {
    Shape shape(f_.type().shape()->begin(), f_.type().shape()->end() - 1);
    Value* part = Add("Gather", {signal, Int(which)}, Type::Tensor(DType::kF64, shape), -1);
    std::vector<std::int64_t> order = Axes();
    std::rotate(order.begin() + axis_, order.begin() + axis_ + 1, order.end());
    std::rotate(shape.begin() + axis_, shape.begin() + axis_ + 1, shape.end());
    part = Transposed(part, order, shape);
    if (!is_cut_) return part;
    shape.back() = sizes_.terms;
    const Type type = Type::Tensor(DType::kF64, std::move(shape));
    // By place, so that it has the size of the matrices by name.
    if (numbers_.whole->tensor() == nullptr) return Add("Gather", {part, terms_}, type, -1);
    Value* end = f_.Ints(numbers_.whole->tensor()->ToInts());
    return f_.Add("Slice", {part, f_.Ints({0}), end, f_.Ints({-1})}, type);
  }
  Value* Back(Value* x) {
    Shape shape = *x->type().shape();
    std::vector<std::int64_t> order = Axes();
    std::rotate(order.begin() + axis_, order.end() - 1, order.end());
    std::rotate(shape.begin() + axis_, shape.end() - 1, shape.end());
    return Transposed(x, order, std::move(shape));
  }
  std::vector<std::int64_t> Axes() const {
    std::vector<std::int64_t> axes(static_cast<std::size_t>(rank_ - 1));
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
  }
  Value* Transposed(Value* x, const std::vector<std::int64_t>& order, Shape shape) {
    if (std::is_sorted(order.begin(), order.end())) return x;
    Value* y = f_.Add("Transpose", {x}, Type::Tensor(DType::kF64, std::move(shape)));
    y->producer()->SetAttribute("perm", order);
    return y;
  }
  Value* Product(Value* x, Value* matrix) {
    Shape shape = *x->type().shape();
    shape.back() = sizes_.result;
    return f_.Add("MatMul", {x, matrix}, Type::Tensor(DType::kF64, std::move(shape)));
  }
  // Real and imaginary parts along a new last axis.
  Value* Joined(Value* real, Value* imaginary) {
    Shape shape = *real->type().shape();
    shape.push_back(Dim(1));
    const Type one = Type::Tensor(DType::kF64, shape);
    shape.back() = Dim(2);
    Value* axis = f_.Ints({-1});
    return Add(
        "Concat",
        {f_.Add("Unsqueeze", {real, axis}, one), f_.Add("Unsqueeze", {imaginary, axis}, one)},
        Type::Tensor(DType::kF64, std::move(shape)), -1);
  }

  ExpansionFormula f_;
  const rt::DFTParams params_;
  const std::int64_t axis_;
  const std::int64_t rank_;
  DType dtype_;
  Sizes sizes_;
  Numbers numbers_;
  bool is_cut_ = false;
  Value* terms_ = nullptr;  // 0, 1, … before their number
  Value *length_ = nullptr, *cosines_ = nullptr, *sines_ = nullptr;
};

}  // namespace

Result<std::vector<Value*>> ExpandDft(Node& node) {
  const Shape* shape = node.operand(0)->type().shape();
  if (shape == nullptr) return Unsupported("the rank of its operand is unknown");
  if (!shape->back().known()) return Unsupported("its signals may be real or complex");
  const std::optional<std::int64_t> axis = ConstantOr(node, 2, -2);
  if (!axis) return Unsupported("its axis is known at run time only");
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::DFTParams>(node));
  const auto along = static_cast<int>(*axis < 0 ? *axis + std::ssize(*shape) : *axis);
  Value* length = node.num_operands() > 1 ? node.operand(1) : nullptr;
  DftFormula formula(node, filled.As<rt::DFTParams>(), along, length,
                     length != nullptr ? ConstantOr(node, 1, -1) : std::nullopt);
  return formula.Results();
}

}  // namespace dragoman
