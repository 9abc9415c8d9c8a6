// SPDX-License-Identifier: Apache-2.0
// Elementwise operators whose operands have more axes, or elements, than they need.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/producer.h"
#include "core/ops/op_def.h"
#include "core/rewrite/patterns/spelling_patterns.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

// What `value` is with other axes of size 1, if that has the shape of `like`; else nullptr.
Value* BeforeMove(const Value& value, const Value& like) {
  const Node* move = value.producer();
  if (move == nullptr || !KeepsOrder(*move) || move->Is("Identity")) return nullptr;
  return SameShape(*move->operand(0), like) ? move->operand(0) : nullptr;
}

// Squeeze(f(Unsqueeze(x), Unsqueeze(y), number)) = f(x, y, number), for elementwise f of integers
// whose result nothing else reads; also with Reshapes. Floating-point numbers are left to the
// patterns of layers, which look for the rows between such.
Result<bool> MergeMovesAround(Node& node, PassContext& context) {
  Node* f = KeepsOrder(node) && !node.Is("Identity") ? node.operand(0)->producer() : nullptr;
  if (f == nullptr || !IsInteger(node.result()->type().dtype()) || f->graph() != node.graph() ||
      !IsElementwise(*f) || f->num_results() != 1 || !f->result()->HasOneUse())
    return false;
  std::vector<Value*> operands;
  bool moves = false;
  for (const Use& use : f->operands()) {
    Value* operand = use.value();
    const bool is_number = operand == nullptr || operand->type().rank() == 0;
    // Operands that are broadcast among each other mean what their axes say.
    if (!is_number && !SameShape(*operand, *f->result())) return false;
    if (!is_number) operand = BeforeMove(*operand, *node.result());
    if (!is_number && operand == nullptr) return false;
    moves = moves || !is_number;
    operands.push_back(operand);
  }
  if (!moves) return false;
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, FindOp(*f)->Label(), operands, f->attributes()));
  return context.ReplaceIfAllowed(node, y);
}

// By name: not Add and Mul, whose operands are weights of layers, as biases and embeddings of
// positions that are zeros to begin with.
constexpr std::string_view kOfNumbers[] = {
    "Where",          "Sub",         "Div",  "Max", "Min", "Pow", "Greater", "Less",
    "GreaterOrEqual", "LessOrEqual", "Equal"};
// Of these only what has one element.
constexpr std::string_view kOfOneNumber[] = {"Add", "Mul"};

// The number that all elements of a constant are, or of a tensor of known value and open sizes.
std::optional<Tensor> RepeatedNumber(const Value* value) {
  if (const Tensor* fill = StatedFill(value)) return fill->Reshaped({});
  const Tensor* tensor = ConstantOf(value);
  if (tensor == nullptr || tensor->size() == 0 || tensor->rank() == 0 ||
      tensor->dtype() == DType::kString || Info(tensor->dtype()).bits < 8)
    return std::nullopt;
  const std::span<const std::byte> bytes = tensor->bytes();
  const std::size_t width = bytes.size() / static_cast<std::size_t>(tensor->size());
  if (!std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(width), bytes.end(), bytes.begin()))
    return std::nullopt;
  Result<Tensor> number = Tensor::Make(tensor->dtype(), {}, Buffer::Copy(bytes.first(width)));
  return number.ok() ? std::optional(*std::move(number)) : std::nullopt;
}

bool HasOneElement(const Value& value) {
  const Tensor* tensor = ConstantOf(&value);
  return tensor != nullptr && tensor->size() == 1;
}

// f(c, x) = f(number, x) for a tensor c that is one number in all elements, where x has as many
Result<bool> UseNumber(Node& node, PassContext& context) {
  const std::string_view type = node.op().type;
  const bool reads_one = std::ranges::find(kOfOneNumber, type) != std::end(kOfOneNumber);
  if (!reads_one && std::ranges::find(kOfNumbers, type) == std::end(kOfNumbers)) return false;
  if (node.op().dialect != "onnx") return false;
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    const auto has_all = [&](const Use& use) {
      return use.index() != i && use.value() != nullptr &&
             SameShape(*use.value(), *node.result()) && !RepeatedNumber(use.value());
    };
    if (node.operand(i) == nullptr || std::ranges::none_of(node.operands(), has_all)) continue;
    std::optional<Tensor> number = RepeatedNumber(node.operand(i));
    if (!number || (reads_one && !HasOneElement(*node.operand(i)))) continue;
    const OriginPtr origin = node.operand(i)->origin();
    node.set_operand(i, context.AddConstant(*node.graph(), *std::move(number), "number", origin));
    return true;
  }
  return false;
}

}  // namespace

std::span<const Pattern> ElementwisePatterns() {
  static constexpr Pattern kPatterns[] = {{"merge-moves-around", MergeMovesAround}};
  return kPatterns;
}

std::span<const Pattern> NumberPatterns() {
  static constexpr Pattern kPatterns[] = {{"use-number", UseNumber}};
  return kPatterns;
}

}  // namespace dragoman
