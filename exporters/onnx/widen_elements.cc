// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/widen_elements.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

using Types = std::uint32_t;  // a set of element types, by number

constexpr Types Set(std::initializer_list<DType> types) {
  Types set = 0;
  for (DType type : types) set |= Types{1} << static_cast<int>(type);
  return set;
}

bool Has(Types set, DType type) { return (set & Set({type})) != 0; }

constexpr Types kBool = Set({DType::kBool});
constexpr Types kBytes = Set({DType::kI8, DType::kU8});
constexpr Types kShorts = Set({DType::kI16, DType::kU16});
constexpr Types kHalves = Set({DType::kF16});
constexpr Types kWords = Set({DType::kU32, DType::kU64});  // without sign

// What an operator lacks: in ONNX, or on the CPU in ONNX Runtime 1.31.
struct Row {
  std::string_view op;
  Types lacks;
  bool ordered = false;             // numbers are compared, so all of their bits count
  DType through = DType::kUnknown;  // the type to compute in, where it is no wider integer
};

constexpr Row kRows[] = {
    {"ArgMax", kShorts | kWords, true},
    {"ArgMin", kShorts | kWords, true},
    {"BitShift", Set({DType::kU16}), false, DType::kU32},
    {"Clip", kShorts, true},
    {"CumSum", kBytes | kShorts | kWords},
    {"DepthToSpace", kBool | kShorts | Set({DType::kI32, DType::kU32}), false, DType::kF64},
    {"Einsum", kBytes | kShorts | kWords},
    {"Max", kShorts, true},
    {"Min", kShorts, true},
    {"Neg", kWords | Set({DType::kU8, DType::kU16})},
    {"NonZero", kShorts | kWords | Set({DType::kI8, DType::kF64}), false, DType::kBool},
    {"PRelu", kBytes | kShorts},
    {"Pad", kShorts},
    {"Pow", kBytes | kShorts | kWords},
    {"ReduceL1", kBytes | kShorts | kWords},
    {"ReduceL2", kBytes | kShorts | kWords},
    {"ReduceMax", kShorts | kWords, true},
    {"ReduceMean", kBytes | kShorts | kWords, true},
    {"ReduceMin", kShorts | kWords, true},
    {"ReduceProd", kBytes | kShorts | kWords},
    {"ReduceSum", kBytes | kShorts | kWords},
    {"ReduceSumSquare", kBytes | kShorts | kWords},
    {"Relu", Set({DType::kI16})},
    {"RoiAlign", kHalves, false, DType::kF32},
    {"ScatterElements", kHalves, false, DType::kF32},
    {"ScatterND", kHalves, false, DType::kF32},
    {"SpaceToDepth", kBool | kShorts | Set({DType::kI32, DType::kU32}), false, DType::kF64},
    {"TopK", kWords | Set({DType::kU16}), true},
    {"Trilu", kBytes | kShorts | kWords},
    {"Unique", kBool | kShorts | kWords | Set({DType::kU8, DType::kI32}), true},
    {"Where", kBool | kShorts | Set({DType::kU64})},
};

// The type to compute in; `dtype` itself where nothing is lacking, or none would do.
DType WideType(const Row& row, DType dtype) {
  if (!Has(row.lacks, dtype)) return dtype;
  if (row.through != DType::kUnknown) return row.through;
  if (Info(dtype).bits < 32 && !Has(row.lacks, DType::kI32)) return DType::kI32;
  return row.ordered && dtype == DType::kU64 ? dtype : DType::kI64;
}

Value* CastBefore(Value* value, DType to, Node* position, Graph& graph) {
  Value* const operands[] = {value};
  Node* cast = graph.Insert(position, InternOp("onnx", "Cast"), operands);
  cast->SetAttribute("to", static_cast<std::int64_t>(to));
  return cast->AddResult("", value->type().WithDType(to));
}

// A Cast after the node takes the name and the readers of a result that gets type `wide`.
void CastBehind(Value* result, DType wide, Node& node) {
  const Type type = result->type();
  Value* const operands[] = {result};
  Node* back = node.graph()->Insert(node.next(), InternOp("onnx", "Cast"), operands);
  back->set_origin(node.origin());
  back->SetAttribute("to", static_cast<std::int64_t>(type.dtype()));
  Value* narrow = back->AddResult(result->name(), type);
  result->ReplaceAllUsesWith(narrow);
  back->set_operand(0, result);
  result->set_name("");
  result->set_type(type.WithDType(wide));
}

// The operands and results whose element type is the variable of the signature.
void ComputeIn(DType wide, int variable, const Signature& signature, Node& node) {
  const auto of_variable = [&](const Formal* formal) {
    return formal != nullptr && formal->variable == variable;
  };
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    if (node.operand(i) != nullptr && of_variable(signature.Operand(i)))
      node.set_operand(i, CastBefore(node.operand(i), wide, &node, *node.graph()));
  }
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr && of_variable(signature.ResultAt(i)))
      CastBehind(node.result(i), wide, node);
  }
}

void WidenByRow(const Row& row, Node& node) {
  const Signature& signature = FindOp(node)->signature;
  int variable = signature.ResultAt(0)->variable;
  if (variable < 0) variable = signature.Operand(0)->variable;  // results are indices
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    if (signature.Operand(i)->variable != variable) continue;
    const DType dtype = node.operand(i)->type().dtype();
    const DType wide = WideType(row, dtype);
    if (wide != dtype) ComputeIn(wide, variable, signature, node);
    return;
  }
}

