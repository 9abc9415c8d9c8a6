#include "importers/tensorflow/lower/regions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "importers/tensorflow/graph/graph_names.h"

namespace dragoman::tf {
namespace {

constexpr int kNone = -1;
constexpr int kRoot = 0;
// The context of what can never arrive.
constexpr int kDead = -2;

// The operator without the mark of those that take references.
std::string_view PlainType(const Node& node) {
  std::string_view type = node.op().type;
  if (type.starts_with("Ref") && type != "RefIdentity") type.remove_prefix(3);
  return type;
}

enum class Role : std::uint8_t {
  kPlain,
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNext,
  kLoopSwitch,
  kLoopMerge,
};

struct Context {
  int parent = kNone;
  int depth = 0;
  int frame = kNone;                 // of a frame: its number
  const Value* predicate = nullptr;  // of a side
  int side = 0;
};

// Something that is run as a whole: a node, a condition, a loop.
struct Unit {
  enum class Kind : std::uint8_t { kNode, kCond, kLoop };

  Kind kind = Kind::kNode;
  int home = kRoot;    // the context that it stands in
  int parent = kNone;  // the condition or loop that it is a part of
  int node = kNone;
  int frame = kNone;
  const Value* predicate = nullptr;
  int first = 0;  // the place of its first node in the file
};

struct Frame {
  std::string name;
  std::vector<int> enters;
  int barrier = kNone;
  int context = kNone;
  int unit = kNone;
};

class RegionBuilder {
 public:
  RegionBuilder(const Graph& graph, std::span<const Value* const> wanted,
                const std::unordered_set<const Value*>& fed)
      : graph_(graph), wanted_(wanted), fed_(fed) {}

  Result<Region> Build() {
    FindLive();
    FindRoles();
    DRAGOMAN_TRY(Sort());
    DRAGOMAN_TRY(FindContexts());
    MakeUnits();
    JoinUnits();
    return MakeRegion(kNone, kRoot);
  }

 private:
  void FindLive();
  void FindRoles();
  Status Sort();
  Status FindContexts();
  Status FindContext(int n);
  Status SetSwitch(int n, int context);
  Status SetMerge(int n);
  void MakeUnits();
  void JoinUnits();
  void JoinSides(int depth);
  Result<Region> MakeRegion(int parent, int home);
  Result<Region> RegionOf(const std::vector<int>& units);
  Result<Step> MakeStep(int unit);
  Result<Step> MakeCond(int unit);
  Result<Step> MakeLoop(int unit);

  Error NotStructured(int n) const {
    return Unsupported("switches and merges that are neither a condition nor a loop")
        .At(nodes_[static_cast<std::size_t>(n)]->Describe());
  }
  const Node& node(int n) const { return *nodes_[static_cast<std::size_t>(n)]; }
  Role role(int n) const { return roles_[static_cast<std::size_t>(n)]; }
  Unit& unit(int u) { return units_[static_cast<std::size_t>(u)]; }
  Context& context(int c) { return contexts_[static_cast<std::size_t>(c)]; }
  // The number of what computes `value`; kNone: a graph input, a fed value.
  int ProducerOf(const Value* value) const {
    if (value == nullptr || fed_.contains(value)) return kNone;
    const auto found = numbers_.find(value->producer());
    return found != numbers_.end() ? found->second : kNone;
  }
  int ContextOf(const Value* value) const {
    const auto found = value_contexts_.find(value);
    return found != value_contexts_.end() ? found->second : kRoot;
  }
  bool IsAbove(int a, int b) const;
  // The deeper of two contexts of which one lies in the other; kNone: neither does.
  int Deeper(int a, int b) const;
  int MakeContext(Context made);
  // Every edge between live nodes but those back to the beginning of a loop.
  void ForEachEdge(const std::function<void(int from, int to)>& visit) const;
  std::vector<int> UnitsAbove(int n) const;  // of a node, innermost first

  const Graph& graph_;
  std::span<const Value* const> wanted_;
  const std::unordered_set<const Value*>& fed_;

