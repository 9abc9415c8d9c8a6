// SPDX-License-Identifier: Apache-2.0
#include "page/outline.h"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/ir/node_group.h"
#include "core/support/hash.h"
#include "page/grouping.h"
#include "page/item_text.h"

namespace dragoman::page {
namespace {

// Copies of functions that calls may show, in nodes of all of them.
constexpr std::size_t kMostCopied = 20'000;
constexpr int kDeepestCalls = 8;
// Ports of a group; a link to a further one ends at the border.
constexpr std::size_t kMostPorts = 24;

// A graph on its way to groups of the outline.
struct FlatGraph {
  std::vector<Item> items;  // in the order of Leaf
  std::vector<Leaf> leaves;
  std::unordered_map<const void*, std::size_t> producers;  // of nodes and of values of the graph
  struct Edge {
    std::size_t from, to;  // items
    const Value* value;
  };
  std::vector<Edge> edges;

  std::size_t Add(Item item, std::vector<std::string> scope = {}, std::uint64_t code = 0) {
    items.push_back(std::move(item));
    leaves.push_back({std::move(scope), code});
    return items.size() - 1;
  }
};

// Puts the items of a flat graph into the groups of its Grouping, and its edges into links: each
// into the innermost group that holds both ends, with ports in the groups between.
class GroupFiller {
 public:
  GroupFiller(FlatGraph& flat, std::vector<Group>& groups)
      : flat_(flat), grouping_(GroupLeaves(flat.leaves)), groups_(groups), first_(groups.size()) {}

  std::int32_t Run() {
    PlaceItems();
    for (const FlatGraph::Edge& edge : flat_.edges) AddEdge(edge);
    for (std::size_t i = first_; i < first_ + grouping_.groups.size(); ++i) Draw(groups_[i]);
    return static_cast<std::int32_t>(first_);
  }

 private:
  struct Place {
    std::size_t group = 0;  // in grouping_
    std::uint32_t item = 0;
  };

  void PlaceItems() {
    const std::size_t count = grouping_.groups.size();
    groups_.resize(first_ + count);
    outer_.resize(count);
    depth_.resize(count);
    ports_.resize(count);
    places_.resize(flat_.items.size());
    for (std::size_t g = 0; g < count; ++g) {
      Group& group = groups_[first_ + g];
      group.title = grouping_.groups[g].title;
      for (const Grouping::Child& child : grouping_.groups[g].children) {
        const Place place{g, static_cast<std::uint32_t>(group.items.size())};
        if (child.is_group) {
          outer_[child.number] = place;
          depth_[child.number] = depth_[g] + 1;
          group.items.push_back(GroupItem(child.number));
        } else {
          places_[child.number] = place;
          group.items.push_back(flat_.items[child.number]);
        }
      }
    }
    for (std::size_t g = count; g-- > 0;) {
      for (const Item& item : groups_[first_ + g].items) {
        if (item.kind == ItemKind::kNode) ++groups_[first_ + g].nodes;
        if (item.kind == ItemKind::kGroup)
          groups_[first_ + g].nodes += groups_[static_cast<std::size_t>(item.inner)].nodes;
      }
    }
  }

  Item GroupItem(std::size_t number) const {
    const Grouping::Group& group = grouping_.groups[number];
    Item item;
    item.kind = ItemKind::kGroup;
    item.title = group.title;
    item.note = fmt::format("{} nodes", group.leaves);
    item.inner = static_cast<std::int32_t>(first_ + number);
    item.size = BoxOf(item.title, item.note);
    return item;
  }

  void AddEdge(const FlatGraph::Edge& edge) {
    Place from = places_[edge.from], to = places_[edge.to];
    while (from.group != to.group) {
      if (depth_[from.group] >= depth_[to.group]) {
        AddPort(from, edge.value, ItemKind::kLeaves);
        from = outer_[from.group];
      } else {
        AddPort(to, edge.value, ItemKind::kEnters);
        to = outer_[to.group];
      }
    }
    AddLink(from.group, from.item, to.item, edge.value);
  }

