// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/forms/resolve_axes.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ops/declared_attributes.h"
#include "core/rewrite/pass_context.h"
#include "core/rewrite/unrolled_cell.h"

namespace dragoman {
namespace {

using Values = std::vector<Value*>;

// A reduction as a chain of one that can be done axis by axis.
struct Chain {
  std::string_view type;
  std::string_view before;  // of the operand: "Abs", "Square"
  std::string_view step;
  std::string_view behind;  // of the result
};

constexpr Chain kChains[] = {
    {"ReduceL1", "Abs", "ReduceSum", ""},     {"ReduceL2", "Square", "ReduceSum", "Sqrt"},
    {"ReduceLogSum", "", "ReduceSum", "Log"}, {"ReduceLogSumExp", "", "ReduceLogSumExp", ""},
    {"ReduceMax", "", "ReduceMax", ""},       {"ReduceMean", "", "ReduceMean", ""},
    {"ReduceMin", "", "ReduceMin", ""},       {"ReduceProd", "", "ReduceProd", ""},
    {"ReduceSum", "", "ReduceSum", ""},       {"ReduceSumSquare", "Square", "ReduceSum", ""},
};

const Chain* ChainOf(const Node& node) {
  const Chain* chain =
      std::ranges::find_if(kChains, [&](const Chain& c) { return node.Is(c.type); });
  return chain != std::end(kChains) ? chain : nullptr;
}

// Where the operator has its axes among its operands; 0: it has none. By name: those that
// AxesResolver resolves.
std::size_t AxesOperand(const Node& node) {
  if (node.Is("Slice") || node.Is("Pad")) return 3;
  // A transform of another length has other sizes along each axis.
  if (node.Is("DFT"))
    return node.operand(1) == nullptr && IntAttribute(node, "onesided") == 0 ? 2 : 0;
  const bool has =
      ChainOf(node) != nullptr || node.Is("CumSum") || node.Is("Squeeze") || node.Is("Unsqueeze");
  return has ? 1 : 0;
}

class AxesResolver {
 public:
  AxesResolver(Node& node, PassContext& context)
      : node_(node),
        context_(context),
        n_(node, context),
        x_(node.operand(0)),
        axes_(node.operand(AxesOperand(node))),
        rank_(static_cast<std::int64_t>(x_->type().shape()->size())) {}

  Status Run() {
    const Shape* shape = axes_->type().shape();
    if (shape != nullptr && shape->size() == 1 && shape->front().known())
      count_ = shape->front().value();
    if (count_ == 0) {  // which ones is known
      node_.set_operand(AxesOperand(node_), n_.Ints({}));
      return n_.status();
    }
    if (axes_->type().dtype() != DType::kI64)
      axes_ = n_.Op("Cast", {axes_}, {{"to", static_cast<std::int64_t>(DType::kI64)}});
    Value* result = nullptr;
    if (node_.Is("Slice")) {
      result = Slice();
    } else if (node_.Is("Pad")) {
      result = Pad();
    } else if (node_.Is("CumSum") || node_.Is("DFT")) {
      result = AlongOne(node_.Is("DFT") ? rank_ - 1 : rank_);
    } else if (node_.Is("Unsqueeze")) {
      result = Unsqueeze();
    } else if (node_.Is("Squeeze")) {
      result = Without(x_, Flags(rank_));
    } else {
      result = Reduce(*ChainOf(node_));
    }
    DRAGOMAN_TRY(n_.status());
    if (result == nullptr) return {};
    Value* by[] = {result};
    DRAGOMAN_TRY(context_.InsertCopies(node_, by));
    context_.Replace(node_, by);
    return {};
  }

 private:
  Value* Int(std::int64_t value) { return n_.Scalar(static_cast<double>(value), axes_); }
  Value* Places(std::int64_t count) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(count));
    std::iota(places.begin(), places.end(), 0);
    return n_.Ints(std::move(places));
  }
  Value* FromFront(std::int64_t rank) {
    Value* below = n_.Op("Less", {axes_, Int(0)});
    return n_.Op("Where", {below, n_.Op("Add", {axes_, Int(rank)}), axes_});
  }
  // For each of `rank` axes whether it is meant: int64, 0 or 1.
  Value* Flags(std::int64_t rank) {
    Value* column = n_.Unsqueeze(FromFront(rank), 1);
    Value* meant = n_.Op("Equal", {column, Places(rank)});
    meant = n_.Op("Cast", {meant}, {{"to", static_cast<std::int64_t>(DType::kI64)}});
    return n_.Op("ReduceSum", {meant, n_.Ints({0})}, {{"keepdims", std::int64_t{0}}});
  }