  std::vector<const Node*> nodes_;  // live ones, in the order of the file
  std::unordered_map<const Node*, int> numbers_;
  std::vector<Role> roles_;
  std::vector<int> passes_;  // NodeStep::passes
  std::vector<Frame> frames_;
  std::map<std::string, int> frame_numbers_;
  std::vector<int> order_;  // nodes, and barriers of frames behind them
  std::vector<int> node_contexts_;
  std::unordered_map<const Value*, int> value_contexts_;
  std::vector<Context> contexts_ = {Context()};
  std::map<std::tuple<int, const Value*, int>, int> sides_;  // looked up only
  std::vector<CondResult> merges_;                           // by node
  std::vector<const Value*> predicates_;                     // of switches and merges
  std::vector<Unit> units_;
  std::vector<int> unit_of_;  // of nodes
};

void RegionBuilder::FindLive() {
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

void RegionBuilder::FindRoles() {
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
    const Attribute* attribute = node->attribute("frame_name");
    const auto* name = attribute != nullptr ? attribute->As<std::string>() : nullptr;
    const auto [found, added] =
        frame_numbers_.emplace(name != nullptr ? *name : "", static_cast<int>(frames_.size()));
    if (added) frames_.push_back({found->first, {}, kNone, kNone, kNone});
    frames_[static_cast<std::size_t>(found->second)].enters.push_back(
        static_cast<int>(roles_.size()) - 1);
  }
  for (std::size_t i = 0; i < frames_.size(); ++i)
    frames_[i].barrier = static_cast<int>(nodes_.size() + i);
}

void RegionBuilder::ForEachEdge(const std::function<void(int from, int to)>& visit) const {
  for (int to = 0; to < static_cast<int>(nodes_.size()); ++to) {
    for (const Use& use : node(to).operands()) {
      const int from = ProducerOf(use.value());
      if (from == kNone || (role(to) == Role::kLoopMerge && role(from) == Role::kNext)) continue;
      visit(from, to);
    }
  }
}

// Nodes after what they read; the barrier of a frame comes after all that enters it, and before all
// that reads something that entered.
Status RegionBuilder::Sort() {
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

bool RegionBuilder::IsAbove(int a, int b) const {
  while (b != kNone && b != a) b = contexts_[static_cast<std::size_t>(b)].parent;
  return b == a;
}

int RegionBuilder::Deeper(int a, int b) const {
  if (a == kDead || b == kDead) return kDead;
  if (IsAbove(a, b)) return b;
  return IsAbove(b, a) ? a : kNone;
}

int RegionBuilder::MakeContext(Context made) {
  made.depth = context(made.parent).depth + 1;
  contexts_.push_back(made);
  return static_cast<int>(contexts_.size()) - 1;
}

Status RegionBuilder::FindContexts() {
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

Status RegionBuilder::FindContext(int n) {
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
  node_contexts_[static_cast<std::size_t>(n)] = found;
  for (std::size_t i = 0; i < source.num_results(); ++i) value_contexts_[source.result(i)] = found;
  return {};
}

// The two results lie in the sides of the predicate; in a side of it already, one passes.
Status RegionBuilder::SetSwitch(int n, int home) {
  const Node& source = node(n);
  const Value* predicate = source.operand(1);
  node_contexts_[static_cast<std::size_t>(n)] = home;
  predicates_[static_cast<std::size_t>(n)] = predicate;
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
      const int made = MakeContext({home, 0, kNone, predicate, side});
      if (context(made).depth > kMaxGraphNesting)
        return Unsupported("conditions and loops nest too deep").At(source.Describe());
      known = sides_.emplace(key, made).first;
    }
    value_contexts_[result] = known->second;
  }
  return {};
}

Status RegionBuilder::SetMerge(int n) {
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
  if (alive.size() != 2) return NotStructured(n);
  // A value that no edge puts into its side, such as a constant, counts as in the other one.
  int a = of(alive[0]);
  int b = of(alive[1]);
  const auto outside = [&](int other, int given) {
    if (!IsAbove(given, other)) return given;
    int side = other;
    while (side != kNone && context(side).parent != given) side = context(side).parent;
    if (side == kNone || context(side).predicate == nullptr || side != other) return given;
    const auto key = std::make_tuple(given, context(side).predicate, 1 - context(side).side);
    const auto known = sides_.find(key);
    return known != sides_.end()
               ? known->second
               : sides_
                     .emplace(key, MakeContext({given, 0, kNone, context(side).predicate,
                                                1 - context(side).side}))
                     .first->second;
  };
  if (IsAbove(a, b)) {
    a = outside(b, a);
  } else if (IsAbove(b, a)) {
    b = outside(a, b);
  }
  const Context& first = context(a);
  const Context& second = context(b);
  const bool sides = first.parent == second.parent && first.predicate != nullptr &&
                     first.predicate == second.predicate && first.side != second.side;
  if (!sides) return NotStructured(n);
  CondResult& result = merges_[static_cast<std::size_t>(n)];
  result.merge = &source;
  result.operands[first.side] = alive[0];
  result.operands[second.side] = alive[1];
  if (const Value* place = NumDataResults(source) > 1 ? source.result(1) : nullptr)
    result.tells_place = place->used() || std::ranges::find(wanted_, place) != wanted_.end();
  predicates_[static_cast<std::size_t>(n)] = first.predicate;
  set(first.parent);
  return {};
}

void RegionBuilder::MakeUnits() {
  unit_of_.assign(nodes_.size(), kNone);
  for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
    const int home = node_contexts_[static_cast<std::size_t>(n)];
    if (home == kDead) continue;
    unit_of_[static_cast<std::size_t>(n)] = static_cast<int>(units_.size());
    Unit made;
    made.home = home;
    made.node = n;
    made.first = n;
    units_.push_back(made);
  }
  for (Frame& frame : frames_) {
    if (frame.context == kDead) continue;
    frame.unit = static_cast<int>(units_.size());
    Unit made;
    made.kind = Unit::Kind::kLoop;
    made.home = context(frame.context).parent;
    made.frame = context(frame.context).frame;
    made.first = frame.enters.front();
    units_.push_back(made);
  }
}

std::vector<int> RegionBuilder::UnitsAbove(int n) const {
  std::vector<int> chain;
  for (int u = unit_of_[static_cast<std::size_t>(n)]; u != kNone;
       u = units_[static_cast<std::size_t>(u)].parent)
    chain.push_back(u);
  return chain;
}

// Makes everything a part of the condition or loop that it lies in, the innermost first.
void RegionBuilder::JoinUnits() {
  int deepest = 0;
  for (const Context& c : contexts_) deepest = std::max(deepest, c.depth);
  // What enters and leaves a frame is a part of it.
  for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
    const int u = unit_of_[static_cast<std::size_t>(n)];
    if (u == kNone || role(n) != Role::kExit) continue;
    const int inner = ContextOf(node(n).operand(0));
    unit(u).parent = frames_[static_cast<std::size_t>(context(inner).frame)].unit;
    unit(u).home = inner;
  }
  for (int depth = deepest; depth > 0; --depth) {
    for (std::size_t u = 0; u < units_.size(); ++u) {
      const Context& home = context(units_[u].home);
      if (home.depth == depth && home.frame != kNone && units_[u].parent == kNone)
        units_[u].parent = frames_[static_cast<std::size_t>(home.frame)].unit;
    }
    JoinSides(depth);
  }
}

