// SPDX-License-Identifier: Apache-2.0
// Uniform numbers decide which way the chances of Bernoulli, Multinomial and Dropout fall.
#include <algorithm>
#include <set>
#include <span>

#include "codegen/relax/entry_border.h"
#include "core/ir/wide_float.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/pass_context.h"

namespace dragoman::relax {
namespace {

// Whether `graph` runs at most once a call of the entry.
bool RunsOnce(const Graph& graph) {
  for (const Node* node = graph.parent(); node != nullptr; node = node->graph()->parent()) {
    if (!node->Is("If") && !node->IsDragoman("Fused")) return false;
  }
  return true;
}

class Drawer {
 public:
  Drawer(Graph& entry, PassContext& context) : entry_(entry), context_(context) {
    for (const auto& input : entry.inputs()) {
      if (input->type().shape() == nullptr) continue;
      for (const Dim& size : *input->type().shape()) {
        if (size.symbol() != nullptr) known_sizes_.insert(*size.symbol());
      }
    }
  }

  std::vector<DrawnInput> drawn;

  Status Visit(Node& node) {
    if (node.Is("Dropout")) return Drop(node);
    const Value* result = node.result(0);
    if (result == nullptr || !RunsOnce(*node.graph()) || !HasKnownSizes(result->type())) return {};
    const bool normal = node.op().type.starts_with("RandomNormal");
    if (node.Is("Bernoulli")) return Replace(node, Fall(node));
    if (node.Is("Multinomial")) return Replace(node, Choice(node));
    return Replace(node,
                   Input(node, normal ? "normal" : "uniform", result->type(),
                         normal ? FloatAttribute(node, "mean") : FloatAttribute(node, "low"),
                         normal ? FloatAttribute(node, "scale") : FloatAttribute(node, "high")));
  }

 private:
  bool HasKnownSizes(const Type& type) const {
    if (type.shape() == nullptr) return false;
    return std::ranges::all_of(*type.shape(), [&](const Dim& size) {
      const std::vector<std::string> symbols = size.Symbols();
      return !size.unknown() && std::ranges::all_of(symbols, [&](const std::string& symbol) {
        return known_sizes_.contains(symbol);
      });
    });
  }

  Value* Input(Node& node, std::string_view distribution, const Type& type, float first,
               float second) {
    DrawnInput input{entry_.num_inputs(), std::string(distribution), {first, second}};
    if (node.attribute("seed") != nullptr) input.parameters.push_back(FloatAttribute(node, "seed"));
    drawn.push_back(std::move(input));
    const std::string& name = node.name().empty() ? node.op().type : node.name();
    return entry_.AddInput(context_.UniqueName(name + "_drawn"), type);
  }

  Status ReplaceAll(Node& node, std::span<Value*> by) {
    DRAGOMAN_TRY(context_.InsertCopies(node, by));
    context_.Replace(node, by);
    return {};
  }
  Status Replace(Node& node, Result<Value*> by) {
    if (!by.ok()) return std::move(by).error();
    Value* values[] = {*by};
    return ReplaceAll(node, values);
  }

  Result<Value*> Cast(Node& node, Value* x, DType to) {
    if (x->type().dtype() == to) return x;
    return context_.Insert(node, "Cast", {{x}}, {{"to", static_cast<std::int64_t>(to)}});
  }
  Value* Ints(Node& node, std::vector<std::int64_t> values) {
    return context_.AddConstant(*node.graph(), Tensor::Ints(values), "axes", node.origin());
  }

  // 1 where the number drawn is below the chance.
  Result<Value*> Fall(Node& node) {
    const DType wide = WideFloat(node.operand(0)->type().dtype());
    Value* number = Input(node, "uniform", node.result(0)->type().WithDType(wide), 0, 1);
    DRAGOMAN_ASSIGN(Value * chance, Cast(node, node.operand(0), wide));
    Value* const compared[] = {number, chance};
    DRAGOMAN_ASSIGN(Value * falls, context_.Insert(node, "Less", compared));
    return Cast(node, falls, node.result(0)->type().dtype());
  }

