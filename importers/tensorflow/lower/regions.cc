// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/lower/regions.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>

#include "importers/tensorflow/graph/graph_names.h"
#include "importers/tensorflow/lower/control_contexts.h"

namespace dragoman::tf {
namespace {

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

class RegionBuilder : private ControlContexts {
 public:
  using ControlContexts::ControlContexts;

  Result<Region> Build() {
    DRAGOMAN_TRY(Find());
    MakeUnits();
    JoinUnits();
    parts_.resize(units_.size() + 1);
    for (std::size_t u = 0; u < units_.size(); ++u)
      parts_[static_cast<std::size_t>(units_[u].parent + 1)].push_back(static_cast<int>(u));
    DRAGOMAN_ASSIGN(Region region, MakeRegion(kNone, kRoot));
    DRAGOMAN_TRY(CheckWanted());
    return region;
  }

 private:
  Status CheckWanted();
  void MakeUnits();
  void JoinUnits();
  void JoinSides(int depth);
  Result<Region> MakeRegion(int parent, int home);
  Result<Region> RegionOf(const std::vector<int>& units);
  Result<Step> MakeStep(int unit);
  Result<Step> MakeCond(int unit);
  Result<Step> MakeLoop(int unit);
  // The parts of a loop that are run in its iterations, and what it carries from one to the next.
  struct LoopParts {
    std::vector<int> members;
    std::unordered_map<const Node*, std::size_t> variables;  // by the merge
    int condition = kNone;                                   // the node of LoopCond
  };
  Status FindLoopParts(int unit, LoopStep& step, LoopParts& parts);
  Status FindExits(int unit, const LoopParts& parts, LoopStep& step);
  Status DivideLoop(const LoopParts& parts, LoopStep& step);

  Unit& unit(int u) { return units_[static_cast<std::size_t>(u)]; }
  // What lies directly in a unit; kNone: in none.
  const std::vector<int>& PartsOf(int u) const { return parts_[static_cast<std::size_t>(u + 1)]; }
  std::vector<int> UnitsAbove(int n) const;  // of a node, innermost first
  // The one of `units` that node `n` lies in; kNone: it lies in none of them, or is none.
  int UnitAmong(const std::unordered_set<int>& units, int n) const;
  // Every edge to a node within one of `units`.
  void ForEachEdgeWithin(const std::vector<int>& units, const Visit& visit) const;
  // Every two of `units`, which stand side by side, of which `to` needs `from`: along an edge, or
  // as the predicate of a condition.
  void ForEachNeed(const std::vector<int>& units, const Visit& visit) const;

