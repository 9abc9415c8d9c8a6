// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "core/compare/colors.h"
#include "core/compare/fingerprint.h"
#include "core/compare/places.h"
#include "core/compare/structural_walk.h"
#include "core/compare/unused_constants.h"
#include "core/ir/producer.h"
#include "core/support/flat_map.h"
#include "core/support/hash.h"

namespace dragoman::compare {
namespace {

// Nodes of the second model by a key, each handed out once.
class Candidates {
 public:
  Candidates(std::span<const Node* const> nodes, std::span<const std::uint64_t> keys)
      : nodes_(nodes), next_(nodes.size()) {
    first_.Reserve(nodes.size());
    for (std::size_t i = nodes.size(); i-- > 0;) {
      std::size_t& first = *first_.TryEmplace(keys[i], nodes.size()).first;
      next_[i] = std::exchange(first, i);
    }
  }

  template <class Taken>
  const Node* Next(std::uint64_t key, const Taken& taken) {
    std::size_t* first = first_.Find(key);
    if (first == nullptr) return nullptr;
    while (*first < nodes_.size() && taken(nodes_[*first])) *first = next_[*first];
    return *first < nodes_.size() ? nodes_[*first] : nullptr;
  }

 private:
  std::span<const Node* const> nodes_;
  FlatMap<std::uint64_t, std::size_t> first_;  // that is not handed out yet
  std::vector<std::size_t> next_;              // of the same key; the number of nodes ends a list
};

std::vector<std::uint64_t> WithNames(std::span<const Node* const> nodes,
                                     std::vector<std::uint64_t> keys) {
  for (std::size_t i = 0; i < nodes.size(); ++i) keys[i] = HashString(NameOf(*nodes[i]), keys[i]);
  return keys;
}

}  // namespace

// Frames may be added on the way: by nodes with subgraphs, and by functions.
bool StructuralWalk::PairUnreachable() {
  if (options_.level != Level::kSource) return true;
  for (std::uint32_t frame = 0; frame < frames_.size(); ++frame) {
    if (!PairUnreachableOf(frame)) return false;
    if (frame + 1 == frames_.size() && !PairUncalledFunctions()) return false;
  }
  return true;
}

std::vector<const Node*> StructuralWalk::Unpaired(const Graph& graph,
                                                  const NodeNumbers& pair_of) const {
  std::vector<const Node*> nodes;
  for (const Node& node : graph.nodes()) {
    if (!pair_of.contains(&node)) nodes.push_back(&node);
  }
  return nodes;
}

std::vector<std::uint64_t> StructuralWalk::Colors(std::span<const Node* const> nodes,
                                                  const NodeNumbers& pair_of) {
  AttributeEncoder encoder(constants_);
  encoder.type = [](const Type& type) { return std::to_string(static_cast<int>(type.kind())); };
  encoder.symbol = [](const Symbol&) { return std::string(); };
  const bool bits_count = !options_.rtol.has_value();
  const auto local = [&](const Node& node) {
    std::string bytes;
    const bool calls = functions_a_.contains(&node.op()) || functions_b_.contains(&node.op());
    if (!calls) AppendOp(bytes, node.op());
    for (const NamedAttribute* attribute : CountedAttributes(node, traits_.Of(node))) {
      AppendText(bytes, attribute->name);
      if (bits_count) encoder.Append(attribute->value, bytes);
    }
    AppendInt(bytes, node.num_operands());
    AppendInt(bytes, CountedResults(node, options_.level));
    return HashString(bytes);
  };
  const auto outside = [&](const Value* value) -> std::uint64_t {
    if (value == nullptr) return 1;
    if (value->is_constant())
      return bits_count ? HashCombine(2, constants_.ClassOf(value->data())) : 2;
    const std::uint64_t place = HashCombine(3, value->index());
    const std::uint32_t* pair = pair_of.Find(value->producer());
    return pair == nullptr ? place : HashCombine(place, *pair);
  };
  return ColorNodes(nodes, local, outside);
}

bool StructuralWalk::PairUnreachableOf(std::uint32_t frame) {
  const Graph &graph_a = *frames_[frame].a, &graph_b = *frames_[frame].b;
  std::vector<const Node*> a = Unpaired(graph_a, pair_of_a_);
  const std::vector<const Node*> b = Unpaired(graph_b, pair_of_b_);
  if (a.empty() && b.empty()) return true;
  const std::vector<std::uint64_t> colors_a = Colors(a, pair_of_a_);
  const std::vector<std::uint64_t> colors_b = Colors(b, pair_of_b_);
  std::vector<std::size_t> order;  // sinks first: they force what is above them
  for (std::size_t i = 0; i < a.size(); ++i) order.push_back(i);
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return !AnyResultUsed(*a[i]); });

  const auto taken = [&](const Node* node) { return pair_of_b_.contains(node); };
  const auto pair_by = [&](const std::vector<std::uint64_t>& keys_a,
                           const std::vector<std::uint64_t>& keys_b) {
    Candidates candidates(b, keys_b);
    for (std::size_t i : order) {
      if (pair_of_a_.contains(a[i])) continue;
      const Node* found = candidates.Next(keys_a[i], taken);
      if (found == nullptr) continue;
      const Trail trail = {Via::kUnreachable, frame, static_cast<std::uint32_t>(i)};
      if (!MatchNodes(a[i], found, trail) || !Drain()) return false;
    }
    return true;
  };
  // What is left after colours differs somewhere: the walk from nodes of equal names says where.
  const auto no_colors = [](std::size_t size) { return std::vector<std::uint64_t>(size, 0); };
  const auto some_left = [&] { return !std::ranges::all_of(b, taken); };
  if (!pair_by(WithNames(a, colors_a), WithNames(b, colors_b)) ||
      (some_left() && !pair_by(colors_a, colors_b)) ||
      (some_left() &&
       !pair_by(WithNames(a, no_colors(a.size())), WithNames(b, no_colors(b.size()))))) {
    return false;
  }
  a = Unpaired(graph_a, pair_of_a_);
  if (!a.empty()) {
    return FailAtFrame("a node is missing on one side", frame, a.front()->Describe(), "nothing");
  }
  const std::vector<const Node*> rest = Unpaired(graph_b, pair_of_b_);
  if (rest.empty()) return true;
  return FailAtFrame("a node is missing on one side", frame, "nothing", rest.front()->Describe());
}

