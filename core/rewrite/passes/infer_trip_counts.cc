// SPDX-License-Identifier: Apache-2.0
// Loops in the words of ONNX: how many iterations there are, states that change, lists of what
// iterations give.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/ir/node_attributes.h"
#include "core/ir/producer.h"
#include "core/rewrite/passes.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

constexpr std::size_t kTrips = 0, kStarts = 1, kStates = 2;  // operands of a Loop
constexpr std::size_t kIteration = 0, kRuns = 1;             // inputs of its body

// Whether `value` is the same in every iteration.
bool IsOutside(const Value& value, const Graph& body) {
  return value.graph() != &body || value.is_constant();
}

std::optional<std::int64_t> IntOf(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  if (tensor == nullptr || tensor->rank() != 0 || !IsInteger(tensor->dtype())) return std::nullopt;
  return tensor->IntAt(0);
}

bool AreSame(const Value& a, const Value& b) {
  const auto left = IntOf(&a), right = IntOf(&b);
  return &a == &b || (left && left == right && a.type().dtype() == b.type().dtype());
}

// "counter < limit", where the loop goes on.
struct Bound {
  Value* counter = nullptr;
  Value* limit = nullptr;
};

std::optional<Bound> ReadBound(const Value* condition) {
  if (const Node* less = ProducerOf(condition, "Less"))
    return Bound{less->operand(0), less->operand(1)};
  if (const Node* more = ProducerOf(condition, "Greater"))
    return Bound{more->operand(1), more->operand(0)};
  return std::nullopt;
}

// A condition as a bound on what `fits` accepts, and what must hold beside it, if anything.
struct BoundedCondition {
  Bound bound;
  Value* other = nullptr;
};

template <class Fits>
std::optional<BoundedCondition> ReadCondition(const Value* condition, const Fits& fits) {
  const auto accepted = [&](const Value* part) {
    const std::optional<Bound> bound = ReadBound(part);
    return bound && fits(*bound) ? bound : std::nullopt;
  };
  if (const auto alone = accepted(condition)) return BoundedCondition{*alone, nullptr};
  const Node* both = ProducerOf(condition, "And");
  for (std::size_t i = 0; both != nullptr && i < 2; ++i) {
    if (const auto part = accepted(both->operand(i)))
      return BoundedCondition{*part, both->operand(1 - i)};
  }
  return std::nullopt;
}

// A state that counts iterations, up to a limit that is known before the first.
struct Counter {
  std::size_t state = 0;
  std::int64_t first = 0;
  Value* limit = nullptr;
  Value* starts = nullptr;     // what must hold before the first iteration beside it, and
  Value* continues = nullptr;  // before each further one; nullptr: nothing
};

// What must hold before the first iteration; nullopt: it is not a bound on the counter.
std::optional<Value*> StartOf(const Node& loop, const Counter& counter) {
  Value* starts = loop.operand(kStarts);
  const std::optional<std::int64_t> limit = IntOf(counter.limit);
  if (starts == nullptr || IsTrue(starts))
    return limit && counter.first < *limit ? std::optional<Value*>(nullptr) : std::nullopt;
  const auto is_first = [&](const Bound& bound) {
    return IntOf(bound.counter) == counter.first && AreSame(*bound.limit, *counter.limit);
  };
  const auto read = ReadCondition(starts, is_first);
  if (read) return read->other;
  // What of it is known has been computed.
  const bool is_known = limit && counter.first < *limit;
  return is_known ? std::optional(starts) : std::nullopt;
}

std::optional<Counter> FindCounter(const Node& loop, const Graph& body) {
  if (loop.operand(kTrips) != nullptr) return std::nullopt;
  const std::size_t states = body.num_inputs() - kStates;
  for (std::size_t i = 0; i < states; ++i) {
    const Value* now = body.input(i + kStates);
    const std::optional<std::int64_t> first = IntOf(loop.operand(i + kStates));
    const Value* next = body.output(i + 1);
    const Node* sum = ProducerOf(next, "Add");
    const bool counts = first && *first >= 0 && sum != nullptr && sum->operand(0) == now &&
                        IntOf(sum->operand(1)) == 1;
    if (!counts) continue;
    const auto is_next = [&](const Bound& bound) {
      return bound.counter == next && IsOutside(*bound.limit, body) &&
             bound.limit->type().rank() == 0;
    };
    const auto read = ReadCondition(body.output(0), is_next);
    if (!read) continue;
    Counter counter{i, *first, read->bound.limit, nullptr, read->other};
    const std::optional<Value*> starts = StartOf(loop, counter);
    if (!starts) continue;
    counter.starts = *starts;
    return counter;
  }
  return std::nullopt;
}

