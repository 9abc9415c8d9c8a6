// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/value_bounds.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "core/analysis/affine.h"
#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Beyond this, computation in float32 may leave its range.
constexpr double kMost = 1e30;
constexpr double kMostToSquare = 1e15;
// By how much rounding may make a sum of so many products larger than its terms say.
constexpr double kSlack = 1.1;
constexpr double kMostTerms = 1e6;
// A variance that is nothing but an epsilon of this size still makes no infinity.
constexpr double kLeastEpsilon = 1e-20;
constexpr double kMostOfIntegers = 0x1p64;

bool IsBounded(DType dtype) { return dtype == DType::kF32 || dtype == DType::kF64; }

Bounds Between(double low, double high, bool may_be_nan = false) { return {low, high, may_be_nan}; }

Bounds Within(double reach, bool may_be_nan) { return Between(-reach, reach, may_be_nan); }

// What may leave the range becomes an infinity.
Bounds Rounded(Bounds bounds) {
  if (!(bounds.low > -kMost)) bounds.low = -kInfinity;
  if (!(bounds.high < kMost)) bounds.high = kInfinity;
  return bounds;
}

Bounds Union(const Bounds& a, const Bounds& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.may_be_nan || b.may_be_nan};
}

template <class T>
Bounds BoundsOfElements(std::span<const T> elements) {
  Bounds bounds = Between(kInfinity, -kInfinity);
  for (const T element : elements) {
    if (std::isnan(element)) {
      bounds.may_be_nan = true;
      continue;
    }
    bounds.low = std::min(bounds.low, static_cast<double>(element));
    bounds.high = std::max(bounds.high, static_cast<double>(element));
  }
  return bounds.low <= bounds.high ? bounds : Bounds();
}

Bounds BoundsOfConstant(const Tensor& tensor) {
  return tensor.dtype() == DType::kF32 ? BoundsOfElements(tensor.data<float>())
                                       : BoundsOfElements(tensor.data<double>());
}

// The largest sum of the magnitudes in a row of a matrix with so many rows.
template <class T>
double LargestRowSum(std::span<const T> elements, std::size_t rows) {
  const std::size_t columns = elements.size() / rows;
  double largest = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (const T element : elements.subspan(row * columns, columns)) sum += std::abs(element);
    largest = std::max(largest, sum);
  }
  return largest;
}

Bounds Sum(const Bounds& a, const Bounds& b) {
  const bool cancels =
      (a.low == -kInfinity && b.high == kInfinity) || (a.high == kInfinity && b.low == -kInfinity);
  Bounds sum = Between(a.low + b.low, a.high + b.high, a.may_be_nan || b.may_be_nan || cancels);
  if (std::isnan(sum.low)) sum.low = -kInfinity;
  if (std::isnan(sum.high)) sum.high = kInfinity;
  return Rounded(sum);
}

Bounds Negated(const Bounds& a) { return Between(-a.high, -a.low, a.may_be_nan); }

// Nothing is said of products of infinities.
Bounds Product(const Bounds& a, const Bounds& b) {
  if (std::isinf(a.reach()) || std::isinf(b.reach())) return {};
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return Rounded(Between(low, high, a.may_be_nan || b.may_be_nan));
}

// A quotient by numbers that keep away from 0.
Bounds Quotient(const Bounds& a, const Bounds& b) {
  const double least = b.low > 0 ? b.low : b.high < 0 ? -b.high : 0;
  if (least == 0 || std::isinf(a.reach()) || std::isinf(b.reach())) return {};
  return Rounded(Within(a.reach() / least, a.may_be_nan || b.may_be_nan));
}

// What an element of another type may be; of halves nothing is known.
Bounds BoundsOfType(DType dtype) {
  if (dtype == DType::kBool) return Between(0, 1);
  return IsInteger(dtype) ? Within(kMostOfIntegers, false) : Bounds();
}

// How many elements of `x` lie along its axes from `axis` on; 0 if that is not known.
double SizeFrom(const Value& x, std::int64_t axis) {
  const std::optional<int> rank = x.type().rank();
  if (!rank) return 0;
  double size = 1;
  for (std::int64_t i = axis < 0 ? axis + *rank : axis; i < *rank; ++i)
    size *= static_cast<double>(SizeAlong(x, static_cast<int>(i)).value_or(0));
  return size;
}

// By name: what gives elements of windows or rows, or means of them.
constexpr std::string_view kMeans[] = {"ReduceMean",        "ReduceMax",     "ReduceMin",
                                       "GlobalAveragePool", "GlobalMaxPool", "AveragePool"};