bool StructuralWalk::PairUncalledFunctions() {
  for (std::size_t i = 0; i < a_.functions.size(); ++i) {
    if (function_of_a_[i] != kNone) continue;
    // Of several functions of one name, which calls do not distinguish, the next.
    const auto found = functions_b_.find(a_.functions[i].op);
    std::size_t partner = found != functions_b_.end() ? found->second : b_.functions.size();
    while (partner < b_.functions.size() &&
           (function_of_b_[partner] != kNone || b_.functions[partner].op != a_.functions[i].op))
      ++partner;
    if (partner == b_.functions.size()) {
      return Fail("a function is missing on one side", nullptr, "model", "model",
                  "function '" + a_.functions[i].op->ToString() + "'", "nothing");
    }
    if (!MatchFunctions(i, partner) || !Drain()) return false;
  }
  for (std::size_t i = 0; i < b_.functions.size(); ++i) {
    if (function_of_b_[i] != kNone) continue;
    return Fail("a function is missing on one side", nullptr, "model", "model", "nothing",
                "function '" + b_.functions[i].op->ToString() + "'");
  }
  return true;
}

bool StructuralWalk::CompareUnusedConstants() {
  if (options_.level != Level::kSource) return true;
  for (std::uint32_t frame = 0; frame < frames_.size(); ++frame) {
    if (frames_[frame].owner != kNone) continue;
    const std::vector<UnusedPair> changed =
        FindChangedUnusedConstants(*frames_[frame].a, *frames_[frame].b, constants_);
    if (changed.empty()) continue;
    const auto [a, b] = changed.front();
    const bool both = a != nullptr && b != nullptr;
    return FailAtFrame(
        both ? "unused constants differ" : "an unused constant is missing on one side", frame,
        Describe(a), Describe(b));
  }
  return true;
}

}  // namespace dragoman::compare