  std::vector<Unit> units_;
  std::vector<int> unit_of_;             // of nodes
  std::vector<std::vector<int>> parts_;  // by the unit above, from none on
};

void RegionBuilder::ForEachEdgeWithin(const std::vector<int>& units, const Visit& visit) const {
  std::vector<int> pending = units;
  while (!pending.empty()) {
    const int u = pending.back();
    pending.pop_back();
    const Unit& of = units_[static_cast<std::size_t>(u)];
    if (of.kind == Unit::Kind::kNode) ForEachEdgeTo(of.node, visit);
    pending.insert(pending.end(), PartsOf(u).begin(), PartsOf(u).end());
  }
}

void RegionBuilder::ForEachNeed(const std::vector<int>& units, const Visit& visit) const {
  const std::unordered_set<int> present(units.begin(), units.end());
  const auto add = [&](int from, int to) {
    if (from != kNone && to != kNone && from != to) visit(from, to);
  };
  ForEachEdgeWithin(
      units, [&](int from, int to) { add(UnitAmong(present, from), UnitAmong(present, to)); });
  for (const int u : units) {
    const Unit& of = units_[static_cast<std::size_t>(u)];
    if (of.kind == Unit::Kind::kCond) add(UnitAmong(present, ProducerOf(of.predicate)), u);
  }
}

// What is wanted leaves all loops and conditions.
Status RegionBuilder::CheckWanted() {
  for (const Value* value : wanted_) {
    if (value == nullptr || IsControl(value) || ContextOf(value) == kRoot) continue;
    int c = ContextOf(value);
    while (c > kRoot && context(c).frame == kNone) c = context(c).parent;
    const char* where = c > kRoot ? "in iterations of a loop" : "under a condition";
    return Unsupported(std::string("tensor '") + value->name() + "' is computed " + where +
                       " only; ask for what Exit or Merge gives after it");
  }
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

int RegionBuilder::UnitAmong(const std::unordered_set<int>& units, int n) const {
  if (n == kNone) return kNone;
  for (const int u : UnitsAbove(n)) {
    if (units.contains(u)) return u;
  }
  return kNone;
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
  for (const int u : PartsOf(parent)) {
    if (unit(u).home == home) members.push_back(u);
  }
  return RegionOf(members);
}

// The order of units that stand side by side.
Result<Region> RegionBuilder::RegionOf(const std::vector<int>& members) {
  std::unordered_map<int, int> place;
  for (std::size_t i = 0; i < members.size(); ++i) place[members[i]] = static_cast<int>(i);
  std::vector<std::vector<int>> next(members.size());
  std::vector<int> waits(members.size(), 0);
  ForEachNeed(members, [&](int from, int to) {
    next[static_cast<std::size_t>(place.at(from))].push_back(place.at(to));
    ++waits[static_cast<std::size_t>(place.at(to))];
  });
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
  for (const int i : PartsOf(u)) {
    if (unit(i).home != home) continue;
    const int n = unit(i).node;
    if (role(n) == Role::kSwitch) step->switches.push_back(&node(n));
    if (role(n) == Role::kMerge) step->results.push_back(merges_[static_cast<std::size_t>(n)]);
  }
  step->sides.resize(2);
  const auto first = sides_.lower_bound(std::make_tuple(home, step->predicate, 0));
  for (auto known = first; known != sides_.end(); ++known) {
    const auto& [of_home, of_predicate, number] = known->first;
    if (of_home != home || of_predicate != step->predicate) break;
    step->sides.resize(static_cast<std::size_t>(context(known->second).sides));
    DRAGOMAN_ASSIGN(step->sides[static_cast<std::size_t>(number)], MakeRegion(u, known->second));
  }
  return Step(std::shared_ptr<const CondStep>(std::move(step)));
}

Status RegionBuilder::FindLoopParts(int u, LoopStep& step, LoopParts& parts) {
  for (const int i : PartsOf(u)) {
    const int n = unit(i).kind == Unit::Kind::kNode ? unit(i).node : kNone;
    if (n != kNone && PlainType(node(n)) == "LoopCond") {
      if (parts.condition != kNone) return NotStructured(n);
      parts.condition = n;
    }
    const Role is = n != kNone ? role(n) : Role::kPlain;
    if (is == Role::kEnter || is == Role::kExit || is == Role::kNext) continue;
    if (is != Role::kLoopMerge) {
      parts.members.push_back(i);
      continue;
    }
    LoopVariable variable;
    variable.merge = &node(n);
    for (std::size_t k = 0; k < NumDataOperands(node(n)); ++k) {
      const int from = ProducerOf(node(n).operand(k));
      if (from != kNone && role(from) == Role::kEnter) variable.enter = &node(from);
      if (from != kNone && role(from) == Role::kNext) variable.next = node(from).operand(0);
    }
    if (variable.enter == nullptr || variable.next == nullptr) return NotStructured(n);
    parts.variables[variable.merge] = step.variables.size();
    step.variables.push_back(variable);
  }
  if (parts.condition != kNone) return {};
  return InvalidInput("the frame has no LoopCond").At("frame '" + step.name + "'");
}

Status RegionBuilder::FindExits(int u, const LoopParts& parts, LoopStep& step) {
  for (const int i : PartsOf(u)) {
    if (unit(i).kind != Unit::Kind::kNode || role(unit(i).node) != Role::kExit) continue;
    const Node& exit = node(unit(i).node);
    const int from = ProducerOf(exit.operand(0));
    const bool leaves =
        from != kNone && role(from) == Role::kLoopSwitch && node(from).result(0) == exit.operand(0);
    const auto known =
        leaves ? parts.variables.find(node(from).operand(0)->producer()) : parts.variables.end();
    if (known == parts.variables.end()) return NotStructured(unit(i).node);
    step.exits.emplace_back(&exit, known->second);
  }
  return {};
}

// `units` and all that they need, directly or not.
std::unordered_set<int> WithNeeds(std::vector<int> units,
                                  const std::unordered_map<int, std::vector<int>>& needs) {
  std::unordered_set<int> reached(units.begin(), units.end());
  while (!units.empty()) {
    const auto found = needs.find(units.back());
    units.pop_back();
    if (found == needs.end()) continue;
    for (const int before : found->second) {
      if (reached.insert(before).second) units.push_back(before);
    }
  }
  return reached;
}

// What the condition needs, and what the body needs, of that too.
Status RegionBuilder::DivideLoop(const LoopParts& parts, LoopStep& step) {
  std::unordered_map<int, std::vector<int>> needs;
  ForEachNeed(parts.members, [&](int from, int to) { needs[to].push_back(from); });
  const int loop_cond = unit_of_[static_cast<std::size_t>(parts.condition)];
  const std::unordered_set<int> of_condition = WithNeeds({loop_cond}, needs);
  std::vector<int> in_condition;
  std::vector<int> wanted;  // by the body
  for (const int i : parts.members) {
    if (i != loop_cond) (of_condition.contains(i) ? in_condition : wanted).push_back(i);
  }
  // The values that come back may be computed by the condition.
  const std::unordered_set<int> members(parts.members.begin(), parts.members.end());
  for (const LoopVariable& variable : step.variables) {
    const int from = UnitAmong(members, ProducerOf(variable.next));
    if (from != kNone) wanted.push_back(from);
  }
  const std::unordered_set<int> of_body = WithNeeds(std::move(wanted), needs);
  std::vector<int> in_body;
  for (const int i : parts.members) {
    if (i != loop_cond && of_body.contains(i)) in_body.push_back(i);
  }
  DRAGOMAN_ASSIGN(step.condition, RegionOf(in_condition));
  DRAGOMAN_ASSIGN(step.body, RegionOf(in_body));
  return {};
}

Result<Step> RegionBuilder::MakeLoop(int u) {
  const Frame& frame = frames_[static_cast<std::size_t>(unit(u).frame)];
  auto step = std::make_shared<LoopStep>();
  step->name = frame.name;
  for (const int enter : frame.enters) step->enters.push_back(&node(enter));
  LoopParts parts;
  DRAGOMAN_TRY(FindLoopParts(u, *step, parts));
  step->continues = node(parts.condition).operand(0);
  DRAGOMAN_TRY(FindExits(u, parts, *step));
  DRAGOMAN_TRY(DivideLoop(parts, *step));
  return Step(std::shared_ptr<const LoopStep>(std::move(step)));
}

}  // namespace

Result<Region> BuildRegions(const Graph& graph, std::span<const Value* const> wanted,
                            const std::unordered_set<const Value*>& fed) {
  return RegionBuilder(graph, wanted, fed).Build();
}

}  // namespace dragoman::tf