// By name: what makes the mean of a group of elements 0 and their variance 1.
constexpr std::string_view kNormalizations[] = {"LayerNormalization", "RMSNormalization",
                                                "GroupNormalization", "InstanceNormalization"};

bool IsOneOf(const Node& node, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view name) { return node.Is(name); });
}

// Whether the sum of the magnitudes along the last axis is at most 1, but for rounding.
bool WeighsRows(const Value* value) {
  const Node* where = ProducerOf(value, "Where");
  const Node* guarded = where != nullptr ? ReadGuardedSoftmax(*where).softmax : nullptr;
  const Node* softmax = guarded != nullptr ? guarded : ProducerOf(value, "Softmax");
  if (softmax == nullptr) return false;
  const std::int64_t axis = IntAttribute(*softmax, "axis");
  return axis == -1 || axis + 1 == value->type().rank().value_or(0);
}

// How many elements a normalisation takes together, at most; 0 if that is not known.
double NormalizedSize(const Node& node) {
  const bool of_rows = node.Is("LayerNormalization") || node.Is("RMSNormalization");
  return SizeFrom(*node.operand(0), of_rows                         ? IntAttribute(node, "axis")
                                    : node.Is("GroupNormalization") ? 1
                                                                    : 2);
}

}  // namespace

double Bounds::reach() const { return std::max(std::abs(low), std::abs(high)); }

bool Bounds::are_finite() const { return !may_be_nan && reach() < kMost; }

void ValueBounds::Add(const Node& node) {
  if (node.IsDragoman("Fused")) return AddBody(node);
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (result == nullptr || !IsBounded(result->type().dtype())) continue;
    // Further results, as those of normalisations, are other statistics.
    if (i == 0 || OnlyMoves(node)) known_[result] = OfResult(node);
  }
}

// A node whose body reads its operands only.
void ValueBounds::AddBody(const Node& node) {
  const std::vector<Graph*> bodies = node.subgraphs();
  if (bodies.size() != 1) return;
  const Graph& body = *bodies.front();
  for (std::size_t i = 0; i < body.num_inputs() && i < node.num_operands(); ++i)
    Assume(*body.input(i), Of(node.operand(i)));
  for (const Node& inner : body.nodes()) Add(inner);
  for (std::size_t i = 0; i < body.num_outputs() && i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) Assume(*node.result(i), Of(body.output(i)));
  }
}

Bounds ValueBounds::Of(const Value* value) {
  if (value == nullptr) return {};
  if (const auto found = known_.find(value); found != known_.end()) return found->second;
  const Tensor* tensor = value->is_constant() ? value->tensor() : nullptr;
  if (tensor == nullptr || !IsBounded(tensor->dtype()) || tensor->size() == 0) return {};
  return known_[value] = BoundsOfConstant(*tensor);
}

// Elements of operands, or the 0 that pads and triangles have.
Bounds ValueBounds::OfMoved(const Node& node) {
  Bounds bounds = Between(0, 0);
  for (const Use& use : node.operands()) {
    const bool gives =
        use.value() != nullptr && use.value()->type().dtype() == node.result()->type().dtype();
    if (gives) bounds = Union(bounds, Of(use.value()));
  }
  return bounds;
}

Bounds ValueBounds::OfUnary(const Node& node) {
  const Bounds x = Of(node.operand(0));
  const ValueFacts& facts = FactsOf(FindOp(node));
  if (facts.is_between())
    return Between(facts.low, facts.high,
                   x.may_be_nan || (!facts.of_infinities && !x.are_finite()));
  if (facts.stays_near)
    return std::isinf(x.reach()) ? Bounds() : Within(x.reach() + 2, x.may_be_nan);
  if (IsOneOf(node, kMeans))
    return std::isinf(x.reach()) ? Bounds() : Rounded(Within(x.reach() * kSlack, x.may_be_nan));
  if (node.Is("Relu")) return Between(std::max(x.low, 0.0), std::max(x.high, 0.0), x.may_be_nan);
  if (node.Is("Neg")) return Negated(x);
  if (node.Is("Abs")) return Between(0, x.reach(), x.may_be_nan);
  if (node.Is("Sqrt") && x.low >= 0) return Between(0, std::sqrt(x.high) * kSlack, x.may_be_nan);
  if (node.Is("Cast")) {
    const DType from = node.operand(0)->type().dtype();
    return IsBounded(from) ? Rounded(x) : BoundsOfType(from);
  }
  return {};
}