// Joins the units in sides at `depth`, and the switches and merges around these, along edges.
void RegionBuilder::JoinSides(int depth) {
  using Group = std::pair<int, const Value*>;
  const std::size_t count = units_.size();
  const auto group_of = [&](int u) -> Group {
    const Unit& of = units_[static_cast<std::size_t>(u)];
    const Context& home = context(of.home);
    if (home.depth == depth && home.predicate != nullptr) return {home.parent, home.predicate};
    if (of.kind != Unit::Kind::kNode || home.depth != depth - 1) return {kNone, nullptr};
    const auto n = static_cast<std::size_t>(of.node);
    const bool decides = predicates_[n] != nullptr && passes_[n] < 0;
    return decides ? Group(of.home, predicates_[n]) : Group(kNone, nullptr);
  };
  std::vector<int> leader(count);
  for (std::size_t i = 0; i < count; ++i) leader[i] = static_cast<int>(i);
  const auto find = [&](int u) {
    while (leader[static_cast<std::size_t>(u)] != u) {
      int& next = leader[static_cast<std::size_t>(u)];
      next = leader[static_cast<std::size_t>(next)];
      u = next;
    }
    return u;
  };
  ForEachEdge([&](int from, int to) {
    for (const int a : UnitsAbove(from)) {
      const Group group = group_of(a);
      if (group.first == kNone) continue;
      for (const int b : UnitsAbove(to)) {
        if (group_of(b) != group) continue;
        const int x = find(a);
        const int y = find(b);
        leader[static_cast<std::size_t>(std::max(x, y))] = std::min(x, y);
      }
    }
  });
  std::map<int, int> made;  // by leader
  for (std::size_t u = 0; u < count; ++u) {
    const Group group = group_of(static_cast<int>(u));
    if (group.first == kNone || units_[u].parent != kNone) continue;
    const int first = find(static_cast<int>(u));
    auto known = made.find(first);
    if (known == made.end()) {
      Unit cond;
      cond.kind = Unit::Kind::kCond;
      cond.home = group.first;
      cond.predicate = group.second;
      cond.first = units_[u].first;
      known = made.emplace(first, static_cast<int>(units_.size())).first;
      units_.push_back(cond);
    }
    units_[u].parent = known->second;
  }
}

