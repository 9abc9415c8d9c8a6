// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/find_rotary.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codegen/onednn/plan/strided_view.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/ir/producer.h"
#include "core/rewrite/joined_parts.h"

namespace dragoman::onednn {
namespace {

using Axes = std::vector<StridedAxis>;

// Rows, in memory: the last axis of a view apart from the others.
struct Rows {
  const Value* base = nullptr;
  Dim offset = 0;
  double scale = 1.0;
  Axes batch;
  std::int64_t size = 1;
  std::int64_t stride = 1;
};

// With the last axes that are 1 left out, `ones` of them.
std::optional<Rows> RowsOf(const Value* value, std::size_t ones = 0) {
  if (!HasSizes(value, DType::kF32) || value->type().shape()->size() < ones + 1)
    return std::nullopt;
  StridedView view = ViewOf(*value);
  for (; ones > 0; --ones) {
    if (!view.axes.back().empty()) return std::nullopt;
    view.axes.pop_back();
  }
  const StridedAxis last = std::move(view.axes.back());
  view.axes.pop_back();
  if (last.size() > 1) return std::nullopt;
  Rows rows{view.base, view.offset, view.scale, std::move(view.axes), 1, 1};
  if (!last.empty()) {
    if (!last[0].size.known() || !last[0].stride.known()) return std::nullopt;
    rows.size = last[0].size.value();
    rows.stride = last[0].stride.value();
  }
  return rows;
}

// Whether `a` and `b` are rows of one size in one batch; they may begin at different elements.
bool LieAlike(const Rows& a, const Rows& b) {
  return a.base == b.base && a.batch == b.batch && a.size == b.size && a.stride == b.stride;
}

bool AreUnscaled(const Rows& a, const Rows& b) { return a.scale == 1.0 && b.scale == 1.0; }

// The rows of which `first` and `second` are the elements of all pairs.
struct Pairs {
  Rows rows;
  bool interleaved = false;
};

std::optional<Pairs> JoinPairs(const Rows& first, const Rows& second) {
  if (!LieAlike(first, second)) return std::nullopt;
  Pairs pairs{first, first.stride == 2};
  pairs.rows.size = 2 * first.size;
  pairs.rows.stride = 1;
  const std::int64_t distance = pairs.interleaved ? 1 : first.size;
  const bool fits = (pairs.interleaved || first.stride == 1 || first.size == 1) &&
                    IsSame(second.offset - first.offset, distance);
  return fits ? std::optional(std::move(pairs)) : std::nullopt;
}

// The Concat along the last axis of two operands that gives `value`.
const Node* PairConcat(const Value* value) {
  const Node* concat = ProducerOf(value, "Concat");
  const bool fits = concat != nullptr && concat->num_operands() == 2 &&
                    HasSizes(value, DType::kF32) &&
                    AxisIn(*concat, *value) == *value->type().rank() - 1;
  return fits ? concat : nullptr;
}

// The same, seen through a Reshape that joins the pairs (…, pairs, 2) to rows.
const Node* JoinedConcat(const Value* value) {
  const Node* reshape = ProducerOf(value, "Reshape");
  if (reshape == nullptr) return nullptr;
  const Node* concat = PairConcat(reshape->operand(0));
  if (concat == nullptr || !HasSizes(value, DType::kF32)) return nullptr;
  const Shape &from = *concat->result()->type().shape(), &to = *value->type().shape();
  const bool fits = from.size() == to.size() + 1 && IsSame(from.back(), 2) &&
                    IsSame(to.back(), Dim(2) * from[from.size() - 2]);
  return fits ? concat : nullptr;
}

// The pairs of which `concat` gives (-second, first).
std::optional<Pairs> ExchangedPairs(const Node& concat, bool interleaved) {
  const std::size_t ones = interleaved ? 1 : 0;
  std::optional<Rows> second = RowsOf(concat.operand(0), ones);
  const std::optional<Rows> first = RowsOf(concat.operand(1), ones);
  if (!first || !second || second->scale != -1.0 || first->scale != 1.0) return std::nullopt;
  std::optional<Pairs> pairs = JoinPairs(*first, *second);
  return pairs && pairs->interleaved == interleaved ? std::move(pairs) : std::nullopt;
}

// Both operands of a product of two values.
struct Product {
  const Value* x = nullptr;
  const Value* table = nullptr;
};

// Both ways to read `value` as a product that has the sizes of x.
std::vector<Product> ProductsOf(const Value* value) {
  std::vector<Product> products;
  const Node* mul = ProducerOf(value, "Mul");
  for (std::size_t i = 0; mul != nullptr && i < 2; ++i) {
    if (SameShape(*mul->operand(i), *value))
      products.push_back({mul->operand(i), mul->operand(1 - i)});
  }
  return products;
}

struct Turn {
  Pairs pairs;
  const Value* cos = nullptr;
  const Value* sin = nullptr;
  bool whole_tables = false;
};

// x · cos + exchanged(x) · sin.
std::optional<Turn> WholeTurn(const Product& kept, const Product& exchanged) {
  const bool interleaved = PairConcat(exchanged.x) == nullptr;
  const Node* concat = interleaved ? JoinedConcat(exchanged.x) : PairConcat(exchanged.x);
  if (concat == nullptr) return std::nullopt;
  std::optional<Pairs> pairs = ExchangedPairs(*concat, interleaved);
  const std::optional<Rows> x = RowsOf(kept.x);
  const bool fits = pairs && x && LieAlike(pairs->rows, *x) && x->scale == 1.0 &&
                    IsSame(x->offset, pairs->rows.offset);
  if (!fits) return std::nullopt;
  return Turn{std::move(*pairs), kept.table, exchanged.table, true};
}

std::optional<Turn> FindWholeTurn(const Node& add) {
  for (std::size_t i = 0; i < 2; ++i) {
    for (const Product& kept : ProductsOf(add.operand(i))) {
      for (const Product& exchanged : ProductsOf(add.operand(1 - i))) {
        if (std::optional<Turn> turn = WholeTurn(kept, exchanged)) return turn;
      }
    }
  }
  return std::nullopt;
}

// Whether `sum` is first · sin + second · cos, in any order.
bool IsSecond(const Value* sum, const Product& first, const Product& second) {
  const Node* add = ProducerOf(sum, "Add");
  const auto is = [](const Value* value, const Value* a, const Value* b) {
    const Node* mul = ProducerOf(value, "Mul");
    return mul != nullptr && ((mul->operand(0) == a && mul->operand(1) == b) ||
                              (mul->operand(0) == b && mul->operand(1) == a));
  };
  if (add == nullptr) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    if (is(add->operand(i), first.x, second.table) &&
        is(add->operand(1 - i), second.x, first.table))
      return true;
  }
  return false;
}

// first · cos - second · sin and first · sin + second · cos, put together by `concat`.
std::optional<Turn> FindPartTurn(const Node& concat) {
  const Value *low = concat.operand(0), *high = concat.operand(1);
  const Node *up = ProducerOf(low, "Unsqueeze"), *up_high = ProducerOf(high, "Unsqueeze");
  const bool interleaved = up != nullptr && up_high != nullptr;
  if (interleaved) {
    if (!IsSame(concat.result()->type().shape()->back(), 2)) return std::nullopt;
    low = up->operand(0);
    high = up_high->operand(0);
  }
  const Node* sub = ProducerOf(low, "Sub");
  if (sub == nullptr) return std::nullopt;
  for (const Product& first : ProductsOf(sub->operand(0))) {
    for (const Product& second : ProductsOf(sub->operand(1))) {
      const std::optional<Rows> a = RowsOf(first.x), b = RowsOf(second.x);
      if (!a || !b || !AreUnscaled(*a, *b) || !IsSecond(high, first, second)) continue;
      std::optional<Pairs> pairs = JoinPairs(*a, *b);
      const bool fits = pairs && pairs->interleaved == interleaved;
      if (fits) return Turn{std::move(*pairs), first.table, second.table, false};
    }
  }
  return std::nullopt;
}

// Where the rows of a table lie; they have an element for each of `size`.
std::optional<Rows> TableRows(const Value* table, std::int64_t size, std::size_t rank) {
  std::optional<Rows> rows = RowsOf(table);
  const bool fits = rows && rows->scale == 1.0 && rows->size == size &&
                    rows->batch.size() <= rank && (rows->stride == 1 || size == 1);
  return fits ? std::move(rows) : std::nullopt;
}

std::optional<Rotary> Place(const Turn& turn, std::span<const Dim> batch) {
  const Rows& x = turn.pairs.rows;
  const std::int64_t size = turn.whole_tables ? x.size : x.size / 2;
  const std::optional<Rows> cos = TableRows(turn.cos, size, batch.size()),
                            sin = TableRows(turn.sin, size, batch.size());
  if (!cos || !sin || x.base->is_constant() || x.size < 2) return std::nullopt;
  const Axes views[] = {x.batch, cos->batch, sin->batch};
  const std::optional<CommonBatch> common = CutBatch(batch, views);
  if (!common) return std::nullopt;
  return Rotary{common->sizes,
                x.size / 2,
                turn.pairs.interleaved,
                turn.whole_tables,
                x.base,
                cos->base,
                sin->base,
                {x.offset, common->strides[0]},
                {cos->offset, common->strides[1]},
                {sin->offset, common->strides[2]}};
}

}  // namespace

void FindRotaries(const Graph& graph, std::map<const Node*, Rotary>& found) {
  for (const Node& node : graph.nodes()) {
    std::optional<Turn> turn;
    if (node.Is("Add") && HasSizes(node.result(), DType::kF32)) turn = FindWholeTurn(node);
    if (PairConcat(node.result()) == &node) turn = FindPartTurn(node);
    if (!turn) continue;
    std::span<const Dim> batch = *node.result()->type().shape();
    batch = batch.first(turn->pairs.rows.batch.size());
    if (std::optional<Rotary> rotary = Place(*turn, batch))
      found.emplace(&node, std::move(*rotary));
  }
}

}  // namespace dragoman::onednn
