// SPDX-License-Identifier: Apache-2.0
// HannWindow, HammingWindow, BlackmanWindow: sums of cosines over one period.
#include <numbers>
#include <string>

#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {
namespace {

struct Window {
  std::string_view type;
  double constant;
  double first;   // of cos(2 pi n / N)
  double second;  // of cos(4 pi n / N)
};

constexpr Window kWindows[] = {
    {"BlackmanWindow", 0.42, -0.5, 0.08},
    {"HammingWindow", 25.0 / 46.0, -21.0 / 46.0, 0.0},
    {"HannWindow", 0.5, -0.5, 0.0},
};

}  // namespace

// In f64, then in the element type that is asked for. A symmetric window ends where the period
// does.
LoweredResults LowerWindow(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<std::int64_t> periodic, op.TakeInt("periodic"));
  DRAGOMAN_ASSIGN(std::optional<std::int64_t> asked, op.TakeInt("output_datatype"));
  const std::int64_t dtype = asked.value_or(static_cast<std::int64_t>(DType::kF32));
  if (!IsDTypeNumber(dtype)) return op.Invalid("output_datatype is " + std::to_string(dtype));
  DRAGOMAN_TRY(op.Require({0}));
  const Window* window = kWindows;
  while (window->type != op.source.op().type) ++window;
  OpComposer f(op);
  Value* one = f.Int(1);
  Value* size = f.Cast(op.operand(0), DType::kI64);
  Value* n = f.Cast(f.Iota(size), DType::kF64);
  Value* period = periodic.value_or(1) != 0 ? size : f.Op("Sub", {size, one});
  Value* turns = f.Op("Div", {n, f.Cast(period, DType::kF64)});
  Value* sum = f.Number(window->constant, n);
  int harmonic = 0;
  for (const double factor : {window->first, window->second}) {
    ++harmonic;
    if (factor == 0) continue;
    Value* angle = f.Op("Mul", {turns, f.Number(2 * harmonic * std::numbers::pi, n)});
    sum = f.Op("Add", {sum, f.Op("Mul", {f.Op("Cos", {angle}), f.Number(factor, n)})});
  }
  return f.Finish({f.NamedCast(sum, static_cast<DType>(dtype), op.ResultName(0))});
}

}  // namespace dragoman