Result<Region> RegionBuilder::MakeRegion(int parent, int home) {
  std::vector<int> members;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    if (units_[u].parent == parent && units_[u].home == home)
      members.push_back(static_cast<int>(u));
  }
  return RegionOf(members);
}

// The order of units that stand side by side.
Result<Region> RegionBuilder::RegionOf(const std::vector<int>& members) {
  std::unordered_map<int, int> place;
  for (std::size_t i = 0; i < members.size(); ++i) place[members[i]] = static_cast<int>(i);
  std::vector<std::vector<int>> next(members.size());
  std::vector<int> waits(members.size(), 0);
  const auto member = [&](int n) {
    for (const int u : UnitsAbove(n)) {
      const auto found = place.find(u);
      if (found != place.end()) return found->second;
    }
    return kNone;
  };
  const auto add = [&](int from, int to) {
    if (from == kNone || to == kNone || from == to) return;
    next[static_cast<std::size_t>(from)].push_back(to);
    ++waits[static_cast<std::size_t>(to)];
  };
  ForEachEdge([&](int from, int to) { add(member(from), member(to)); });
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Unit& of = unit(members[i]);
    if (of.kind != Unit::Kind::kCond) continue;
    const int from = ProducerOf(of.predicate);
    if (from != kNone) add(member(from), static_cast<int>(i));
  }
  using Ready = std::pair<int, int>;  // the place in the file first
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (waits[i] == 0) ready.emplace(unit(members[i]).first, static_cast<int>(i));
  }
  Region region;
  std::size_t done = 0;
  while (!ready.empty()) {
    const int i = ready.top().second;
    ready.pop();
    ++done;
    DRAGOMAN_ASSIGN(Step step, MakeStep(members[static_cast<std::size_t>(i)]));
    region.steps.push_back(std::move(step));
    for (const int to : next[static_cast<std::size_t>(i)]) {
      if (--waits[static_cast<std::size_t>(to)] == 0)
        ready.emplace(unit(members[static_cast<std::size_t>(to)]).first, to);
    }
  }
  if (done != members.size()) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (waits[i] > 0) return NotStructured(unit(members[i]).first);
    }
  }
  return region;
}

Result<Step> RegionBuilder::MakeStep(int u) {
  const Unit& of = unit(u);
  if (of.kind == Unit::Kind::kCond) return MakeCond(u);
  if (of.kind == Unit::Kind::kLoop) return MakeLoop(u);
  return Step(NodeStep{&node(of.node), passes_[static_cast<std::size_t>(of.node)]});
}

Result<Step> RegionBuilder::MakeCond(int u) {
  auto step = std::make_shared<CondStep>();
  step->predicate = unit(u).predicate;
  const int home = unit(u).home;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (units_[i].parent != u || units_[i].home != home) continue;
    const int n = units_[i].node;
    if (role(n) == Role::kSwitch) step->switches.push_back(&node(n));
    if (role(n) == Role::kMerge) step->results.push_back(merges_[static_cast<std::size_t>(n)]);
  }
  for (int side = 0; side < 2; ++side) {
    const auto known = sides_.find(std::make_tuple(home, step->predicate, side));
    if (known == sides_.end()) continue;
    DRAGOMAN_ASSIGN(step->sides[side], MakeRegion(u, known->second));
  }
  return Step(std::shared_ptr<const CondStep>(std::move(step)));
}