  // `x` without the axes that `flags` mean, which have one element.
  Value* Without(Value* x, Value* flags) {
    if (!count_) return nullptr;
    const std::int64_t kept = rank_ - *count_;
    if (kept <= 0) return n_.Op("Reshape", {x, n_.Ints({})});
    Value* order = n_.Op("Add", {n_.Op("Mul", {flags, Int(rank_)}), Places(rank_)});
    Node* sorted = Two("TopK", {order, n_.Ints({kept})}, {{"largest", std::int64_t{0}}});
    if (sorted == nullptr) return nullptr;
    Value* sizes = n_.Op("Gather", {n_.Op("Shape", {x}), sorted->result(1)});
    return n_.Op("Reshape", {x, sizes}, {{"allowzero", std::int64_t{1}}});
  }

  // Each axis that is meant is one of size 1; the others have the sizes of the operand, in order.
  Value* Unsqueeze() {
    if (!count_) return nullptr;
    const std::int64_t rank = rank_ + *count_;
    if (rank_ == 0)
      return n_.Op("Reshape", {x_, n_.Ints(Attribute::Ints(static_cast<std::size_t>(rank), 1))});
    Value* flags = Flags(rank);
    Value* own = n_.Op("CumSum", {n_.Op("Sub", {Int(1), flags}), Int(0)});
    Value* place = n_.Op("Max", {n_.Op("Sub", {own, Int(1)}), Int(0)});
    Value* sizes = n_.Op("Gather", {n_.Op("Shape", {x_}), place});
    sizes = n_.Op("Where", {n_.Op("Equal", {flags, Int(0)}), sizes, Int(1)});
    return n_.Op("Reshape", {x_, sizes}, {{"allowzero", std::int64_t{1}}});
  }

  Value* Reduce(const Chain& chain) {
    // By name: functions whose results are not integers.
    const DType dtype = x_->type().dtype();
    const bool rounds = chain.behind == "Sqrt" || chain.behind == "Log" || node_.Is("ReduceMean") ||
                        node_.Is("ReduceLogSumExp");
    if (rounds && !IsFloating(dtype)) return nullptr;
    Value* flags = Flags(rank_);
    const bool keeps = IntAttribute(node_, "noop_with_empty_axes") != 0;
    if (!keeps && !(count_ && *count_ > 0)) {
      Value* none = n_.Op("Equal", {n_.Op("Size", {axes_}), Int(0)});
      flags = n_.Op("Where", {none, Int(1), flags});
    }
    Value* x = x_;
    if (chain.before == "Abs") x = n_.Op("Abs", {x});
    if (chain.before == "Square") x = n_.Op("Mul", {x, x});
    for (std::int64_t axis = 0; axis < rank_ && n_.status().ok(); ++axis) {
      Value* meant = n_.Op("Greater", {n_.Gather(flags, axis, 0), Int(0)});
      x = ReduceWhere(meant, chain.step, x, axis);
    }
    // One of the equal elements along the axes that are meant.
    Value* sizes =
        n_.Op("Where", {n_.Op("Greater", {flags, Int(0)}), Int(1), n_.Op("Shape", {x_})});
    Attribute::Ints begins(static_cast<std::size_t>(rank_), 0);
    if (rank_ > 0) x = n_.Op("Slice", {x, n_.Ints(std::move(begins)), sizes, Places(rank_)});
    if (!chain.behind.empty()) x = n_.Op(chain.behind, {x});
    const bool keepdims = IntAttribute(node_, "keepdims") != 0;
    return keepdims || !n_.status().ok() ? x : Without(x, flags);
  }

