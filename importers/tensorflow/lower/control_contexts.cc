// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/lower/control_contexts.h"

#include <algorithm>
#include <queue>
#include <utility>

#include "core/ir/find_as.h"
#include "importers/tensorflow/graph/graph_names.h"

namespace dragoman::tf {
namespace {

// How many results of a Switch, or a _SwitchN, data may pass through.
std::int64_t SidesOf(const Node& node) {
  const Attribute* count = node.op().type == "_SwitchN" ? node.attribute("num_outs") : nullptr;
  const auto* number = count != nullptr ? count->As<std::int64_t>() : nullptr;
  const auto results = static_cast<std::int64_t>(NumDataResults(node));
  return std::max(number != nullptr ? *number : 2, results);
}

// Whether it may give a variable of version 1, of which a copy keeps what it held then.
bool GivesReference(const Node& node) {
  const std::string_view type = node.op().type;
  return IsVariable(node) || type.starts_with("Assign") || type.starts_with("Ref");
}

}  // namespace

Status ControlContexts::Find() {
  FindLive();
  FindRoles();
  DRAGOMAN_TRY(Sort());
  return FindContexts();
}

void ControlContexts::FindLive() {
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> stack;
  const auto reach = [&](const Value* value) {
    if (value == nullptr || fed_.contains(value) || value->producer() == nullptr) return;
    if (seen.insert(value->producer()).second) stack.push_back(value->producer());
  };
  for (const Value* value : wanted_) reach(value);
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    for (const Use& use : node->operands()) reach(use.value());
  }
  for (const Node& node : graph_.nodes()) {
    if (!seen.contains(&node)) continue;
    numbers_[&node] = static_cast<int>(nodes_.size());
    nodes_.push_back(&node);
  }
}

void ControlContexts::FindRoles() {
  passes_.assign(nodes_.size(), -1);
  merges_.resize(nodes_.size());
  predicates_.resize(nodes_.size());
  const auto type_of = [&](const Value* value) {
    const int n = ProducerOf(value);
    return n == kNone ? std::string_view() : PlainType(node(n));
  };
  for (const Node* node : nodes_) {
    const std::string_view type = PlainType(*node);
    Role role = Role::kPlain;
    if (type == "Switch") {
      role = type_of(node->operand(1)) == "LoopCond" ? Role::kLoopSwitch : Role::kSwitch;
    } else if (type == "Merge") {
      role = Role::kMerge;
      for (std::size_t i = 0; i < NumDataOperands(*node); ++i) {
        if (type_of(node->operand(i)) == "NextIteration") role = Role::kLoopMerge;
      }
    } else if (type == "Enter") {
      role = Role::kEnter;
    } else if (type == "Exit") {
      role = Role::kExit;
    } else if (type == "NextIteration") {
      role = Role::kNext;
    }
    roles_.push_back(role);
    if (role != Role::kEnter) continue;
    const auto [found, added] = frame_numbers_.emplace(FindText(node->attributes(), "frame_name"),
                                                       static_cast<int>(frames_.size()));
    if (added) frames_.push_back({found->first, {}, kNone, kNone, kNone});
    frames_[static_cast<std::size_t>(found->second)].enters.push_back(
        static_cast<int>(roles_.size()) - 1);
  }
  for (std::size_t i = 0; i < frames_.size(); ++i)
    frames_[i].barrier = static_cast<int>(nodes_.size() + i);
}

void ControlContexts::ForEachEdgeTo(int to, const Visit& visit) const {
  for (const Use& use : node(to).operands()) {
    const int from = ProducerOf(use.value());
    if (from == kNone || (role(to) == Role::kLoopMerge && role(from) == Role::kNext)) continue;
    visit(from, to);
  }
}

void ControlContexts::ForEachEdge(const Visit& visit) const {
  for (int to = 0; to < static_cast<int>(nodes_.size()); ++to) ForEachEdgeTo(to, visit);
}

