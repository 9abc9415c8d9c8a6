// SPDX-License-Identifier: Apache-2.0
#include "driver/model_costs.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ops/kernel_name.h"

namespace dragoman {
namespace {

using Sizes = std::optional<std::vector<std::int64_t>>;

Sizes SizesOf(const Value* value) {
  if (value == nullptr || value->type().shape() == nullptr) return std::nullopt;
  return KnownShape(*value->type().shape());
}

std::optional<std::int64_t> CountOf(const Sizes& sizes) {
  if (!sizes) return std::nullopt;
  std::int64_t count = 1;
  for (const std::int64_t size : *sizes) {
    if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return count;
}

std::optional<std::int64_t> Product(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  std::int64_t product = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product)) return std::nullopt;
  return product;
}

// How the number of products follows from sizes.
enum class Rule {
  kWindow,      // elements of the result, each by a window of the weight
  kScattered,   // elements of the operand, each by a window of the weight
  kInner,       // elements of the result, each by the last axis of the first operand
  kTransposed,  // the same; attribute transA chooses the axis
  kRecurrent,   // steps by rows of the batch by all weights
};
struct CountedOp {
  std::string_view type;
  Rule rule;
  std::size_t x = 0;
  std::size_t w = 1;
};
constexpr CountedOp kCounted[] = {
    {"Conv", Rule::kWindow},
    {"ConvInteger", Rule::kWindow},
    {"QLinearConv", Rule::kWindow, 0, 3},
    {"ConvTranspose", Rule::kScattered},
    {"MatMul", Rule::kInner},
    {"MatMulInteger", Rule::kInner},
    {"QLinearMatMul", Rule::kInner, 0, 3},
    {"Linear", Rule::kInner},
    {"Gemm", Rule::kTransposed},
    {"LSTM", Rule::kRecurrent},
    {"GRU", Rule::kRecurrent},
    {"RNN", Rule::kRecurrent},
};

const CountedOp* FindCounted(const Node& node) {
  const auto* found = std::ranges::find_if(kCounted, [&](const CountedOp& counted) {
    return node.Is(counted.type) || node.IsDragoman(counted.type);
  });
  return found == std::end(kCounted) ? nullptr : found;
}

// Elements of a weight a channel, which is its leading axis.
std::optional<std::int64_t> WindowSize(const Sizes& w) {
  if (!w || w->empty()) return std::nullopt;
  return CountOf(std::vector<std::int64_t>(w->begin() + 1, w->end()));
}

std::optional<std::int64_t> InnerSize(const Node& node, const Sizes& x, Rule rule) {
  if (!x || x->empty()) return std::nullopt;
  const Attribute* trans = rule == Rule::kTransposed ? node.attribute("transA") : nullptr;
  const std::int64_t* transposed = trans != nullptr ? trans->As<std::int64_t>() : nullptr;
  return transposed != nullptr && *transposed != 0 ? x->front() : x->back();
}

std::optional<std::int64_t> RecurrentProducts(const Node& node, const Sizes& x) {
  const std::optional<std::int64_t> w = CountOf(SizesOf(node.operand(1)));
  const std::optional<std::int64_t> r = CountOf(SizesOf(node.operand(2)));
  if (!x || x->size() != 3 || !w || !r) return std::nullopt;
  return Product(Product((*x)[0], (*x)[1]), *w + *r);
}

std::optional<std::int64_t> BytesOf(const Value& value) {
  if (!value.type().is_tensor()) return std::nullopt;
  return Product(CountOf(SizesOf(&value)),
                 static_cast<std::int64_t>(RuntimeBytes(value.type().dtype())));
}

// The number of the last node of `graph` that reads each value, itself or in a body.
std::unordered_map<const Value*, std::size_t> LastUses(const Graph& graph) {
  std::unordered_map<const Value*, std::size_t> last;
  std::size_t number = 0;
  for (const Node& node : graph.nodes()) {
    for (const Use& use : node.operands()) last[use.value()] = number;
    for (const Graph* body : node.subgraphs()) {
      ForEachGraph(*body, [&](const Graph& inner) {
        for (const Node& user : inner.nodes()) {
          for (const Use& use : user.operands()) last[use.value()] = number;
        }
        for (const Use& output : inner.outputs()) last[output.value()] = number;
      });
    }
    ++number;
  }
  for (const Use& output : graph.outputs()) last[output.value()] = number;
  return last;
}

std::optional<std::int64_t> PeakBytes(const Graph& graph) {
  const std::unordered_map<const Value*, std::size_t> last = LastUses(graph);
  std::vector<std::int64_t> freed(graph.num_nodes() + 1);  // behind each node
  std::int64_t live = 0;
  std::int64_t peak = 0;
  std::size_t number = 0;
  for (const Node& node : graph.nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) == nullptr) continue;
      const std::optional<std::int64_t> bytes = BytesOf(*node.result(i));
      if (!bytes || __builtin_add_overflow(live, *bytes, &live)) return std::nullopt;
      const auto end = last.find(node.result(i));
      freed[end == last.end() ? number : end->second] += *bytes;
    }
    peak = std::max(peak, live);
    live -= freed[number++];
  }
  return peak;
}

void Count(const Tensor* tensor, WeightCensus& census) {
  if (tensor == nullptr) return;
  ++census.constants;
  census.parameters += static_cast<std::uint64_t>(tensor->size());
  census.bytes += tensor->bytes().size();
}

}  // namespace

std::optional<std::int64_t> MultiplyAdds(const Node& node) {
  const CountedOp* const counted = FindCounted(node);
  if (counted == nullptr) return 0;
  const Sizes x = SizesOf(node.operand(counted->x));
  const std::optional<std::int64_t> y = CountOf(SizesOf(node.result(0)));
  switch (counted->rule) {
    case Rule::kWindow:
      return Product(y, WindowSize(SizesOf(node.operand(counted->w))));
    case Rule::kScattered:
      return Product(CountOf(x), WindowSize(SizesOf(node.operand(counted->w))));
    case Rule::kInner:
    case Rule::kTransposed:
      return Product(y, InnerSize(node, x, counted->rule));
    case Rule::kRecurrent:
      return RecurrentProducts(node, x);
  }
  return std::nullopt;
}

ModelCosts CostsOf(const Model& common) {
  ModelCosts costs;
  costs.multiply_adds = 0;
  ForEachGraph(common.main(), [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      const std::optional<std::int64_t> count = MultiplyAdds(node);
      std::int64_t sum = 0;
      const bool known = costs.multiply_adds && count &&
                         !__builtin_add_overflow(*costs.multiply_adds, *count, &sum);
      costs.multiply_adds = known ? std::optional(sum) : std::nullopt;
    }
  });
  costs.peak_activation_bytes = PeakBytes(common.main());
  return costs;
}

WeightCensus WeightsOf(const Model& model) {
  WeightCensus census;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const auto& constant : graph.constants()) Count(constant->tensor(), census);
    for (const auto& input : graph.inputs()) {
      if (input->data() != nullptr) Count(input->data()->tensor(), census);
    }
    for (const Node& node : graph.nodes()) {
      if (node.op().type != "Constant" && node.op().type != "Const") continue;
      for (const NamedAttribute& attribute : node.attributes())
        Count(attribute.value.tensor(), census);
    }
  });
  // The weights of a TorchScript program lie in its objects.
  for (const State& state : model.states) {
    if (model.level == Level::kSource) Count(state.initial.tensor(), census);
  }
  return census;
}

}  // namespace dragoman