  // Where `value` crosses the border of the group of `inside`.
  void AddPort(Place inside, const Value* value, ItemKind kind) {
    Group& group = groups_[first_ + inside.group];
    auto& [ports, counts] = ports_[inside.group];
    const auto [at, added] = ports.try_emplace({value, kind}, group.items.size());
    std::size_t& count = counts[kind == ItemKind::kEnters ? 0 : 1];
    if (added && count == kMostPorts) {
      ports.erase(at);
      return;
    }
    if (added) {
      ++count;
      Item port;
      port.kind = kind;
      port.title = LastPart(value->name());
      port.value = value;
      port.size = PortOf(port.title);
      group.items.push_back(std::move(port));
    }
    const auto port = static_cast<std::uint32_t>(at->second);
    kind == ItemKind::kEnters ? AddLink(inside.group, port, inside.item, value)
                              : AddLink(inside.group, inside.item, port, value);
  }

  void AddLink(std::size_t group, std::uint32_t from, std::uint32_t to, const Value* value) {
    std::vector<Link>& links = groups_[first_ + group].links;
    const auto [at, added] = links_.try_emplace({group, {from, to}}, links.size());
    if (added) {
      links.push_back({from, to, value, 1, {}});
    } else if (links[at->second].value != value) {
      ++links[at->second].values;
    }
  }

  static void Draw(Group& group) {
    std::vector<layout::Box> boxes;
    std::vector<layout::Edge> edges;
    for (const Item& item : group.items) boxes.push_back(item.size);
    for (const Link& link : group.links) edges.push_back({link.from, link.to});
    layout::Drawing drawing = layout::DrawLayered(boxes, edges);
    for (std::size_t i = 0; i < group.items.size(); ++i) group.items[i].corner = drawing.corners[i];
    for (std::size_t i = 0; i < group.links.size(); ++i)
      group.links[i].route = std::move(drawing.routes[i]);
    group.size = {drawing.width, drawing.height};
  }

  struct Ports {
    std::map<std::pair<const Value*, ItemKind>, std::size_t> by_value;
    std::size_t counts[2] = {0, 0};
  };

  FlatGraph& flat_;
  const Grouping grouping_;
  std::vector<Group>& groups_;
  const std::size_t first_;   // of the groups that are made here
  std::vector<Place> outer_;  // of each group, where it is an item
  std::vector<std::size_t> depth_;
  std::vector<Ports> ports_;
  std::vector<Place> places_;  // of each item of flat_
  std::map<std::pair<std::size_t, std::pair<std::uint32_t, std::uint32_t>>, std::size_t> links_;
};

class OutlineMaker {
 public:
  explicit OutlineMaker(const Model& model) : model_(model) {
    for (const Function& function : model.functions) functions_.emplace(function.op, &function);
  }

  Outline Run() {
    for (const Entry& entry : model_.entries)
      outline_.roots.push_back({entry.name, false, AddGraph(*entry.graph, &entry)});
    for (const Function& function : model_.functions)
      outline_.roots.push_back({function.op->ToString(), true, AddGraph(*function.graph, nullptr)});
    return std::move(outline_);
  }

 private:
  // Recursive: graphs nest at most kMaxGraphNesting deep, calls kDeepestCalls.
  std::int32_t AddGraph(const Graph& graph, const Entry* entry) {
    FlatGraph flat;
    for (const auto& input : graph.inputs())
      AddTerminal(flat, *input, ItemKind::kInput,
                  StateAt(entry, &StateBinding::input, input->index()));
    for (const Node& node : graph.nodes()) {
      if (!IsConstantNode(node)) AddNode(flat, node);
    }
    for (const Node& node : graph.nodes()) {
      if (IsConstantNode(node)) continue;
      for (const Value* value : ReadsOf(node)) AddEdge(flat, *value, flat.producers.at(&node));
    }
    for (const Use& output : graph.outputs()) {
      if (output.value() == nullptr) continue;
      const std::size_t item = AddTerminal(flat, *output.value(), ItemKind::kOutput,
                                           StateAt(entry, &StateBinding::output, output.index()));
      AddEdge(flat, *output.value(), item);
    }
    return GroupFiller(flat, outline_.groups).Run();
  }

  const State* StateAt(const Entry* entry, std::size_t StateBinding::*side,
                       std::size_t index) const {
    if (entry == nullptr) return nullptr;
    const auto found = std::ranges::find(entry->states, index, side);
    return found == entry->states.end() ? nullptr : &model_.states[found->state];
  }