// Nodes after what they read; the barrier of a frame comes after all that enters it, and before all
// that reads something that entered.
Status ControlContexts::Sort() {
  const std::size_t count = nodes_.size() + frames_.size();
  std::vector<std::vector<int>> next(count);
  std::vector<int> waits(count, 0);
  const auto add = [&](int from, int to) {
    next[static_cast<std::size_t>(from)].push_back(to);
    ++waits[static_cast<std::size_t>(to)];
  };
  std::vector<int> barrier_of(nodes_.size(), kNone);
  for (const Frame& frame : frames_) {
    for (const int enter : frame.enters) {
      barrier_of[static_cast<std::size_t>(enter)] = frame.barrier;
      add(enter, frame.barrier);
    }
  }
  ForEachEdge([&](int from, int to) {
    const int barrier = barrier_of[static_cast<std::size_t>(from)];
    add(barrier != kNone ? barrier : from, to);
  });
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (std::size_t i = 0; i < count; ++i) {
    if (waits[i] == 0) ready.push(static_cast<int>(i));
  }
  while (!ready.empty()) {
    const int n = ready.top();
    ready.pop();
    order_.push_back(n);
    for (const int to : next[static_cast<std::size_t>(n)]) {
      if (--waits[static_cast<std::size_t>(to)] == 0) ready.push(to);
    }
  }
  if (order_.size() == count) return {};
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (waits[i] > 0) return InvalidInput("it depends on itself").At(nodes_[i]->Describe());
  }
  return Internal("frames that wait for each other");
}

bool ControlContexts::IsAbove(int a, int b) const {
  while (b != kNone && b != a) b = contexts_[static_cast<std::size_t>(b)].parent;
  return b == a;
}

int ControlContexts::Deeper(int a, int b) const {
  if (a == kDead || b == kDead) return kDead;
  if (IsAbove(a, b)) return b;
  return IsAbove(b, a) ? a : kNone;
}

int ControlContexts::MakeContext(Context made) {
  made.depth = context(made.parent).depth + 1;
  contexts_.push_back(made);
  return static_cast<int>(contexts_.size()) - 1;
}

Status ControlContexts::FindContexts() {
  node_contexts_.assign(nodes_.size(), kRoot);
  for (const int n : order_) {
    if (n < static_cast<int>(nodes_.size())) {
      DRAGOMAN_TRY(FindContext(n));
      continue;
    }
    const int number = n - static_cast<int>(nodes_.size());
    Frame& frame = frames_[static_cast<std::size_t>(number)];
    int parent = kRoot;
    for (const int enter : frame.enters) {
      parent = Deeper(parent, node_contexts_[static_cast<std::size_t>(enter)]);
      if (parent == kNone) return NotStructured(enter);
    }
    frame.context = parent;
    if (parent != kDead) {
      frame.context = MakeContext({parent, 0, number, nullptr, 0});
      if (context(frame.context).depth > kMaxGraphNesting)
        return Unsupported("conditions and loops nest too deep")
            .At(node(frame.enters.front()).Describe());
    }
    for (const int enter : frame.enters) {
      node_contexts_[static_cast<std::size_t>(enter)] = frame.context;
      for (std::size_t i = 0; i < node(enter).num_results(); ++i)
        value_contexts_[node(enter).result(i)] = frame.context;
    }
  }
  return {};
}

Status ControlContexts::FindContext(int n) {
  const Node& source = node(n);
  if (role(n) == Role::kMerge) return SetMerge(n);
  int found = kRoot;
  for (const Use& use : source.operands()) {
    const int from = ProducerOf(use.value());
    if (from == kNone) continue;
    if (role(n) == Role::kLoopMerge && role(from) == Role::kNext) continue;
    found = Deeper(found, ContextOf(use.value()));
    if (found == kNone) return NotStructured(n);
  }
  if (role(n) == Role::kSwitch && found != kDead) return SetSwitch(n, found);
  if (role(n) == Role::kExit && found != kDead) {
    if (context(found).frame == kNone) return NotStructured(n);
    found = context(found).parent;
  }
  if (role(n) == Role::kNext && found != kDead) {
    int around = found;
    while (around != kNone && context(around).frame == kNone) around = context(around).parent;
    if (around == kNone) return InvalidInput("it is in no loop").At(source.Describe());
  }
  node_contexts_[static_cast<std::size_t>(n)] = found;
  for (std::size_t i = 0; i < source.num_results(); ++i) value_contexts_[source.result(i)] = found;
  return {};
}

// Copies decide as what they copy does: tf.cond's own switch reads the predicate, those of its data
// a copy of it.
const Value* ControlContexts::PredicateOf(const Node& source) const {
  const Value* predicate = source.operand(1);
  for (int from = ProducerOf(predicate); from != kNone && node(from).op().type == "Identity";
       from = ProducerOf(predicate)) {
    const Value* copied = node(from).operand(0);
    if (const int of = ProducerOf(copied); of != kNone && GivesReference(node(of))) break;
    predicate = copied;
  }
  return predicate;
}

