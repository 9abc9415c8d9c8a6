// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/find_attention.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "codegen/onednn/plan/strided_view.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/ir/producer.h"
#include "core/ops/op_def.h"
#include "core/rewrite/zeros.h"

namespace dragoman::onednn {
namespace {

using Kind = rt::AttentionMask::Kind;
using Axes = std::vector<StridedAxis>;

constexpr int kMostSteps = 8;  // between Softmax and the product that it follows
constexpr float kHidden = -std::numeric_limits<float>::infinity();

bool IsSizedF32(const Value* value) { return HasSizes(value, DType::kF32); }

struct Mask {
  Kind kind = Kind::kNone;
  const Value* value = nullptr;
  float fill = 0.0f;
  const Value* masked = nullptr;  // the scores after it
};

// What is done to the product of queries and keys until Softmax.
struct Scores {
  const Node* product = nullptr;
  double scale = 1.0;
  std::vector<Mask> masks;  // the last one first
};

// The operand of `node` that carries on the scores, and the mask that `node` applies, if any.
struct ScoreStep {
  const Value* scores = nullptr;
  Mask mask;
  double factor = 1.0;
};

// Whether `node` only divides the batch of scores otherwise, as for masks of windows.
bool DividesBatch(const Node& node) {
  if (!node.Is("Reshape")) return false;
  const Shape *from = node.operand(0)->type().shape(), *to = node.result()->type().shape();
  return from != nullptr && to != nullptr && from->size() >= 2 && to->size() >= 2 &&
         std::equal(from->rbegin(), from->rbegin() + 2, to->rbegin(), IsSame);
}

// Whether the value comes of a product by at most `steps` steps like those of attention.
bool ComesOfProduct(const Value* value, const Value& like, int steps = kMostSteps) {
  const Node* node = value != nullptr ? value->producer() : nullptr;
  if (steps == 0 || node == nullptr || !value->HasOneUse() || !SameShape(*value, like))
    return false;
  if (node->Is("MatMul")) return true;
  if (DividesBatch(*node)) return ComesOfProduct(node->operand(0), *node->operand(0), steps - 1);
  if (const std::optional<ScaledValue> scaled = ScaledOperand(*node))
    return ComesOfProduct(scaled->value, like, steps - 1);
  if (node->Is("Where"))
    return ComesOfProduct(node->operand(ScalarOf(node->operand(1)) ? 2 : 1), like, steps - 1);
  return node->Is("Add") && (ComesOfProduct(node->operand(0), like, steps - 1) ||
                             ComesOfProduct(node->operand(1), like, steps - 1));
}

std::optional<ScoreStep> StepOf(const Node& node) {
  if (const std::optional<ScaledValue> scaled = ScaledOperand(node))
    return ScoreStep{scaled->value, {}, scaled->factor};
  if (node.Is("Add")) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (ComesOfProduct(node.operand(i), *node.result()))
        return ScoreStep{node.operand(i), {Kind::kAdd, node.operand(1 - i), 0.0f}};
    }
  }
  if (!node.Is("Where")) return std::nullopt;
  const std::optional<float> kept = ScalarOf(node.operand(1)), other = ScalarOf(node.operand(2));
  if (kept && !other) return ScoreStep{node.operand(2), {Kind::kHide, node.operand(0), *kept}};
  if (other && !kept) return ScoreStep{node.operand(1), {Kind::kKeep, node.operand(0), *other}};
  return std::nullopt;
}

// A condition that holds for rows of which all is -inf.
struct HiddenRows {
  const Value* of = nullptr;     // scores, or a mask; nullptr: it asks for something else
  const Node* reader = nullptr;  // of these
};

// Whether `node` takes the largest element of each row, and keeps the axis.
bool IsLargestOfRows(const Node& node) {
  const std::optional<int> rank = node.operand(0)->type().rank();
  const Value* axes = node.operand(1);
  const bool is_one = axes != nullptr && axes->is_constant() && axes->tensor()->size() == 1;
  if (!rank || !is_one || IntAttribute(node, "keepdims", 1) == 0) return false;
  const std::int64_t axis = axes->tensor()->IntAt(0);
  return axis == *rank - 1 || axis == -1;
}

