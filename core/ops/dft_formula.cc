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

// Along the axis: how many terms are summed, the length of the transform, how many sums there are.
struct Lengths {
  Dim terms, whole, result;
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
  DftFormula(Node& node, const rt::DFTParams& params, int axis, std::optional<std::int64_t> length)
      : f_(node), params_(params), axis_(axis), rank_(*f_.type().rank()) {
    dtype_ = f_.type().dtype();
    f_.set_type(f_.type().WithDType(DType::kF64));
    const Dim& size = (*f_.type().shape())[static_cast<std::size_t>(axis)];
    lengths_.whole = length ? Dim(*length) : size;
    lengths_.terms = length ? Min(size, lengths_.whole) : size;
    const Dim half = FloorDiv(lengths_.whole, Dim(2)) + Dim(1);
    lengths_.result = params.onesided ? half : lengths_.whole;
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

  // A size as i64[].
  Value* Number(const Dim& size) {
    if (size.known()) return Int(size.value());
    Value* sizes = f_.Add("Shape", {f_.x()}, Type::Tensor(DType::kI64, Shape{Dim(rank_)}));
    Value* along = f_.Add("Gather", {sizes, Int(axis_)}, Scalar(DType::kI64));
    if (size == lengths_.whole) return along;
    // `size` is the smaller one of the two, or one more than half of them.
    if (size == lengths_.terms)
      return f_.Add("Min", {along, Int(lengths_.whole.value())}, Scalar(DType::kI64));
    Value* half = f_.Add("Div", {along, Int(2)}, Scalar(DType::kI64));
    return f_.Add("Add", {half, Int(1)}, Scalar(DType::kI64));
  }
  // 0, 1, … below `size`.
  Value* Places(const Dim& size) {
    return f_.Add("Range", {Int(0), Number(size), Int(1)}, Type::Tensor(DType::kI64, Shape{size}));
  }

  // cos and sin of 2π · term · place / length.
  void MakeMatrices() {
    const Type columns = Type::Tensor(DType::kI64, Shape{lengths_.terms, Dim(1)});
    const Type table = Type::Tensor(DType::kI64, Shape{lengths_.terms, lengths_.result});
    const Type angles = table.WithDType(DType::kF64);
    Value* terms = f_.Add("Unsqueeze", {Places(lengths_.terms), f_.Ints({1})}, columns);
    Value* turns = f_.Add("Mul", {terms, Places(lengths_.result)}, table);
    Value* whole = Number(lengths_.whole);
    turns = f_.Cast(f_.Add("Mod", {turns, whole}, table), angles);
    length_ = f_.Cast(whole, Scalar(DType::kF64));
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
    if (shape.back() == lengths_.terms) return part;
    shape.back() = lengths_.terms;
    Value* end = f_.Ints({lengths_.whole.value()});
    return f_.Add("Slice", {part, f_.Ints({0}), end, f_.Ints({-1})},
                  Type::Tensor(DType::kF64, std::move(shape)));
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
    shape.back() = lengths_.result;
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
  Lengths lengths_;
  Value *length_ = nullptr, *cosines_ = nullptr, *sines_ = nullptr;
};

}  // namespace

Result<std::vector<Value*>> ExpandDft(Node& node) {
  const Shape* shape = node.operand(0)->type().shape();
  if (shape == nullptr) return Unsupported("the rank of its operand is unknown");
  if (!shape->back().known()) return Unsupported("its signals may be real or complex");
  const std::optional<std::int64_t> length = ConstantOr(node, 1, -1);
  const std::optional<std::int64_t> axis = ConstantOr(node, 2, -2);
  if (!length || !axis) return Unsupported("its axis or length is known at run time only");
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::DFTParams>(node));
  const auto along = static_cast<int>(*axis < 0 ? *axis + std::ssize(*shape) : *axis);
  const bool is_stated = node.num_operands() > 1 && node.operand(1) != nullptr;
  DftFormula formula(node, filled.As<rt::DFTParams>(), along, is_stated ? length : std::nullopt);
  return formula.Results();
}

}  // namespace dragoman