// The results lie in the sides of the predicate; in a side of it already, one passes.
Status ControlContexts::SetSwitch(int n, int home) {
  const Node& source = node(n);
  const Value* predicate = PredicateOf(source);
  node_contexts_[static_cast<std::size_t>(n)] = home;
  predicates_[static_cast<std::size_t>(n)] = predicate;
  const std::int64_t sides = SidesOf(source);
  if (sides < 1 || sides > kMaxGraphNesting)
    return Unsupported(std::to_string(sides) + " branches are not supported").At(source.Describe());
  int decided = kNone;
  for (int c = home; c != kNone; c = context(c).parent) {
    if (context(c).predicate == predicate && decided == kNone) decided = context(c).side;
  }
  for (std::size_t i = 0; i < source.num_results(); ++i) {
    const Value* result = source.result(i);
    if (result == nullptr) continue;
    if (IsControl(result)) {
      value_contexts_[result] = home;
      continue;
    }
    const int side = static_cast<int>(i);
    if (decided != kNone) {
      value_contexts_[result] = side == decided ? home : kDead;
      passes_[static_cast<std::size_t>(n)] = 0;
      continue;
    }
    const auto key = std::make_tuple(home, predicate, side);
    auto known = sides_.find(key);
    if (known == sides_.end()) {
      const int made = MakeContext({home, 0, kNone, predicate, side, static_cast<int>(sides)});
      if (context(made).depth > kMaxGraphNesting)
        return Unsupported("conditions and loops nest too deep").At(source.Describe());
      known = sides_.emplace(key, made).first;
    }
    value_contexts_[result] = known->second;
  }
  return {};
}

// A value that no edge puts into its side, such as a constant, counts as in the other one.
int ControlContexts::BesideOther(int given, int other) {
  const Context& beside = context(other);
  if (beside.parent != given || beside.predicate == nullptr || beside.sides != 2) return given;
  const Value* predicate = beside.predicate;
  const int side = 1 - beside.side;
  const auto [known, added] = sides_.emplace(std::make_tuple(given, predicate, side), kNone);
  if (added) known->second = MakeContext({given, 0, kNone, predicate, side});
  return known->second;
}

Status ControlContexts::SetMerge(int n) {
  const Node& source = node(n);
  std::vector<int> alive;
  for (std::size_t i = 0; i < NumDataOperands(source); ++i) {
    if (ContextOf(source.operand(i)) != kDead) alive.push_back(static_cast<int>(i));
  }
  const auto set = [&](int found) {
    node_contexts_[static_cast<std::size_t>(n)] = found;
    for (std::size_t i = 0; i < source.num_results(); ++i)
      value_contexts_[source.result(i)] = found;
  };
  const auto of = [&](int i) { return ContextOf(source.operand(static_cast<std::size_t>(i))); };
  if (alive.empty()) {
    set(kDead);
    return {};
  }
  // What arrives first: of several that always do, any.
  bool same = true;
  for (const int i : alive) same = same && of(i) == of(alive.front());
  if (same) {
    passes_[static_cast<std::size_t>(n)] = alive.front();
    set(of(alive.front()));
    return {};
  }
  std::vector<int> from;
  for (const int i : alive) from.push_back(of(i));
  if (alive.size() == 2) {
    const int first = from[0];
    from[0] = BesideOther(first, from[1]);
    from[1] = BesideOther(from[1], first);
  }
  const Context& first = context(from[0]);
  CondResult& result = merges_[static_cast<std::size_t>(n)];
  result.merge = &source;
  result.operands.assign(static_cast<std::size_t>(first.sides), kNone);
  bool fits = first.predicate != nullptr && alive.size() == result.operands.size();
  for (std::size_t i = 0; i < alive.size() && fits; ++i) {
    const Context& arriving = context(from[i]);
    fits = arriving.parent == first.parent && arriving.predicate == first.predicate;
    if (!fits) break;
    int& operand = result.operands[static_cast<std::size_t>(arriving.side)];
    fits = operand == kNone;
    operand = alive[i];
  }
  if (!fits) return NotStructured(n);
  if (const Value* place = NumDataResults(source) > 1 ? source.result(1) : nullptr)
    result.gives_place = place->used() || std::ranges::find(wanted_, place) != wanted_.end();
  predicates_[static_cast<std::size_t>(n)] = first.predicate;
  set(first.parent);
  return {};
}

}  // namespace dragoman::tf