// max(rows) = -inf, or not any(not (rows = -inf))
HiddenRows ReadHiddenRows(const Value* condition) {
  const Node* negation = ProducerOf(condition, "Not");
  const Node* equal = ProducerOf(condition, "Equal");
  const Node* most = ProducerOf(negation != nullptr ? negation->operand(0)
                                : equal != nullptr  ? equal->operand(0)
                                                    : nullptr,
                                "ReduceMax");
  if (most == nullptr || !IsLargestOfRows(*most)) return {};
  if (negation != nullptr) {
    const Node* others = ProducerOf(most->operand(0), "Not");
    equal = others != nullptr ? ProducerOf(others->operand(0), "Equal") : nullptr;
  }
  if (equal == nullptr || ScalarOf(equal->operand(1)) != kHidden) return {};
  return negation != nullptr ? HiddenRows{equal->operand(0), equal}
                             : HiddenRows{most->operand(0), most};
}

struct Weights {
  const Node* softmax = nullptr;
  const Value* visible = nullptr;  // of a Where after it that gives 0 elsewhere
  HiddenRows hidden;               // of a Where that gives 0 to these
  bool clears_nan = false;         // by a Where of IsNaN
};

// Whether nothing but the nodes `a` and `b` reads `value`.
bool OnlyReadBy(const Value& value, const Node* a, const Node* b) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr || (use->user() != a && use->user() != b)) return false;
  }
  return true;
}

std::optional<Weights> FindWeights(const Value& value) {
  Weights weights;
  const Value* probabilities = &value;
  const Node *where = ProducerOf(&value, "Where"), *is_nan = nullptr;
  if (where != nullptr && value.HasOneUse()) {
    is_nan = ProducerOf(where->operand(0), "IsNaN");
    weights.hidden = ReadHiddenRows(where->operand(0));
    const std::size_t zero = is_nan != nullptr || weights.hidden.of != nullptr ? 1 : 2;
    if (!IsZero(where->operand(zero))) return std::nullopt;
    probabilities = where->operand(3 - zero);
    weights.clears_nan = is_nan != nullptr;
    if (zero == 2) weights.visible = where->operand(0);
    if (is_nan != nullptr && is_nan->operand(0) != probabilities) return std::nullopt;
  }
  weights.softmax = ProducerOf(probabilities, "Softmax");
  const bool alone =
      where != nullptr ? OnlyReadBy(*probabilities, where, is_nan) : probabilities->HasOneUse();
  if (weights.softmax == nullptr || !alone || !IsSizedF32(probabilities) ||
      !SameShape(*probabilities, value) || !IsAlongLastAxis(*weights.softmax)) {
    return std::nullopt;
  }
  return weights;
}

std::optional<Scores> FindScores(const Weights& weights) {
  Scores scores;
  const Value* value = weights.softmax->operand(0);
  if (!OnlyReadBy(*value, weights.softmax, weights.hidden.reader)) return std::nullopt;
  for (int i = 0; i < kMostSteps; ++i) {
    const Node* node = value->producer();
    const bool alone = i == 0 || value->HasOneUse();
    if (node == nullptr || !alone || !IsSizedF32(value)) return std::nullopt;
    if (node->Is("MatMul")) {
      if (!SameShape(*value, *weights.softmax->operand(0))) return std::nullopt;
      scores.product = node;
      std::ranges::reverse(scores.masks);
      return scores;
    }
    if (DividesBatch(*node)) {
      value = node->operand(0);
      continue;
    }
    const std::optional<ScoreStep> step = StepOf(*node);
    if (!step || !SameShape(*step->scores, *value)) return std::nullopt;
    const Value* masked = std::exchange(value, step->scores);
    scores.scale *= step->factor;
    if (step->mask.kind == Kind::kNone) continue;
    // A scale that follows a mask scales it too.
    if (scores.scale != 1.0 || scores.masks.size() == rt::AttentionSizes::kMasks)
      return std::nullopt;
    scores.masks.push_back(step->mask);
    scores.masks.back().masked = masked;
  }
  return std::nullopt;
}

