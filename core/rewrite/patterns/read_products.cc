#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/ops/op_def.h"
#include "core/rewrite/patterns/linear_patterns.h"
#include "runtime/params/einsum.h"

namespace dragoman {
namespace {

using Labels = std::vector<std::int64_t>;

bool Has(const Labels& labels, std::int64_t label) { return std::ranges::count(labels, label) > 0; }

bool AreDistinct(Labels labels) {
  std::ranges::sort(labels);
  return std::ranges::adjacent_find(labels) == labels.end() && !Has(labels, rt::kEinsumEllipsis);
}

struct Equation {
  Labels operands[2];
  Labels output;
};

std::optional<Equation> ReadEquation(const Node& node) {
  const Result<Params> params = FindOp(node)->fill_params(node);
  if (!params.ok() || node.num_operands() != 2) return std::nullopt;
  const auto& einsum = params->As<rt::EinsumParams>();
  Equation equation;
  equation.output.assign(einsum.output.begin(), einsum.output.end());
  const std::int64_t* at = einsum.labels.begin();
  for (int i = 0; i < 2; ++i) {
    equation.operands[i].assign(at, at + einsum.operand_labels[i]);
    at += einsum.operand_labels[i];
    if (!AreDistinct(equation.operands[i])) return std::nullopt;
  }
  return equation;
}

// The order of the weight's axes as (outputs…, input), where the last label of x is summed and the
// output has the others of x before those of the weight; empty for any other equation.
Labels WeightOrder(const Labels& x, const Labels& weight, const Labels& output) {
  if (x.empty() || output.size() + 2 != x.size() + weight.size() || output.size() < x.size()) {
    return {};
  }
  const std::int64_t summed = x.back();
  if (!Has(weight, summed) || !std::equal(x.begin(), x.end() - 1, output.begin())) return {};
  Labels order;
  const auto place = [&](std::int64_t label) {
    const auto found = std::ranges::find(weight, label);
    if (found == weight.end()) return false;
    order.push_back(found - weight.begin());
    return true;
  };
  for (auto label = output.begin() + static_cast<std::ptrdiff_t>(x.size()) - 1;
       label != output.end(); ++label) {
    if (*label == summed || !place(*label)) return {};
  }
  place(summed);
  return AreDistinct(order) ? order : Labels{};
}

// Einsum(x, W) = Linear(x, W'), with a Reshape behind it unless W' has one axis of outputs, where a
// constant is summed over the last axis of x: "bi,oi->bo", "ghi,bti->btgh".
Result<bool> FuseEinsum(Node& node, PassContext& context) {
  if (!node.Is("Einsum") || !IsFloating(node.result()->type().dtype())) return false;
  const auto equation = ReadEquation(node);
  if (!equation) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    Value* const weight = node.operand(i);
    Value* const x = node.operand(1 - i);
    const Tensor* tensor = ConstantOf(weight);
    if (tensor == nullptr || tensor->size() == 0) continue;
    const Labels order =
        WeightOrder(equation->operands[1 - i], equation->operands[i], equation->output);
    if (order.empty()) continue;
    DRAGOMAN_ASSIGN(Value * ordered, TransposeConstant(*weight, order, context));
    const std::vector<std::int64_t> sizes = ordered->tensor()->sizes();
    const std::int64_t inputs = sizes.back();
    const Tensor matrix = ordered->tensor()->Reshaped({tensor->size() / inputs, inputs});
    Value* constant = context.AddConstant(*node.graph(), matrix, weight->name(), weight->origin());
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "dragoman.Linear", {{x, constant}}));
    if (sizes.size() != 2) {
      // 0 keeps a size.
      std::vector<std::int64_t> shape(equation->operands[1 - i].size() - 1, 0);
      shape.insert(shape.end(), sizes.begin(), sizes.end() - 1);
      Value* target = context.AddConstant(*node.graph(), Tensor::Ints(shape), "sizes", {});
      DRAGOMAN_ASSIGN(y, context.Insert(node, "Reshape", {{y, target}}));
    }
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

constexpr Pattern kPatterns[] = {{"fuse-einsum", FuseEinsum}};

}  // namespace

std::span<const Pattern> ProductPatterns() { return kPatterns; }

}  // namespace dragoman
