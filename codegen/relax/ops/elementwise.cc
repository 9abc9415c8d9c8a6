// Elementwise operators. Relax takes operands of equal element types only, and binary operators on
// bool pass with the left one's type: ONNX allows nothing else, so they go through as they are.
#include <array>
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
  return std::vector<std::string>{fmt::format("R.{}({})", function, arguments)};
}

}  // namespace

Expressions EmitUnary(RelaxOp& op) { return Call(op, RelaxName(op.node.op().type)); }

Expressions EmitFloatUnary(RelaxOp& op) {
  if (!IsFloating(op.dtype())) return op.Refuse("the operator takes floating-point operands only");
  return EmitUnary(op);
}

Expressions EmitBinary(RelaxOp& op) { return Call(op, RelaxName(op.node.op().type)); }

// Max, Min, Sum and Mean as chains of the binary operator.
Expressions EmitVariadic(RelaxOp& op) {
  const std::string& type = op.node.op().type;
  const bool mean = type == "Mean";
  const std::string function = RelaxName(mean ? "Sum" : type);
  std::string so_far = op.arg(0);
  for (std::size_t i = 1; i < op.node.num_operands(); ++i) {
    const std::string next = fmt::format("R.{}({}, {})", function, so_far, op.arg(i));
    const bool last = i + 1 == op.node.num_operands() && !mean;
    so_far = last ? next : op.bind(next, {});
  }
  if (mean)
    so_far = fmt::format("R.divide({}, {})", so_far,
                         op.Const(static_cast<double>(op.node.num_operands())));
  return std::vector<std::string>{so_far};
}

Expressions EmitBitShift(RelaxOp& op) {
  return Call(op, op.String("direction", "") == "RIGHT" ? "right_shift" : "left_shift");
}

// Relax truncates and wraps as the target does; ONNX leaves out-of-range values open, so that is no
// difference that can be told.
Expressions EmitCast(RelaxOp& op) {
  const std::string_view to = RelaxDType(op.result_type().dtype());
  if (to.empty() || RelaxDType(op.dtype()).empty()) return op.Refuse("it has no such element type");
  return std::vector<std::string>{fmt::format("R.astype({}, dtype=\"{}\")", op.arg(0), to)};
}

Expressions EmitClip(RelaxOp& op) {
  std::string value = op.arg(0);
  if (op.has(1))
    value = op.bind(fmt::format("R.maximum({}, {})", value, op.arg(1)), op.result_type());
  if (op.has(2))
    value = op.bind(fmt::format("R.minimum({}, {})", value, op.arg(2)), op.result_type());
  return std::vector<std::string>{value};
}

// ONNX: the divisor's sign, as floor_mod; with fmod the dividend's, as mod.
Expressions EmitMod(RelaxOp& op) { return Call(op, op.Int("fmod", 0) != 0 ? "mod" : "floor_mod"); }

Expressions EmitPow(RelaxOp& op) {
  if (!IsFloating(op.dtype(0))) return op.Refuse("power takes floating-point operands only");
  if (op.dtype(0) == op.dtype(1)) return Call(op, "power");
  const std::string exponent =
      op.bind(fmt::format("R.astype({}, dtype=\"{}\")", op.arg(1), RelaxDType(op.dtype(0))),
              op.type(1).WithDType(op.dtype(0)));
  return std::vector<std::string>{fmt::format("R.power({}, {})", op.arg(0), exponent)};
}

Expressions EmitWhere(RelaxOp& op) { return Call(op, "where"); }

}  // namespace dragoman::relax