// What the Where after Softmax sets to 0; nothing if it does not ask for the scores or the first
// of their masks.
std::optional<rt::AttentionZeros> ZerosOf(const Weights& weights, const std::vector<Mask>& masks) {
  const Value* hidden = weights.hidden.of;
  if (weights.clears_nan) return rt::AttentionZeros::kNan;
  if (weights.visible == nullptr && hidden == nullptr) return rt::AttentionZeros::kNone;
  if (hidden == weights.softmax->operand(0)) return rt::AttentionZeros::kHiddenScores;
  if (masks.empty()) return std::nullopt;
  const Mask& mask = masks.front();
  if (hidden != nullptr && mask.kind == Kind::kAdd && mask.value == hidden)
    return rt::AttentionZeros::kHiddenMasks;
  if (hidden == nullptr && mask.kind == Kind::kKeep && mask.value == weights.visible)
    return rt::AttentionZeros::kMasked;
  return std::nullopt;
}

// The axes of a batch of matrices, from the last one of `axes` on; those that repeat have no piece.
struct Operand {
  StridedPlace* place;
  Dim offset;
  Axes axes;  // of the batch, which may be fewer, and then row and column
};

// Places all operands over one batch of sizes `batch`.
bool PlaceAll(std::span<const Dim> batch, const std::vector<Operand>& operands,
              Attention& attention) {
  std::vector<Axes> views;
  for (const Operand& operand : operands)
    views.emplace_back(operand.axes.begin(), operand.axes.end() - 2);
  const std::optional<CommonBatch> common = CutBatch(batch, views);
  if (!common || common->sizes.size() + 2 > std::size_t{rt::kMaxRank}) return false;
  attention.batch = common->sizes;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    *operands[i].place = {operands[i].offset, common->strides[i]};
    for (auto axis = operands[i].axes.end() - 2; axis != operands[i].axes.end(); ++axis) {
      if (axis->size() > 1) return false;
      operands[i].place->strides.push_back(axis->empty() ? Dim(0) : axis->front().stride);
    }
  }
  return true;
}

// The axes of a value that lies row-major, at least two.
Axes PlainAxes(const Value& value) {
  Axes axes = WholeView(value).axes;
  if (axes.size() < 2) axes.insert(axes.begin(), 2 - axes.size(), StridedAxis());
  return axes;
}

// Where a mask lies over `scores`, however their batch was divided where it was applied.
std::optional<Axes> MaskAxes(const Mask& mask, const Value& scores) {
  if (!HasSizes(mask.value, mask.kind == Kind::kAdd ? DType::kF32 : DType::kBool) ||
      !IsSizedF32(mask.masked)) {
    return std::nullopt;
  }
  std::optional<StridedView> view =
      Repeated(*mask.value, *mask.masked->type().shape(), *scores.type().shape());
  return view ? std::optional(std::move(view->axes)) : std::nullopt;
}

// Whether the loops can read masks and write results that lie like this.
bool SuitsLoops(const Attention& attention) {
  const auto step = [](const AttentionOperand& operand) { return operand.place.strides.back(); };
  for (const AttentionMasking& mask : attention.masks) {
    const bool fits =
        mask.kind == Kind::kNone || IsUnit(step(mask.matrix)) || IsSame(step(mask.matrix), 0);
    if (!fits) return false;
  }
  return IsUnit(step(attention.y)) || attention.features == 1;
}

// The Transpose that is all that reads the product, so that it may be written in its order.
const Node* FollowingTranspose(const Node& product) {
  if (!product.result()->HasOneUse()) return nullptr;
  const Node* user = product.result()->first_use()->user();
  const bool fits = user != nullptr && user->Is("Transpose") && user->graph() == product.graph();
  return fits && user->attribute("perm") != nullptr ? user : nullptr;
}