// The largest sum of the magnitudes of a constant's elements along all axes but the first; what the
// bounds of its elements show else.
double ValueBounds::RowSum(const Value& weight, double terms) {
  const Tensor* tensor = weight.is_constant() ? weight.tensor() : nullptr;
  const bool has_rows = tensor != nullptr && tensor->rank() >= 2 && tensor->size() > 0;
  if (!has_rows || !IsBounded(tensor->dtype())) return terms * Of(&weight).reach();
  const auto [found, is_new] = row_sums_.try_emplace(&weight);
  if (is_new) {
    const auto rows = static_cast<std::size_t>(tensor->sizes().front());
    found->second = tensor->dtype() == DType::kF32 ? LargestRowSum(tensor->data<float>(), rows)
                                                   : LargestRowSum(tensor->data<double>(), rows);
  }
  return found->second;
}

// Sums of products: of the last axis of operand 0, or of a window.
Bounds ValueBounds::OfProduct(const Node& node) {
  const Value *x = node.operand(0), *y = node.operand(1);
  const Bounds a = Of(x), b = Of(y);
  if (std::isinf(a.reach()) || std::isinf(b.reach())) return {};
  const double terms = node.Is("Conv") ? SizeFrom(*y, 1) : SizeFrom(*x, -1);
  const bool weighs = node.Is("MatMul") && WeighsRows(x);
  if (!weighs && (terms == 0 || terms > kMostTerms)) return {};
  const double reach = weighs              ? b.reach()
                       : node.Is("MatMul") ? terms * a.reach() * b.reach()
                                           : a.reach() * RowSum(*y, terms);
  const Bounds product = Rounded(Within(reach * kSlack, a.may_be_nan || b.may_be_nan));
  return node.operand(2) != nullptr ? Sum(product, Of(node.operand(2))) : product;
}

// Of n elements with mean 0 and variance 1 none is beyond √n.
Bounds ValueBounds::OfNormalized(const Node& node) {
  const Bounds x = Of(node.operand(0)), scale = Of(node.operand(1));
  const double terms = NormalizedSize(node);
  const bool fits = terms > 0 && terms <= kMostTerms &&
                    FloatAttribute(node, "epsilon") >= static_cast<float>(kLeastEpsilon);
  if (!fits || std::isinf(scale.reach())) return {};
  const bool may_be_nan = x.may_be_nan || x.reach() > kMostToSquare || scale.may_be_nan;
  const Bounds scaled = Rounded(Within(std::sqrt(terms) * scale.reach() * kSlack, may_be_nan));
  return node.operand(2) != nullptr ? Sum(scaled, Of(node.operand(2))) : scaled;
}

// (x - mean) · scale / √(variance + epsilon) + bias
Bounds ValueBounds::OfBatchNormalized(const Node& node) {
  const Bounds variance = Of(node.operand(4));
  if (IntAttribute(node, "training_mode") != 0 || variance.low < 0) return {};
  const double least = std::sqrt(variance.low + FloatAttribute(node, "epsilon"));
  const Bounds centered = Sum(Of(node.operand(0)), Negated(Of(node.operand(3))));
  const Bounds scaled = Product(centered, Of(node.operand(1)));
  const Bounds deviation = Between(least, std::sqrt(variance.high) + 1, variance.may_be_nan);
  return Sum(Quotient(scaled, deviation), Of(node.operand(2)));
}

// Whether the guard replaces whatever is NaN.
bool ValueBounds::ClearsNan(const GuardedSoftmax& guarded) {
  if (guarded.softmax == nullptr) return false;
  const Bounds scores = Of(guarded.softmax->operand(0));
  return guarded.guard == GuardedSoftmax::Guard::kNan ||
         (!scores.may_be_nan && scores.high < kInfinity);
}

Bounds ValueBounds::OfResult(const Node& node) {
  if (OnlyMoves(node) || node.Is("Pad") || node.Is("Trilu")) return OfMoved(node);
  const Bounds x = Of(node.operand(0)), y = Of(node.operand(1));
  if (node.Is("Add")) return Sum(x, y);
  if (node.Is("Sub")) return Sum(x, Negated(y));
  if (node.Is("Mul")) return Product(x, y);
  if (node.Is("Div")) return Quotient(x, y);
  if (node.Is("Softmax")) return Between(0, 1, !x.are_finite());
  if (node.Is("Where")) {
    Bounds either = Union(y, Of(node.operand(2)));
    either.may_be_nan = either.may_be_nan && !ClearsNan(ReadGuardedSoftmax(node));
    return either;
  }
  if (IsOneOf(node, kNormalizations)) return OfNormalized(node);
  if (node.Is("BatchNormalization")) return OfBatchNormalized(node);
  // By name: those that OfProduct reads.
  const bool is_product = node.Is("MatMul") || node.Is("Conv") || node.IsDragoman("Linear");
  return is_product ? OfProduct(node) : OfUnary(node);
}

}  // namespace dragoman
