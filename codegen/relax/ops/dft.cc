// DFT: by its definition, as products with matrices of cosines and sines, in f64.
#include <algorithm>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codegen/relax/ops/emitters.h"
#include "codegen/relax/ops/runtime_sizes.h"

namespace dragoman::relax {
namespace {

// Sizes along the axis: of the signal that is transformed, of the transform, of the result.
struct Lengths {
  Dim terms, whole, result;
};

Result<Lengths> LengthsOf(const RelaxOp& op, std::size_t axis) {
  DRAGOMAN_ASSIGN(Shape x, op.shape(0));
  DRAGOMAN_ASSIGN(Shape y, op.result_shape());
  Lengths lengths{x[axis], x[axis], y[axis]};
  if (op.node.num_operands() < 2 || !op.has(1)) return lengths;
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> stated, op.KnownInts(1));
  lengths.whole = Dim(stated.front());
  lengths.terms = Min(x[axis], lengths.whole);
  return lengths;
}

class Transform {
 public:
  Transform(RelaxOp& op, std::size_t rank, std::size_t axis)
      : op_(op), rank_(rank), axis_(axis), inverse_(op.Int("inverse") != 0) {}

  Expressions Run(const Lengths& lengths, bool is_complex) {
    const std::optional<std::string> terms = DimText(lengths.terms, op_.symbols);
    const std::optional<std::string> whole = DimText(lengths.whole, op_.symbols);
    const std::optional<std::string> count = DimText(lengths.result, op_.symbols);
    if (!terms || !whole || !count) return op_.Refuse("a size is known at run time only");
    MakeMatrices(*terms, *whole, *count);
    const std::string re = Part(0, *terms), im = is_complex ? Part(1, *terms) : "";
    const char* const real_sign = inverse_ ? "subtract" : "add";
    const char* const imaginary_sign = inverse_ ? "add" : "subtract";
    std::string real = Product(re, cosines_), imaginary = Product(re, sines_);
    if (is_complex) {
      real = op_.Do(real_sign, real, Product(im, sines_));
      imaginary = op_.Do(imaginary_sign, Product(im, cosines_), imaginary);
    } else if (!inverse_) {
      imaginary = op_.Do("negative", imaginary);
    }
    const std::string both = op_.BindPlain(
        fmt::format("R.stack(({}, {}), axis={})", Back(real), Back(imaginary), rank_ - 1));
    const std::string scaled = inverse_ ? op_.Do("divide", both, length_) : both;
    return One(op_.Astype(scaled, DType::kF64, op_.dtype()));
  }

 private:
  // cos and sin of 2π · term · place / length.
  void MakeMatrices(const std::string& terms, const std::string& whole, const std::string& count) {
    const std::string rows =
        op_.BindPlain(fmt::format("R.expand_dims({}, axis=[1])", Places(op_, terms)));
    const std::string size = op_.Do("size", Places(op_, whole));
    const std::string turns = op_.Do("multiply", rows, Places(op_, count));
    const std::string within = op_.Do("floor_mod", turns, size);
    length_ = op_.Astype(size, DType::kI64, DType::kF64);
    const std::string unit = op_.Do("divide", ConstOf(2 * std::numbers::pi, DType::kF64), length_);
    const std::string angles =
        op_.Do("multiply", op_.Astype(within, DType::kI64, DType::kF64), unit);
    cosines_ = op_.Do("cos", angles);
    sines_ = op_.Do("sin", angles);
  }

  // The real or imaginary part in f64, its axis last.
  std::string Part(int which, const std::string& terms) {
    const std::string wide = op_.ArgAs(0, DType::kF64);
    const std::string cut = op_.BindPlain(
        fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", wide, Places(op_, terms), axis_));
    const std::string part = op_.BindPlain(
        fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", cut, Int64Const(which), rank_ - 1));
    std::vector<std::int64_t> axes(rank_ - 1);
    std::iota(axes.begin(), axes.end(), 0);
    std::rotate(axes.begin() + static_cast<std::ptrdiff_t>(axis_),
                axes.begin() + static_cast<std::ptrdiff_t>(axis_) + 1, axes.end());
    return op_.BindPlain(fmt::format("R.permute_dims({}, axes={})", part, ListText(axes)));
  }
  std::string Back(const std::string& x) {
    std::vector<std::int64_t> axes(rank_ - 1);
    std::iota(axes.begin(), axes.end(), 0);
    std::rotate(axes.begin() + static_cast<std::ptrdiff_t>(axis_), axes.end() - 1, axes.end());
    return op_.BindPlain(fmt::format("R.permute_dims({}, axes={})", x, ListText(axes)));
  }
  std::string Product(const std::string& x, const std::string& matrix) {
    return op_.BindPlain(fmt::format("R.matmul({}, {}, out_dtype=None)", x, matrix));
  }

  RelaxOp& op_;
  const std::size_t rank_, axis_;
  const bool inverse_;
  std::string length_, cosines_, sines_;
};

}  // namespace

Expressions EmitDft(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape x, op.shape(0));
  std::int64_t axis = -2;
  if (op.node.num_operands() > 2 && op.has(2)) {
    DRAGOMAN_ASSIGN(std::vector<std::int64_t> stated, op.KnownInts(2));
    axis = stated.front();
  }
  if (axis < 0) axis += static_cast<std::int64_t>(x.size());
  if (!x.back().known()) return op.Refuse("signals that may be real or complex");
  const auto along = static_cast<std::size_t>(axis);
  DRAGOMAN_ASSIGN(Lengths lengths, LengthsOf(op, along));
  return Transform(op, x.size(), along).Run(lengths, x.back() == Dim(2));
}

}  // namespace dragoman::relax
