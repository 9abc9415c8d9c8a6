// SPDX-License-Identifier: Apache-2.0
// Complex numbers, which common graphs have as pairs along a last axis, and Fourier transforms.
#include "exporters/pt2/ops/op_rows.h"

#include <utility>

#include "core/ir/wide_float.h"

namespace dragoman::pt2 {
namespace {

Term AsComplex(const AtenOp& op, const Term& pairs) {
  const Term dense = op.Unary("aten.contiguous.default", pairs);
  Shape shape = pairs.shape;
  shape.pop_back();
  return op.Call("aten.view_as_complex.default", {{"self", dense}},
                 {pairs.dtype == DType::kF64 ? DType::kC128 : DType::kC64, std::move(shape)});
}

Term AsPairs(const AtenOp& op, const Term& x) {
  Shape shape = x.shape;
  shape.emplace_back(2);
  return op.Call("aten.view_as_real.default", {{"self", x}},
                 {x.dtype == DType::kC128 ? DType::kF64 : DType::kF32, std::move(shape)});
}

Emitted EmitComplexToReal(AtenOp& op) { return One(AsPairs(op, op.arg(0))); }

Emitted EmitRealToComplex(AtenOp& op) { return One(AsComplex(op, op.arg(0))); }

// The last axis holds one number or two; the result always two.
Emitted EmitDft(AtenOp& op) {
  const TermType result = op.result();
  std::int64_t axis = op.rank() - 2;
  if (op.has(2)) {
    DRAGOMAN_ASSIGN(const Ints stated, op.KnownInts(2));
    axis = stated.at(0) < 0 ? stated.at(0) + op.rank() : stated.at(0);
  }
  ArgumentValue length = kNone;
  if (op.has(1)) {
    DRAGOMAN_ASSIGN(const Ints stated, op.KnownInts(1));
    length = stated.at(0);
  }
  const DType compute = WideFloat(result.dtype);
  const Term x = op.Cast(op.arg(0), compute);
  const Dim& parts = x.shape.back();
  if (!parts.known()) return op.Refuse("numbers that may be real or complex");
  const bool is_real = parts.value() == 1;
  if (op.Int("onesided") != 0 && op.Int("inverse") != 0)
    return op.Refuse("a one-sided inverse transform");
  const Term signal = is_real ? op.Select(x, x.rank() - 1, 0) : AsComplex(op, x);
  const std::string_view target = op.Int("inverse") != 0    ? "aten.fft_ifft.default"
                                  : op.Int("onesided") != 0 ? "aten.fft_rfft.default"
                                                            : "aten.fft_fft.default";
  const Shape shape(result.shape.begin(), result.shape.end() - 1);
  const Term spectrum = op.Call(target, {{"self", signal}, {"n", length}, {"dim", axis}},
                                {compute == DType::kF64 ? DType::kC128 : DType::kC64, shape});
  return One(op.Cast(AsPairs(op, spectrum), result.dtype));
}

}  // namespace

std::span<const Row> ComplexRows() {
  static constexpr Row kRows[] = {
      {"DFT", EmitDft},
      {"dragoman.ComplexToReal", EmitComplexToReal},
      {"dragoman.RealToComplex", EmitRealToComplex},
  };
  return kRows;
}

}  // namespace dragoman::pt2