// A value of the graph around `loop` for one that is outside of its body.
Value* Outside(Value* value, const Node& loop, PassContext& context) {
  const Graph* body = GraphAttribute(loop, "body");
  if (!value->is_constant() || value->graph() != body) return value;
  return context.AddConstant(*loop.graph(), *value->tensor(), value->name(), value->origin());
}

// The number of iterations that the limit permits.
Result<Value*> TripsOf(Node& loop, const Counter& counter, PassContext& context) {
  Value* limit = Outside(counter.limit, loop, context);
  if (const auto known = IntOf(limit)) {
    const std::int64_t iterations = std::max(*known, counter.first) - counter.first;
    return context.AddConstant(*loop.graph(), Tensor::Int(iterations), "trips", loop.origin());
  }
  if (limit->type().dtype() != DType::kI64) {
    DRAGOMAN_ASSIGN(limit, context.Insert(loop, "Cast", {{limit}},
                                          {{"to", static_cast<std::int64_t>(DType::kI64)}}));
  }
  if (counter.first == 0) return limit;
  Value* first =
      context.AddConstant(*loop.graph(), Tensor::Int(counter.first), "first", loop.origin());
  // Never below 0, and so within 64 bits: the counter begins at 0 or above.
  DRAGOMAN_ASSIGN(limit, context.Insert(loop, "Max", {{limit, first}}));
  return context.Insert(loop, "Sub", {{limit, first}});
}

// The counter in the body, made of the number of the iteration.
Result<Value*> CountIn(Graph& body, const Counter& counter, PassContext& context) {
  const Value& state = *body.input(counter.state + kStates);
  Value* iteration = body.input(kIteration);
  Node* front = body.first_node();
  if (state.type().dtype() != DType::kI64) {
    DRAGOMAN_ASSIGN(iteration,
                    context.Insert(*front, "Cast", {{iteration}},
                                   {{"to", static_cast<std::int64_t>(state.type().dtype())}}));
  }
  if (counter.first == 0) return iteration;
  DRAGOMAN_ASSIGN(Tensor first, Tensor::Full(state.type().dtype(), {}, counter.first));
  Value* begin = context.AddConstant(body, std::move(first), "first", nullptr);
  return context.Insert(*front, "Add", {{iteration, begin}});
}

// Whether `size` is the same in all iterations: a size of what there is before the first.
bool IsFixed(const Dim& size, const Node& loop) {
  const auto has_it = [&](const Value* value) {
    const Shape* shape = value != nullptr ? value->type().shape() : nullptr;
    return shape != nullptr && std::ranges::any_of(*shape, [&](const Dim& other) {
             return Equal(size, other) == Truth::kYes;
           });
  };
  return size.known() ||
         std::ranges::any_of(loop.operands(),
                             [&](const Use& use) { return has_it(use.value()); }) ||
         std::ranges::any_of(loop.graph()->inputs(),
                             [&](const auto& input) { return has_it(input.get()); });
}

// The tensor that each iteration appends to a sequence that is empty at first; nullptr: it is no
// such sequence, or its elements may have other sizes each.
Value* ElementOf(const Node& loop, const Graph& body, std::size_t state) {
  const Value* list = body.input(state + kStates);
  const Value* next = body.output(state + 1);
  const Node* insert = ProducerOf(next, "SequenceInsert");
  const bool grows = ProducerOf(loop.operand(state + kStates), "SequenceEmpty") != nullptr &&
                     insert != nullptr && insert->operand(0) == list &&
                     insert->operand(2) == nullptr && list->HasOneUse() && next->HasOneUse();
  Value* element = grows ? insert->operand(1) : nullptr;
  const Shape* shape = element != nullptr ? element->type().shape() : nullptr;
  const bool fits = shape != nullptr && !IsOutside(*element, body) &&
                    std::ranges::all_of(*shape, [&](const Dim& d) { return IsFixed(d, loop); });
  return fits ? element : nullptr;
}

// The row that each iteration puts after a list that is empty at first; nullptr: it is no such
// list.
Value* RowOf(const Node& loop, const Graph& body, std::size_t state) {
  const Tensor* empty = ConstantOf(loop.operand(state + kStates));
  const Value* list = body.input(state + kStates);
  const Value* next = body.output(state + 1);
  const Node* joined = ProducerOf(next, "Concat");
  const bool grows = empty != nullptr && empty->rank() > 0 && empty->sizes()[0] == 0 &&
                     joined != nullptr && joined->num_operands() == 2 &&
                     joined->operand(0) == list && list->HasOneUse() && next->HasOneUse() &&
                     IntAttribute(*joined, "axis", 0) == 0;
  const Node* put = grows ? ProducerOf(joined->operand(1), "Unsqueeze") : nullptr;
  const Tensor* axes = put != nullptr ? ConstantOf(put->operand(1)) : nullptr;
  if (axes == nullptr || axes->size() != 1 || axes->IntAt(0) != 0) return nullptr;
  Value* row = put->operand(0);
  const Shape* shape = row->type().shape();
  const auto sizes = shape != nullptr ? KnownShape(*shape) : std::nullopt;
  const bool fits = sizes && std::ranges::equal(*sizes, std::span(empty->sizes()).subspan(1)) &&
                    !IsOutside(*row, body);
  return fits ? row : nullptr;
}