// Where the product lies in the result of `transpose`.
Axes AxesInside(const Node& transpose) {
  const Axes outer = PlainAxes(*transpose.result());
  const auto& order = *transpose.attribute("perm")->As<Attribute::Ints>();
  Axes axes(outer.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    axes[static_cast<std::size_t>(order[i])] = outer[i];
  return axes;
}

Dim SizeAt(const Value& value, int from_end) {
  const Shape& shape = *value.type().shape();
  return shape[shape.size() - static_cast<std::size_t>(from_end)];
}

// The sizes of `base` with `keys` in place of the one axis that has `rows`; empty if there is no
// such axis.
Shape WithKeys(const Value& base, const Dim& rows, const Dim& keys) {
  Shape sizes = *base.type().shape();
  const auto is_rows = [&](const Dim& dim) { return IsSame(dim, rows); };
  if (std::ranges::count_if(sizes, is_rows) != 1) return {};
  *std::ranges::find_if(sizes, is_rows) = keys;
  return sizes;
}

class Finder {
 public:
  explicit Finder(std::map<const Node*, Attention>& found) : found_(found) {}

  void Find(const Node& node) {
    const std::optional<Weights> weights = FindWeights(*node.operand(0));
    if (!weights) return;
    const std::optional<Scores> scores = FindScores(*weights);
    if (!scores) return;
    const std::optional<rt::AttentionZeros> zeros = ZerosOf(*weights, scores->masks);
    if (!zeros) return;
    const Node* transpose = FollowingTranspose(node);
    if (transpose != nullptr && IsSizedF32(transpose->result()) &&
        Add(*transpose, node, *scores, *zeros, AxesInside(*transpose)))
      return;
    Add(node, node, *scores, *zeros, PlainAxes(*node.result()));
  }

 private:
  bool Add(const Node& root, const Node& product, const Scores& scores, rt::AttentionZeros zeros,
           Axes y_axes) {
    const Value *queries = scores.product->operand(0), *keys = scores.product->operand(1),
                *values = product.operand(1), *result = product.result();
    if (!AreMatrices(*queries, *keys, *values, *result)) return false;
    const StridedView q = ViewOf(*queries), k = ViewOf(*keys), v = ViewOf(*values);
    if (k.base->is_constant() || v.base->is_constant() || v.scale != 1.0) return false;
    Attention attention;
    attention.q.base = q.base;
    attention.k.base = k.base;
    attention.v.base = v.base;
    attention.queries = SizeAt(*queries, 2);
    attention.keys = SizeAt(*keys, 1);
    if (const Dim rows = SizeAt(*values, 2); !IsSame(attention.keys, rows)) {
      attention.v_sizes = WithKeys(*v.base, rows, attention.keys);
      if (attention.v_sizes.empty()) return false;
    }
    attention.depth = SizeAt(*queries, 1).value();
    attention.features = SizeAt(*result, 1).value();
    attention.scale = static_cast<float>(scores.scale * q.scale * k.scale);
    attention.zeros = zeros;
    Axes k_axes = k.axes;
    std::swap(k_axes[k_axes.size() - 1], k_axes[k_axes.size() - 2]);
    std::vector<Operand> operands = {{&attention.q.place, q.offset, q.axes},
                                     {&attention.k.place, k.offset, std::move(k_axes)},
                                     {&attention.v.place, v.offset, v.axes},
                                     {&attention.y.place, 0, std::move(y_axes)}};
    for (std::size_t i = 0; i < scores.masks.size(); ++i) {
      const Mask& mask = scores.masks[i];
      std::optional<Axes> axes = MaskAxes(mask, *scores.product->result());
      if (!axes) return false;
      AttentionMasking& made = attention.masks[i];
      made = {mask.kind, mask.fill, {mask.value, {}}};
      operands.push_back({&made.matrix.place, 0, std::move(*axes)});
    }
    std::span<const Dim> batch = *result->type().shape();
    if (!PlaceAll(batch.first(batch.size() - 2), operands, attention) || !SuitsLoops(attention))
      return false;
    found_.emplace(&root, std::move(attention));
    return true;
  }

  // Whether these are batches of matrices whose sizes fit each other, with columns that are known.
  // Keys and values may have open lengths that nothing but their products says to be equal.
  static bool AreMatrices(const Value& queries, const Value& keys, const Value& values,
                          const Value& result) {
    for (const Value* value : {&queries, &keys, &values, &result}) {
      if (!IsSizedF32(value) || value->type().shape()->size() < 2) return false;
    }
    const Dim depth = SizeAt(queries, 1), features = SizeAt(values, 1);
    return depth.known() && features.known() && IsSame(depth, SizeAt(keys, 2)) &&
           Equal(SizeAt(keys, 1), SizeAt(values, 2)) != Truth::kNo &&
           IsSame(features, SizeAt(result, 1)) && IsSame(SizeAt(queries, 2), SizeAt(result, 2));
  }

  std::map<const Node*, Attention>& found_;
};

}  // namespace

void FindAttentions(const Graph& graph, std::map<const Node*, Attention>& found) {
  Finder finder(found);
  for (const Node& node : graph.nodes()) {
    if (node.Is("MatMul")) finder.Find(node);
  }
}

}  // namespace dragoman::onednn
