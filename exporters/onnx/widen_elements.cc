// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/widen_elements.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dragoman {
namespace {

// What ONNX lacks for an operator, and how many operands are of the type of its result.
struct Row {
  std::string_view op;
  bool bytes;           // i8, u8
  bool shorts;          // i16, u16
  bool unsigned_words;  // u32, u64
  std::size_t operands = 1;
};

constexpr Row kRows[] = {
    {"Neg", false, false, true},
    {"PRelu", true, true, false, 2},
    {"Pow", true, true, true},
    {"ReduceL1", true, true, false},
    {"ReduceL2", true, true, false},
    {"ReduceMax", false, true, false},
    {"ReduceMean", true, true, false},
    {"ReduceMin", false, true, false},
    {"ReduceProd", true, true, false},
    {"ReduceSum", true, true, false},
    {"ReduceSumSquare", true, true, false},
};

// The type to compute in; `dtype` itself where ONNX allows it.
DType WideType(const Row& row, DType dtype) {
  if (!IsInteger(dtype)) return dtype;
  const int bits = Info(dtype).bits;
  const bool lacks_sign = row.unsigned_words && !Info(dtype).is_signed;
  if ((bits == 8 && row.bytes) || (bits == 16 && row.shorts)) return DType::kI32;
  if (!lacks_sign) return dtype;
  return bits < 32 ? DType::kI32 : DType::kI64;
}

Value* CastBefore(Value* value, DType to, Node* position, Graph& graph) {
  Value* const operands[] = {value};
  Node* cast = graph.Insert(position, InternOp("onnx", "Cast"), operands);
  cast->SetAttribute("to", static_cast<std::int64_t>(to));
  return cast->AddResult("", value->type().WithDType(to));
}

// The node computes in type `wide`; a Cast behind it takes the name and the readers of its result.
void ComputeIn(DType wide, const Row& row, Node& node) {
  Graph& graph = *node.graph();
  Value* result = node.result();
  const DType dtype = result->type().dtype();
  for (std::size_t i = 0; i < row.operands && i < node.num_operands(); ++i)
    node.set_operand(i, CastBefore(node.operand(i), wide, &node, graph));
  Value* const operands[] = {result};
  Node* back = graph.Insert(node.next(), InternOp("onnx", "Cast"), operands);
  back->set_origin(node.origin());
  back->SetAttribute("to", static_cast<std::int64_t>(dtype));
  Value* narrow = back->AddResult(result->name(), result->type());
  result->ReplaceAllUsesWith(narrow);
  back->set_operand(0, result);
  result->set_name("");
  result->set_type(result->type().WithDType(wide));
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

void Widen(Node& node) {
  const DType dtype = node.result() != nullptr ? node.result()->type().dtype() : DType::kUnknown;
  if (!IsInteger(dtype)) return;
  if (node.Is("Sum")) return AddOneByOne(node);
  if (node.Is("Relu") && !Info(dtype).is_signed) {
    Become(node, "Identity", {node.operand(0)});
    return;
  }
  const auto* row = std::ranges::find_if(kRows, [&](const Row& r) { return node.Is(r.op); });
  if (row == std::end(kRows)) return;
  const DType wide = WideType(*row, dtype);
  if (wide != dtype) ComputeIn(wide, *row, node);
}

}  // namespace

void WidenElements(Graph& entry) {
  ForEachGraph(entry, [](Graph& graph) {
    for (Node& node : graph.nodes()) Widen(node);
  });
}

}  // namespace dragoman