  // What the operator gives along the axis that is meant, of what it gives along any of the first
  // `count`.
  Value* AlongOne(std::int64_t count) {
    if (count <= 0) return nullptr;
    Value* axis = n_.Op("Reshape", {FromFront(rank_), n_.Ints({})});
    Value* result = nullptr;
    for (std::int64_t at = count; at-- > 0;) {
      Values operands;
      for (const Use& use : node_.operands()) operands.push_back(use.value());
      operands[AxesOperand(node_)] = Int(at);
      Value* along = n_.Op(node_.op().type, operands, node_.attributes());
      result = result == nullptr ? along
                                 : n_.Op("Where", {n_.Op("Equal", {axis, Int(at)}), along, result});
    }
    return result;
  }

  // `values` at the axes, in a vector of `count` elements that are `otherwise` elsewhere.
  Value* Spread(Value* values, Value* places, std::int64_t count, std::int64_t otherwise) {
    if (values->type().dtype() != DType::kI64)
      values = n_.Op("Cast", {values}, {{"to", static_cast<std::int64_t>(DType::kI64)}});
    Attribute::Ints others(static_cast<std::size_t>(count), otherwise);
    return n_.Op("ScatterElements", {n_.Ints(std::move(others)), places, values});
  }

  Value* Slice() {
    Value* places = FromFront(rank_);
    Value* steps = node_.num_operands() > 4 ? node_.operand(4) : nullptr;
    Values operands = {
        x_, Spread(node_.operand(1), places, rank_, 0),
        Spread(node_.operand(2), places, rank_, std::numeric_limits<std::int64_t>::max()),
        Places(rank_)};
    if (steps != nullptr) operands.push_back(Spread(steps, places, rank_, 1));
    return n_.Op("Slice", operands);
  }

  Value* Pad() {
    Value* places = FromFront(rank_);
    Value* both = n_.Concat({places, n_.Op("Add", {places, Int(rank_)})}, 0);
    Value* filler = node_.num_operands() > 2 ? node_.operand(2) : nullptr;
    return n_.Op("Pad", {x_, Spread(node_.operand(1), both, 2 * rank_, 0), filler},
                 node_.attributes());
  }

  Node* Two(std::string_view op, const Values& operands, std::vector<NamedAttribute> attributes) {
    if (!n_.status().ok()) return nullptr;
    Result<Node*> node = context_.InsertNode(node_, op, operands, std::move(attributes), 2);
    return node.ok() ? *node : nullptr;
  }

  // Along `axis`, `step` of `x` for every element where `meant` holds, else `x`. An axis without
  // elements, or of which that is not known, gets one more.
  Value* ReduceWhere(Value* meant, std::string_view step, Value* x, std::int64_t axis) {
    Value* reduced = n_.Op(step, {x, n_.Ints({axis})}, {{"keepdims", std::int64_t{1}}});
    const Dim& size = (*x_->type().shape())[static_cast<std::size_t>(axis)];
    if (size == Dim(0)) return reduced;
    Value* either = n_.Op("Where", {meant, reduced, x});
    return size.known() ? either : n_.Concat({either, reduced}, axis);
  }

  Node& node_;
  PassContext& context_;
  StepNodes n_;
  Value* x_;
  Value* axes_;
  std::int64_t rank_;
  std::optional<std::int64_t> count_;  // of the axes
};

// nullptr: the operator has no axes as an operand, or they are left out.
const Value* AxesOf(const Node& node) {
  const std::size_t at = AxesOperand(node);
  return at > 0 && at < node.num_operands() ? node.operand(at) : nullptr;
}

bool HasOpenAxes(const Node& node, const PassContext& context) {
  const Value* axes = AxesOf(node);
  const Shape* shape =
      axes != nullptr && node.operand(0) != nullptr ? node.operand(0)->type().shape() : nullptr;
  return shape != nullptr && !context.inference.KnownInts(axes);
}

}  // namespace

bool HasComputedAxes(const Node& node) {
  const Value* axes = AxesOf(node);
  return axes != nullptr && !axes->is_constant();
}

Status ResolveAxes(Graph& entry) {
  DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(entry, {}));
  std::vector<Node*> nodes;
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (HasOpenAxes(node, context)) nodes.push_back(&node);
    }
  });
  for (Node* node : nodes) DRAGOMAN_TRY(AxesResolver(*node, context).Run());
  return {};
}

}  // namespace dragoman