// In place of `node`, of operator `type`; its result keeps its name.
Node* Become(Node& node, std::string_view type, std::vector<Value*> operands) {
  Node* made = node.graph()->Insert(&node, InternOp("onnx", type), operands, node.name());
  made->set_origin(node.origin());
  node.result()->ReplaceAllUsesWith(made->AddResult(node.result()->name(), node.result()->type()));
  node.graph()->Erase(&node);
  return made;
}

void AddOneByOne(Node& sum) {
  Value* so_far = sum.operand(0);
  if (sum.num_operands() == 1) {
    Become(sum, "Identity", {so_far});
    return;
  }
  for (std::size_t i = 1; i + 1 < sum.num_operands(); ++i) {
    Value* const operands[] = {so_far, sum.operand(i)};
    Node* add = sum.graph()->Insert(&sum, InternOp("onnx", "Add"), operands);
    so_far = add->AddResult("", Type::Tensor(sum.result()->type().dtype()));
  }
  Become(sum, "Add", {so_far, sum.operand(sum.num_operands() - 1)});
}

// Of numbers that have no kernel of Relu.
void SpellRelu(Node& node) {
  const DType dtype = node.operand(0)->type().dtype();
  if (IsInteger(dtype) && !Info(dtype).is_signed) {
    Become(node, "Identity", {node.operand(0)});
  } else if (dtype == DType::kI64) {
    const std::int64_t zeros[] = {0};
    Value* zero = node.graph()->AddConstant(node.result()->name() + ".zero",
                                            Tensor::Of<std::int64_t>({}, zeros));
    Become(node, "Max", {node.operand(0), zero});
  }
}

void CastOperand(std::size_t i, DType to, Node& node) {
  if (node.operand(i)->type().dtype() != to)
    node.set_operand(i, CastBefore(node.operand(i), to, &node, *node.graph()));
}

// Of the operand only the sizes are read.
void SpellEyeLike(Node& node) {
  constexpr Types kTaken = Set({DType::kF32, DType::kF64, DType::kI32, DType::kI64, DType::kU64});
  if (!Has(kTaken, node.operand(0)->type().dtype())) CastOperand(0, DType::kF32, node);
  if (Has(kTaken, node.result()->type().dtype())) return;
  CastBehind(node.result(), DType::kF32, node);
  node.SetAttribute("dtype", static_cast<std::int64_t>(DType::kF32));
}

// ONNX Runtime has it of few triples of element types, one of them for numbers of each kind.
void SpellOneHot(Node& node) {
  const DType type = node.operand(2)->type().dtype();
  if (type == DType::kF64) return;
  CastOperand(0, DType::kI64, node);
  CastOperand(1, DType::kI64, node);
  if (type == DType::kI64 || type == DType::kF32 || type == DType::kString) return;
  const DType wide = IsFloating(type) ? DType::kF32 : DType::kI64;
  CastOperand(2, wide, node);
  CastBehind(node.result(), wide, node);
}

// The exponent has a type of its own.
void SpellExponent(Node& node) {
  const DType type = node.operand(1)->type().dtype();
  if (type == DType::kU64) return CastOperand(1, DType::kF64, node);
  if (Has(kBytes | kShorts | kWords, type)) CastOperand(1, DType::kI64, node);
}

// By name: what takes bfloat16 in ONNX Runtime, as only its releases show, or states the
// element type of its result. All else is computed in float32 and rounded once, as our kernels do.
// clang-format off
constexpr std::string_view kTakeBFloat16[] = {
    "Bernoulli", "Cast", "CastLike", "Concat", "EyeLike", "Flatten", "Gather", "GatherElements",
    "GatherND", "Identity", "Multinomial", "RandomNormalLike", "RandomUniformLike", "Reshape",
    "Shape", "Sign", "Slice", "Split", "Squeeze", "Transpose",
    "Unsqueeze"};
// clang-format on

// One that puts elements where others were, which ONNX Runtime does with any.
bool IsPlainScatter(const Node& node) {
  return (node.Is("ScatterElements") || node.Is("ScatterND")) &&
         TextAttribute(node, "reduction") == "none";
}

bool IsBFloat16(const Value* value) {
  return value != nullptr && value->type().is_tensor() && value->type().dtype() == DType::kBF16;
}

void ComputeBFloat16(Node& node) {
  if (node.op().dialect != "onnx" || !node.subgraphs().empty() || IsPlainScatter(node)) return;
  if (std::ranges::find(kTakeBFloat16, node.op().type) != std::end(kTakeBFloat16)) return;
  bool takes = false;
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    if (!IsBFloat16(node.operand(i))) continue;
    node.set_operand(i, CastBefore(node.operand(i), DType::kF32, &node, *node.graph()));
    takes = true;
  }
  for (std::size_t i = 0; takes && i < node.num_results(); ++i) {
    if (IsBFloat16(node.result(i))) CastBehind(node.result(i), DType::kF32, node);
  }
}

void Widen(Node& node, BFloat16 bfloat16) {
  if (bfloat16 == BFloat16::kWidened) ComputeBFloat16(node);
  const auto* row = std::ranges::find_if(kRows, [&](const Row& r) { return node.Is(r.op); });
  if (row != std::end(kRows) && !IsPlainScatter(node)) WidenByRow(*row, node);
  if (node.Is("EyeLike")) return SpellEyeLike(node);
  if (node.Is("OneHot")) return SpellOneHot(node);
  if (node.Is("Pow")) return SpellExponent(node);
  if (node.Is("Relu")) return SpellRelu(node);
  if (node.Is("Sum") && IsInteger(node.result()->type().dtype())) AddOneByOne(node);
}

}  // namespace

void WidenElements(Graph& entry, BFloat16 bfloat16) {
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) Widen(node, bfloat16);
  });
}

}  // namespace dragoman