  // How many classes lie below the number drawn, if all are laid side by side.
  Result<Value*> Choice(Node& node) {
    const Type places = node.result(0)->type().WithDType(DType::kF32);
    Value* number = Input(node, "uniform", places, 0, 1);
    DRAGOMAN_ASSIGN(number, Cast(node, number, DType::kF64));
    DRAGOMAN_ASSIGN(Value * logs, Cast(node, node.operand(0), DType::kF64));
    DRAGOMAN_ASSIGN(Value * chances,
                    context_.Insert(node, "Softmax", {{logs}}, {{"axis", std::int64_t{1}}}));
    Value* axis = context_.AddConstant(*node.graph(), Tensor::Int(1), "axis", node.origin());
    Value* const summed[] = {chances, axis};
    DRAGOMAN_ASSIGN(Value * ends, context_.Insert(node, "CumSum", summed));
    Value* const last[] = {ends, Ints(node, {-1})};
    DRAGOMAN_ASSIGN(Value * total,
                    context_.Insert(node, "Gather", last, {{"axis", std::int64_t{1}}}));
    Value* const scaled[] = {number, total};
    DRAGOMAN_ASSIGN(number, context_.Insert(node, "Mul", scaled));
    Value* const rows[] = {ends, Ints(node, {1})};
    DRAGOMAN_ASSIGN(ends, context_.Insert(node, "Unsqueeze", rows));
    Value* const columns[] = {number, Ints(node, {2})};
    DRAGOMAN_ASSIGN(number, context_.Insert(node, "Unsqueeze", columns));
    Value* const compared[] = {ends, number};
    DRAGOMAN_ASSIGN(Value * below, context_.Insert(node, "LessOrEqual", compared));
    DRAGOMAN_ASSIGN(below, Cast(node, below, DType::kI64));
    Value* const counted[] = {below, Ints(node, {2})};
    DRAGOMAN_ASSIGN(Value * count,
                    context_.Insert(node, "ReduceSum", counted, {{"keepdims", std::int64_t{0}}}));
    return Cast(node, count, node.result(0)->type().dtype());
  }

  Result<Value*> Number(Node& node, double value, DType dtype) {
    DRAGOMAN_ASSIGN(Tensor tensor, Tensor::Full(dtype, {}, value));
    return context_.AddConstant(*node.graph(), std::move(tensor), "number", node.origin());
  }
  Result<Value*> Add(Node& node, std::string_view op, std::vector<Value*> operands) {
    return context_.Insert(node, op, operands);
  }

  // In training mode, elements whose number is below the ratio are dropped, and the others grow.
  Status Drop(Node& node) {
    Value* x = node.operand(0);
    Value* training = node.num_operands() > 2 ? node.operand(2) : nullptr;
    const auto known = training != nullptr ? context_.inference.KnownInts(training) : std::nullopt;
    const bool rests = training == nullptr || (known && known->front() == 0);
    if (rests || !RunsOnce(*node.graph()) || !HasKnownSizes(x->type())) return {};
    const DType dtype = x->type().dtype();
    const DType wide = dtype == DType::kF64 ? dtype : DType::kF32;
    Value* share = node.operand(1);
    DRAGOMAN_ASSIGN(share, share != nullptr ? Cast(node, share, wide) : Number(node, 0.5, wide));
    Value* number = Input(node, "uniform", x->type().WithDType(wide), 0, 1);
    DRAGOMAN_ASSIGN(Value * kept, Add(node, "GreaterOrEqual", {number, share}));
    DRAGOMAN_ASSIGN(Value * one, Number(node, 1, wide));
    DRAGOMAN_ASSIGN(Value * zero, Number(node, 0, wide));
    DRAGOMAN_ASSIGN(Value * rest, Add(node, "Sub", {one, share}));
    DRAGOMAN_ASSIGN(Value * grown, Cast(node, x, wide));
    DRAGOMAN_ASSIGN(grown, Add(node, "Div", {grown, rest}));
    DRAGOMAN_ASSIGN(Value * output, Add(node, "Where", {kept, grown, zero}));
    DRAGOMAN_ASSIGN(output, Cast(node, output, dtype));
    if (!known) {
      DRAGOMAN_ASSIGN(output, Add(node, "Where", {training, output, x}));
      DRAGOMAN_ASSIGN(Value * idle, Add(node, "Not", {training}));
      DRAGOMAN_ASSIGN(kept, Add(node, "Or", {kept, idle}));
    }
    Value* results[] = {output, kept};
    return ReplaceAll(node, std::span(results).first(node.num_results()));
  }

  Graph& entry_;
  PassContext& context_;
  std::set<std::string> known_sizes_;  // sizes that the signature states
};

}  // namespace

Result<std::vector<DrawnInput>> DrawAtEntry(Graph& entry) {
  std::vector<Node*> nodes;
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      const OpDef* def = FindOp(node);
      if (def != nullptr && def->random) nodes.push_back(&node);
    }
  });
  if (nodes.empty()) return std::vector<DrawnInput>();
  DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(entry, {}));
  Drawer drawer(entry, context);
  for (Node* node : nodes) DRAGOMAN_TRY(drawer.Visit(*node));
  return std::move(drawer.drawn);
}

}  // namespace dragoman::relax