Result<Step> RegionBuilder::MakeLoop(int u) {
  const Frame& frame = frames_[static_cast<std::size_t>(unit(u).frame)];
  auto step = std::make_shared<LoopStep>();
  step->name = frame.name;
  for (const int enter : frame.enters) step->enters.push_back(&node(enter));
  std::vector<int> members;
  std::unordered_map<const Node*, std::size_t> variables;
  int condition = kNone;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (units_[i].parent != u) continue;
    const int n = units_[i].kind == Unit::Kind::kNode ? units_[i].node : kNone;
    if (n != kNone && PlainType(node(n)) == "LoopCond") {
      if (condition != kNone) return NotStructured(n);
      condition = n;
    }
    const Role is = n != kNone ? role(n) : Role::kPlain;
    if (is == Role::kEnter || is == Role::kExit || is == Role::kNext) continue;
    if (is == Role::kLoopMerge) {
      LoopVariable variable;
      variable.merge = &node(n);
      for (std::size_t k = 0; k < NumDataOperands(node(n)); ++k) {
        const int from = ProducerOf(node(n).operand(k));
        if (from != kNone && role(from) == Role::kEnter) variable.enter = &node(from);
        if (from != kNone && role(from) == Role::kNext) variable.next = node(from).operand(0);
      }
      if (variable.enter == nullptr || variable.next == nullptr) return NotStructured(n);
      variables[variable.merge] = step->variables.size();
      step->variables.push_back(variable);
      continue;
    }
    members.push_back(static_cast<int>(i));
  }
  if (condition == kNone)
    return InvalidInput("the frame has no LoopCond").At("frame '" + frame.name + "'");
  step->continues = node(condition).operand(0);
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (units_[i].parent != u || units_[i].kind != Unit::Kind::kNode) continue;
    const int n = units_[i].node;
    if (role(n) != Role::kExit) continue;
    const int from = ProducerOf(node(n).operand(0));
    const bool leaves = from != kNone && role(from) == Role::kLoopSwitch &&
                        node(from).result(0) == node(n).operand(0);
    const auto known = leaves ? variables.find(node(from).operand(0)->producer()) : variables.end();
    if (known == variables.end()) return NotStructured(n);
    step->exits.emplace_back(&node(n), known->second);
  }
  // What the condition needs, and of that what the body needs too.
  std::unordered_map<int, std::vector<int>> needs;
  std::unordered_set<int> present(members.begin(), members.end());
  const auto member = [&](int n) {
    for (const int above : UnitsAbove(n)) {
      if (present.contains(above)) return above;
    }
    return kNone;
  };
  ForEachEdge([&](int from, int to) {
    const int a = member(from);
    const int b = member(to);
    if (a != kNone && b != kNone && a != b) needs[b].push_back(a);
  });
  for (const int i : members) {
    if (unit(i).kind != Unit::Kind::kCond) continue;
    const int from = ProducerOf(unit(i).predicate);
    const int a = from != kNone ? member(from) : kNone;
    if (a != kNone && a != i) needs[i].push_back(a);
  }
  const auto closure = [&](std::vector<int> stack) {
    std::unordered_set<int> reached(stack.begin(), stack.end());
    while (!stack.empty()) {
      const int at = stack.back();
      stack.pop_back();
      for (const int before : needs[at]) {
        if (reached.insert(before).second) stack.push_back(before);
      }
    }
    return reached;
  };
  const int loop_cond = unit_of_[static_cast<std::size_t>(condition)];
  std::unordered_set<int> of_condition = closure({loop_cond});
  std::vector<int> in_condition;
  std::vector<int> rest;
  for (const int i : members) {
    if (i == loop_cond) continue;
    const int n = unit(i).kind == Unit::Kind::kNode ? unit(i).node : kNone;
    if (of_condition.contains(i)) {
      in_condition.push_back(i);
    } else {
      rest.push_back(i);
    }
    static_cast<void>(n);
  }
  std::unordered_set<int> of_body = closure(rest);
  // The values that come back may be computed by the condition.
  std::vector<int> returned;
  for (const LoopVariable& variable : step->variables) {
    const int from = ProducerOf(variable.next);
    if (from != kNone && member(from) != kNone) returned.push_back(member(from));
  }
  of_body.merge(closure(returned));
  std::vector<int> in_body;
  for (const int i : members) {
    if (i != loop_cond && of_body.contains(i)) in_body.push_back(i);
  }
  DRAGOMAN_ASSIGN(step->condition, RegionOf(in_condition));
  DRAGOMAN_ASSIGN(step->body, RegionOf(in_body));
  return Step(std::shared_ptr<const LoopStep>(std::move(step)));
}

}  // namespace

Result<Region> BuildRegions(const Graph& graph, std::span<const Value* const> wanted,
                            const std::unordered_set<const Value*>& fed) {
  return RegionBuilder(graph, wanted, fed).Build();
}

}  // namespace dragoman::tf