// Whether nothing reads a state but what makes its next value.
bool IsIdle(const Node& loop, const Graph& body, std::size_t state) {
  const Value* result = loop.result(state);
  const Value* now = body.input(state + kStates);
  const Value* next = body.output(state + 1);
  if ((result != nullptr && result->used()) || next->producer() == nullptr) return false;
  const bool reads_itself_only = now->HasOneUse() && now->first_use()->user() == next->producer();
  return (!now->used() || reads_itself_only) && next->HasOneUse() &&
         next->producer()->num_results() == 1 && next->graph() == &body;
}

// Whether no iteration changes a state, which is no other output either: outputs are values of the
// body.
bool Stays(const Graph& body, std::size_t state, std::span<Value* const> rows) {
  const Value* now = body.input(state + kStates);
  const auto gives_it = [&](const Use& output) { return output.value() == now; };
  return body.output(state + 1) == now && std::ranges::count_if(body.outputs(), gives_it) == 1 &&
         std::ranges::find(rows, now) == rows.end();
}

// Whether a state is in each iteration what says that it runs.
bool SaysItRuns(const Node& loop, const Graph& body, std::size_t state) {
  return loop.operand(kStarts) != nullptr &&
         loop.operand(state + kStates) == loop.operand(kStarts) &&
         body.output(state + 1) == body.output(0);
}

bool IsUnreadCondition(const Node& loop, const Graph& body, std::size_t state) {
  const Value* result = loop.result(state);
  return SaysItRuns(loop, body, state) && !body.input(state + kStates)->used() &&
         (result == nullptr || !result->used());
}

// An iteration runs where its condition holds: whatever reads that in the body reads true. Whether
// something did.
bool ReadTrue(const Node& loop, Graph& body, PassContext& context) {
  std::vector<Use*> reads;
  const auto collect = [&](const Value& value) {
    for (Use* use = value.first_use(); use != nullptr; use = use->next()) {
      if (use->user() != nullptr) reads.push_back(use);
    }
  };
  collect(*body.input(kRuns));
  for (std::size_t i = 0; i + kStates < body.num_inputs(); ++i) {
    if (SaysItRuns(loop, body, i)) collect(*body.input(i + kStates));
  }
  if (reads.empty()) return false;
  const DType dtype = body.input(kRuns)->type().dtype();
  if (dtype != DType::kBool || body.input(kRuns)->type().rank() != 0) return false;
  const bool holds = true;
  Value* constant =
      context.AddConstant(body, Tensor::Of<bool>({}, std::span(&holds, 1)), "holds", loop.origin());
  for (Use* use : reads) use->Set(constant);
  return true;
}

// A bound that no loop reaches, as tf2onnx writes for none, goes where a condition ends the loop.
bool DropBound(Node& loop) {
  const Value* trips = loop.operand(kTrips);
  const bool is_none = trips != nullptr && loop.operand(kStarts) != nullptr &&
                       IntOf(trips) == std::numeric_limits<std::int64_t>::max();
  if (is_none) loop.set_operand(kTrips, nullptr);
  return is_none;
}

