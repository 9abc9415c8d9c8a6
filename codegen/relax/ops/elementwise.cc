// Elementwise operators. Relax takes operands of equal element types only, which ONNX demands too.
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codegen/relax/ops/emitters.h"

namespace dragoman::relax {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

// ONNX's name and Relax's, where they differ by more than case.
constexpr std::array kRelaxNames = {
    Names{"And", "logical_and"},
    Names{"BitwiseAnd", "bitwise_and"},
    Names{"BitwiseNot", "bitwise_not"},
    Names{"BitwiseOr", "bitwise_or"},
    Names{"BitwiseXor", "bitwise_xor"},
    Names{"Div", "divide"},
    Names{"GreaterOrEqual", "greater_equal"},
    Names{"LessOrEqual", "less_equal"},
    Names{"Max", "maximum"},
    Names{"Min", "minimum"},
    Names{"Mul", "multiply"},
    Names{"Neg", "negative"},
    Names{"Not", "logical_not"},
    Names{"Or", "logical_or"},
    Names{"Sub", "subtract"},
    Names{"Sum", "add"},
    Names{"Xor", "logical_xor"},
};

std::string RelaxName(std::string_view type) {
  for (const Names& names : kRelaxNames) {
    if (names.first == type) return std::string(names.second);
  }
  std::string lower;
  for (char c : type) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower;
}

Expressions Call(const RelaxOp& op, std::string_view function) {
  std::string arguments;
  for (std::size_t i = 0; i < op.node.num_operands(); ++i)
    arguments += (i > 0 ? ", " : "") + op.arg(i);
  return One(fmt::format("R.{}({})", function, arguments));
}

bool IsUnsigned(DType dtype) { return IsInteger(dtype) && !Info(dtype).is_signed; }

bool IsEightBitFloat(DType dtype) { return IsFloating(dtype) && Info(dtype).bits == 8; }

}  // namespace

Expressions EmitUnary(RelaxOp& op) { return Call(op, RelaxName(op.node.op().type)); }

Expressions EmitSigned(RelaxOp& op) {
  if (IsUnsigned(op.dtype())) return op.Refuse("the operator takes signed operands only");
  return EmitUnary(op);
}

Expressions EmitFloatUnary(RelaxOp& op) {
  if (!IsFloating(op.dtype())) return op.Refuse("the operator takes floating-point operands only");
  return EmitUnary(op);
}

Expressions EmitBinary(RelaxOp& op) {
  if (op.dtype(0) != op.dtype(1)) return op.Refuse("operands of different element types");
  return Call(op, RelaxName(op.node.op().type));
}

// Max, Min, Sum and Mean as chains of the binary operator.
Expressions EmitVariadic(RelaxOp& op) {
  const std::string& type = op.node.op().type;
  const bool mean = type == "Mean";
  const std::string function = RelaxName(mean ? "Sum" : type);
  std::string so_far = op.arg(0);
  for (std::size_t i = 1; i < op.node.num_operands(); ++i) {
    const std::string next = fmt::format("R.{}({}, {})", function, so_far, op.arg(i));
    const bool last = i + 1 == op.node.num_operands() && !mean;
    so_far = last ? next : op.BindPlain(next);
  }
  if (!mean) return One(so_far);
  return One(fmt::format("R.divide({}, {})", so_far,
                         op.Const(static_cast<double>(op.node.num_operands()))));
}

Expressions EmitBitShift(RelaxOp& op) {
  return Call(op, op.String("direction", "") == "RIGHT" ? "right_shift" : "left_shift");
}

// To bool by comparison, so that NaN is true as in ONNX. What does not fit the new type is left
// open by ONNX, but for 8-bit floats, which saturate there.
Expressions EmitCast(RelaxOp& op) {
  const DType from = op.dtype();
  const DType to = op.result_type().dtype();
  if (RelaxDType(to).empty() || RelaxDType(from).empty())
    return op.Refuse("it has no such element type");
  if (from == to) return One(op.arg(0));
  if (IsEightBitFloat(from) || IsEightBitFloat(to)) return op.Refuse("casts of 8-bit floats");
  if (to == DType::kBool) return One(fmt::format("R.not_equal({}, {})", op.arg(0), op.Const(0)));
  return One(fmt::format("R.astype({}, dtype=\"{}\")", op.arg(0), RelaxDType(to)));
}

Expressions EmitClip(RelaxOp& op) {
  std::string value = op.arg(0);
  if (op.has(1)) value = op.BindLike(fmt::format("R.maximum({}, {})", value, op.arg(1)));
  if (op.has(2)) value = fmt::format("R.minimum({}, {})", value, op.arg(2));
  return One(value);
}

// ONNX: the divisor's sign, as floor_mod; with fmod the dividend's, as mod.
Expressions EmitMod(RelaxOp& op) {
  const bool truncated = op.Int("fmod", 0) != 0;
  if (!truncated && IsFloating(op.dtype())) return op.Refuse("floats need fmod");
  return Call(op, truncated ? "mod" : "floor_mod");
}

Expressions EmitPow(RelaxOp& op) {
  if (!IsFloating(op.dtype(0))) return op.Refuse("power takes floating-point operands only");
  if (op.dtype(0) == op.dtype(1)) return Call(op, "power");
  if (IsFloating(op.dtype(1)) && Info(op.dtype(1)).bits >= Info(op.dtype(0)).bits)
    return op.Refuse("an exponent of a wider element type");
  const std::string exponent =
      op.bind(fmt::format("R.astype({}, dtype=\"{}\")", op.arg(1), RelaxDType(op.dtype(0))),
              op.type(1).WithDType(op.dtype(0)));
  return One(fmt::format("R.power({}, {})", op.arg(0), exponent));
}

Expressions EmitWhere(RelaxOp& op) { return Call(op, "where"); }

Expressions EmitIsInf(RelaxOp& op) {
  const bool negative = op.Int("detect_negative", 1) != 0;
  const bool positive = op.Int("detect_positive", 1) != 0;
  if (negative && positive) return One(fmt::format("R.isinf({})", op.arg(0)));
  if (!negative && !positive) return op.Refuse("neither infinity is looked for");
  const double wanted = positive ? HUGE_VAL : -HUGE_VAL;
  return One(fmt::format("R.equal({}, {})", op.arg(0), op.Const(wanted)));
}

}  // namespace dragoman::relax