  static std::size_t AddTerminal(FlatGraph& flat, const Value& value, ItemKind kind,
                                 const State* state) {
    Item item;
    item.kind = state != nullptr ? ItemKind::kState : kind;
    item.title =
        state != nullptr ? (kind == ItemKind::kInput ? "" : "next ") + state->name : value.name();
    item.note = value.type().ToString();
    item.value = &value;
    item.size = BoxOf(item.title, item.note);
    const std::size_t number = flat.Add(std::move(item));
    if (kind == ItemKind::kInput) flat.producers.emplace(&value, number);
    return number;
  }

  void AddNode(FlatGraph& flat, const Node& node) {
    Item item;
    item.node = &node;
    item.title = TitleOf(node.op());
    item.note = NoteOf(node);
    item.inner = AddBodies(node);
    item.size = BoxOf(item.title, item.note);
    const std::uint64_t code =
        HashCombine(HashString(node.op().ToString()), node.num_operands() + 1) | 1;
    flat.producers.emplace(&node, flat.Add(std::move(item), ScopeOf(node), code));
  }

  // The group that a node opens to; kNoGroup: it has none.
  std::int32_t AddBodies(const Node& node) {
    if (const auto function = functions_.find(&node.op()); function != functions_.end())
      return AddCall(*function->second);
    const std::vector<Graph*> bodies = node.subgraphs();
    if (bodies.empty()) return kNoGroup;
    if (bodies.size() == 1) return AddGraph(*bodies[0], nullptr);
    FlatGraph flat;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      Item item;
      item.kind = ItemKind::kGroup;
      item.title = NameOfBody(node, i);
      item.note = fmt::format("{} nodes", bodies[i]->num_nodes());
      item.inner = AddGraph(*bodies[i], nullptr);
      item.size = BoxOf(item.title, item.note);
      flat.Add(std::move(item));
    }
    return GroupFiller(flat, outline_.groups).Run();
  }

  std::int32_t AddCall(const Function& function) {
    copied_ += function.graph->num_nodes();
    if (copied_ > kMostCopied || calls_ == kDeepestCalls) return kNoGroup;
    ++calls_;
    const std::int32_t group = AddGraph(*function.graph, nullptr);
    --calls_;
    return group;
  }

  static std::string NameOfBody(const Node& node, std::size_t number) {
    for (const NamedAttribute& attribute : node.attributes()) {
      const auto* graphs = attribute.value.As<Attribute::Graphs>();
      const std::size_t count =
          attribute.value.graph() != nullptr ? 1 : (graphs != nullptr ? graphs->size() : 0);
      if (number < count)
        return graphs == nullptr ? attribute.name : fmt::format("{}[{}]", attribute.name, number);
      number -= count;
    }
    return "body";
  }

  // What the node and its bodies read, each value once.
  static std::vector<Value*> ReadsOf(const Node& node) {
    Node* const one = const_cast<Node*>(&node);
    return ReadValues(std::span(&one, 1));
  }

  // From what gives `value` to an item; of values of graphs around this one, from a port.
  static void AddEdge(FlatGraph& flat, const Value& value, std::size_t to) {
    const Node* producer = value.producer();
    if (value.is_constant() || (producer != nullptr && IsConstantNode(*producer))) return;
    const void* giver = producer != nullptr ? static_cast<const void*>(producer) : &value;
    auto from = flat.producers.find(giver);
    if (from == flat.producers.end()) from = flat.producers.find(&value);
    if (from == flat.producers.end()) {
      Item port;
      port.kind = ItemKind::kEnters;
      port.title = LastPart(value.name());
      port.value = &value;
      port.size = PortOf(port.title);
      from = flat.producers.emplace(&value, flat.Add(std::move(port))).first;
    }
    flat.edges.push_back({from->second, to, &value});
  }

  const Model& model_;
  std::unordered_map<const OpName*, const Function*> functions_;
  Outline outline_;
  std::size_t copied_ = 0;
  int calls_ = 0;
};

}  // namespace

bool IsConstantNode(const Node& node) {
  return node.num_operands() == 0 && node.num_results() == 1 && node.result(0) != nullptr &&
         std::ranges::any_of(node.attributes(), [](const NamedAttribute& attribute) {
           return attribute.name.starts_with("value") && attribute.value.graph() == nullptr;
         });
}

Outline MakeOutline(const Model& model) { return OutlineMaker(model).Run(); }

}  // namespace dragoman::page
