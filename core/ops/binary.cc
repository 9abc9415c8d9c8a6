// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of two tensors, or of any number, with NumPy's broadcasting.
#include "core/ops/activation_formula.h"
#include "core/ops/elements.h"
#include "core/ops/expansion_formula.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"
#include "runtime/params/bit_shift.h"
#include "runtime/params/mod.h"

namespace dragoman {
namespace {

// An operator of kernels/binary.h; types: the kernel's.
OpBuilder Broadcasting(std::string_view type, OpVersions versions, std::string_view signature,
                       std::string_view variables, InferFunction infer,
                       std::string_view types = "T") {
  return Op(type, versions, signature, variables)
      .Infer(std::move(infer))
      .Class(OpClass::kBroadcast)
      .Kernel({.header = "runtime/kernels/binary.h", .types = types});
}

template <ElementFunction function>
Status InferBinaryElements(InferContext& context) {
  DRAGOMAN_TRY(BroadcastAll(context));
  MapElements(context, function);
  return {};
}

Dim AddElement(const InferContext&, std::span<const Dim> x) { return x[0] + x[1]; }
Dim SubElement(const InferContext&, std::span<const Dim> x) { return x[0] - x[1]; }
Dim MulElement(const InferContext&, std::span<const Dim> x) { return x[0] * x[1]; }

bool BothPositive(const Dim& a, const Dim& b) {
  return RangeOf(a).lower >= 0 && RangeOf(b).lower >= 0 && Equal(b, Dim(0)) != Truth::kYes;
}

// Quotients round towards zero; floor division is the same where neither is negative.
Dim DivElement(const InferContext&, std::span<const Dim> x) {
  const Dim& a = x[0];
  const Dim& b = x[1];
  if (BothPositive(a, b)) return FloorDiv(a, b);
  if (!a.known() || !b.known() || b.value() == 0) return Dim::Unknown();
  return b.value() == -1 ? Dim(0) - a : Dim(a.value() / b.value());
}

Dim ModElement(const InferContext& context, std::span<const Dim> x) {
  const Dim& a = x[0];
  const Dim& b = x[1];
  if (BothPositive(a, b)) return Mod(a, b);
  if (!a.known() || !b.known() || b.value() == 0) return Dim::Unknown();
  if (b.value() == -1) return Dim(0);
  return context.params<rt::ModParams>().fmod ? Dim(a.value() % b.value()) : Mod(a, b);
}

Dim MaxElement(const InferContext&, std::span<const Dim> x) {
  Dim most = x[0];
  for (const Dim& other : x.subspan(1)) most = Max(most, other);
  return most;
}

Dim MinElement(const InferContext&, std::span<const Dim> x) {
  Dim least = x[0];
  for (const Dim& other : x.subspan(1)) least = Min(least, other);
  return least;
}

Dim SumElement(const InferContext&, std::span<const Dim> x) {
  Dim sum = x[0];
  for (const Dim& other : x.subspan(1)) sum = sum + other;
  return sum;
}

Dim AndElement(const InferContext&, std::span<const Dim> x) {
  const Truth a = ToTruth(x[0]);
  const Truth b = ToTruth(x[1]);
  if (a == Truth::kNo || b == Truth::kNo) return Dim(0);
  return a == Truth::kYes && b == Truth::kYes ? Dim(1) : Dim::Unknown();
}

Dim OrElement(const InferContext&, std::span<const Dim> x) {
  const Truth a = ToTruth(x[0]);
  const Truth b = ToTruth(x[1]);
  if (a == Truth::kYes || b == Truth::kYes) return Dim(1);
  return a == Truth::kNo && b == Truth::kNo ? Dim(0) : Dim::Unknown();
}

Dim XorElement(const InferContext&, std::span<const Dim> x) {
  const Truth a = ToTruth(x[0]);
  const Truth b = ToTruth(x[1]);
  if (a == Truth::kUnknown || b == Truth::kUnknown) return Dim::Unknown();
  return Dim(a != b ? 1 : 0);
}

Dim EqualElement(const InferContext&, std::span<const Dim> x) {
  return ToElement(Equal(x[0], x[1]));
}
Dim GreaterElement(const InferContext&, std::span<const Dim> x) {
  return ToElement(Less(x[1], x[0]));
}
Dim GreaterOrEqualElement(const InferContext&, std::span<const Dim> x) {
  return ToElement(LessEqual(x[1], x[0]));
}
Dim LessElement(const InferContext&, std::span<const Dim> x) { return ToElement(Less(x[0], x[1])); }
Dim LessOrEqualElement(const InferContext&, std::span<const Dim> x) {
  return ToElement(LessEqual(x[0], x[1]));
}

Status InferPRelu(InferContext& context) {
  DRAGOMAN_TRY(CheckBroadcastsTo(context, 1, 0));
  return SameTypeAsFirst(context);
}

OpBuilder Arithmetic(std::string_view type, OpVersions versions, InferFunction infer,
                     bool commutative = false) {
  OpBuilder op =
      Broadcasting(type, versions, "(A: T, B: T) -> (C: T)", "T: number complex", std::move(infer));
  return commutative ? std::move(op).Commutative() : std::move(op);
}

OpDef Logic(std::string_view type, OpVersions versions, InferFunction infer) {
  return Broadcasting(type, versions, "(A: bool, B: bool) -> (C: bool)", "", std::move(infer),
                      "bool")
      .Commutative();
}

OpDef Bitwise(std::string_view type, OpVersions versions) {
  return Broadcasting(type, versions, "(A: T, B: T) -> (C: T)", "T: int", BroadcastAll)
      .Commutative();
}

OpBuilder Comparison(std::string_view type, OpVersions versions, InferFunction infer) {
  return Broadcasting(type, versions, "(A: T, B: T) -> (C: bool)", "T: number", std::move(infer))
      .Facts({.ends_zeros = true});
}

using Values = std::vector<Value*>;

// Neither holds where an operand is NaN.
Result<Values> ExpandOrEqual(Node& node) {
  ExpansionFormula formula(node);
  formula.set_type(node.result()->type());
  const Values operands = {node.operand(0), node.operand(1)};
  Value* strictly = formula.Add(node.Is("GreaterOrEqual") ? "Greater" : "Less", operands);
  return Values{formula.Add("Or", {strictly, formula.Add("Equal", operands)})};
}

Result<Values> ExpandPRelu(Node& node) {
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * y, WithSlopeBelowZero(formula, node.operand(1)));
  return Values{y};
}

}  // namespace