// In place of `loop` one with these operands, whose body has lost the states that `goes` names and
// gives `rows`, of states that are lists, after its other results.
Status Restate(Node& loop, const std::vector<Value*>& first_operands, const std::vector<bool>& goes,
               const std::vector<Value*>& rows, PassContext& context) {
  Graph& body = *loop.subgraphs().front();
  const std::size_t states = goes.size();
  std::vector<Value*> operands = first_operands;
  std::vector<std::optional<std::size_t>> places(loop.num_results());
  std::size_t next = 0;
  for (std::size_t i = 0; i < loop.num_results(); ++i) {
    if (i < states && goes[i]) continue;
    if (i < states) operands.push_back(loop.operand(i + kStates));
    places[i] = next++;
  }
  for (std::size_t i = 0; i < states; ++i) {
    if (rows[i] == nullptr) continue;
    body.AddOutput(rows[i]);
    places[i] = next++;
  }
  for (std::size_t i = states; i-- > 0;) {
    if (!goes[i]) continue;
    Node* maker = body.output(i + 1)->producer();
    body.RemoveOutput(i + 1);
    Value* now = body.input(i + kStates);
    if (now->used() && maker != nullptr) context.Erase(*maker);
    if (now->used()) now->ReplaceAllUsesWith(loop.operand(i + kStates));
    body.RemoveInput(i + kStates);
  }
  std::vector<NamedAttribute> attributes = std::move(loop.attributes());
  loop.attributes().clear();
  DRAGOMAN_ASSIGN(Node * made,
                  context.InsertNode(loop, "Loop", operands, std::move(attributes), next));
  made->set_name(loop.name());
  std::vector<Value*> by(loop.num_results(), nullptr);
  for (std::size_t i = 0; i < by.size(); ++i) {
    const bool is_read = loop.result(i) != nullptr && loop.result(i)->used();
    if (places[i]) by[i] = made->result(*places[i]);
    if (is_read && loop.result(i)->type().kind() == Type::Kind::kSequence && i < states &&
        goes[i] && rows[i] != nullptr) {
      DRAGOMAN_ASSIGN(by[i], context.Insert(loop, "SplitToSequence", {{by[i]}},
                                            {{"keepdims", std::int64_t{0}}}));
    }
    if (!places[i] && is_read) by[i] = loop.operand(i + kStates);  // no iteration changes it
  }
  DRAGOMAN_TRY(context.InsertCopies(loop, by));
  context.Replace(loop, by);
  return {};
}

// Loop(_, i < n and c, i, …) that adds 1 to i = Loop(n - i, c, …); a list that each iteration makes
// longer by a row = the rows that iterations give; a state that nothing reads, or changes, goes; in
// an iteration, the condition to run it is true.
Result<bool> RestateLoop(Node& loop, PassContext& context) {
  if (!loop.Is("Loop") || loop.subgraphs().size() != 1) return false;
  Graph& body = *loop.subgraphs().front();
  if (body.num_inputs() < kStates || body.num_inputs() != loop.num_operands() ||
      body.num_outputs() != loop.num_results() + 1)
    return false;
  const bool had_bound = DropBound(loop);
  const bool was_read = ReadTrue(loop, body, context);
  const std::size_t states = body.num_inputs() - kStates;
  std::vector<Value*> operands = {loop.operand(kTrips), loop.operand(kStarts)};
  const std::optional<Counter> counter = FindCounter(loop, body);
  if (counter) {
    DRAGOMAN_ASSIGN(operands[kTrips], TripsOf(loop, *counter, context));
    operands[kStarts] = counter->starts;
    DRAGOMAN_ASSIGN(Value * count, CountIn(body, *counter, context));
    const Value* next = body.output(counter->state + 1);
    Node* sum = next->producer();
    body.input(counter->state + kStates)->ReplaceAllUsesWith(count);
    sum->set_operand(0, body.input(counter->state + kStates));
    Value* continues = counter->continues;
    if (continues == nullptr || continues == counter->starts) continues = body.input(kRuns);
    if (continues->graph() != &body) {
      DRAGOMAN_ASSIGN(continues, context.Insert(*sum, "Identity", {{continues}}));
    }
    body.SetOutput(0, continues);
    // What only the bound read. By name: these three are what FindCounter takes for one.
    for (Node* node = body.last_node(); node != nullptr;) {
      Node* before = node->prev();
      const bool asks = node->Is("Less") || node->Is("Greater") || node->Is("And");
      if (asks && !node->result()->used()) context.Erase(*node);
      node = before;
    }
  }
  std::vector<Value*> rows;
  for (std::size_t i = 0; i < states; ++i) {
    Value* element = ElementOf(loop, body, i);
    rows.push_back(element != nullptr ? element : RowOf(loop, body, i));
  }
  std::vector<bool> goes(states, false);
  for (std::size_t i = 0; i < states; ++i)
    goes[i] = rows[i] != nullptr || Stays(body, i, rows) || IsIdle(loop, body, i) ||
              IsUnreadCondition(loop, body, i);
  // What holds before the first iteration for sure goes unsaid.
  const bool starts = operands[kStarts] != nullptr && IsTrue(operands[kStarts]);
  if (starts) operands[kStarts] = nullptr;
  if (!counter && std::ranges::count(goes, true) == 0) {
    if (starts) loop.set_operand(kStarts, nullptr);
    return had_bound || was_read || starts;
  }
  context.Explain(loop, "says how many iterations it has, and loses states that are none");
  DRAGOMAN_TRY(Restate(loop, operands, goes, rows, context));
  return true;
}

}  // namespace

Result<bool> InferTripCounts(Graph& graph, PassContext& context) {
  bool changed = false;
  for (Node& node : graph.nodes()) {
    DRAGOMAN_ASSIGN(const bool restated, RestateLoop(node, context));
    changed = changed || restated;
  }
  return changed;
}

}  // namespace dragoman