std::vector<OpDef> BinaryOps() {
  return {
      Arithmetic("Add", {1, 14}, InferBinaryElements<AddElement>, true).Facts({.ends_zeros = true}),
      Logic("And", {1, 7}, InferBinaryElements<AndElement>),
      Broadcasting("BitShift", {11, 11}, "(X: T, Y: T) -> (Z: T)", "T: unsigned", BroadcastAll)
          .Attributes<rt::BitShiftParams>()
          .Required("direction"),
      Bitwise("BitwiseAnd", {18, 18}),
      Bitwise("BitwiseOr", {18, 18}),
      Bitwise("BitwiseXor", {18, 18}),
      Arithmetic("Div", {1, 14}, InferBinaryElements<DivElement>),
      Broadcasting("Equal", {1, 19}, "(A: T, B: T) -> (C: bool)", "T: number bool str complex",
                   InferBinaryElements<EqualElement>)
          .Facts({.ends_zeros = true})
          .Commutative(),
      Comparison("Greater", {1, 13}, InferBinaryElements<GreaterElement>),
      Comparison("GreaterOrEqual", {12, 16}, InferBinaryElements<GreaterOrEqualElement>)
          .Expand(ExpandOrEqual),
      Comparison("Less", {1, 13}, InferBinaryElements<LessElement>),
      Comparison("LessOrEqual", {12, 16}, InferBinaryElements<LessOrEqualElement>)
          .Expand(ExpandOrEqual),
      Broadcasting("Max", {1, 13}, "(data_0: T*) -> (max: T)", "T: number",
                   InferBinaryElements<MaxElement>)
          .Facts({.ends_zeros = true}),
      Broadcasting("Mean", {1, 13}, "(data_0: T*) -> (mean: T)", "T: float", BroadcastAll)
          .Facts({.ends_zeros = true}),
      Broadcasting("Min", {1, 13}, "(data_0: T*) -> (min: T)", "T: number",
                   InferBinaryElements<MinElement>)
          .Facts({.ends_zeros = true}),
      Broadcasting("Mod", {10, 13}, "(A: T, B: T) -> (C: T)", "T: number",
                   InferBinaryElements<ModElement>)
          .Attributes<rt::ModParams>(),
      Arithmetic("Mul", {1, 14}, InferBinaryElements<MulElement>, true).Facts({.ends_zeros = true}),
      Logic("Or", {1, 7}, InferBinaryElements<OrElement>),
      Broadcasting("PRelu", {1, 16}, "(X: T, slope: T) -> (Y: T)", "T: number", InferPRelu)
          .Expand(ExpandPRelu),
      Broadcasting("Pow", {1, 15}, "(X: T, Y: T1) -> (Z: T)", "T: number; T1: number", BroadcastAll,
                   "T T1"),
      Arithmetic("Sub", {1, 14}, InferBinaryElements<SubElement>).Facts({.ends_zeros = true}),
      Broadcasting("Sum", {1, 13}, "(data_0: T*) -> (sum: T)", "T: number",
                   InferBinaryElements<SumElement>)
          .Facts({.ends_zeros = true}),
      Logic("Xor", {1, 7}, InferBinaryElements<XorElement>),
  };
}

}  // namespace dragoman
