// SPDX-License-Identifier: Apache-2.0
// The contexts that the nodes of a graph run in (regions.h): which frames, and which sides of
// conditions of control flow of version 1.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_CONTROL_CONTEXTS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_CONTROL_CONTEXTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"
#include "importers/tensorflow/lower/regions.h"

namespace dragoman::tf {

inline constexpr int kNone = -1;
inline constexpr int kRoot = 0;
// The context of what can never arrive.
inline constexpr int kDead = -2;

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
  int sides = 2;  // that the predicate chooses from
};

struct Frame {
  std::string name;
  std::vector<int> enters;
  int barrier = kNone;  // its number in the order, after all that enters
  int context = kNone;
  int unit = kNone;  // of RegionBuilder
};

// Nodes, contexts and frames are numbers.
class ControlContexts {
 public:
  // What `wanted` values of `graph` need. What computes `fed` values is not needed.
  ControlContexts(const Graph& graph, std::span<const Value* const> wanted,
                  const std::unordered_set<const Value*>& fed)
      : graph_(graph), wanted_(wanted), fed_(fed) {}

  // Errors: those of BuildRegions.
  Status Find();

 protected:
  Error NotStructured(int n) const {
    return Unsupported("switches and merges that are neither a condition nor a loop")
        .At(nodes_[static_cast<std::size_t>(n)]->Describe());
  }
  const Node& node(int n) const { return *nodes_[static_cast<std::size_t>(n)]; }
  Role role(int n) const { return roles_[static_cast<std::size_t>(n)]; }
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
  using Visit = std::function<void(int from, int to)>;
  // Every edge to node `to`, or between live nodes, but those back to the beginning of a loop.
  void ForEachEdgeTo(int to, const Visit& visit) const;
  void ForEachEdge(const Visit& visit) const;

  const Graph& graph_;
  std::span<const Value* const> wanted_;
  const std::unordered_set<const Value*>& fed_;

  std::vector<const Node*> nodes_;  // live ones, in the order of the file
  std::vector<int> passes_;         // NodeStep::passes
  std::vector<Frame> frames_;
  std::vector<int> node_contexts_;
  std::vector<Context> contexts_ = {Context()};
  std::map<std::tuple<int, const Value*, int>, int> sides_;  // looked up by predicate only
  std::vector<CondResult> merges_;                           // by node
  std::vector<const Value*> predicates_;                     // of switches and merges

 private:
  void FindLive();
  void FindRoles();
  Status Sort();
  Status FindContexts();
  Status FindContext(int n);
  const Value* PredicateOf(const Node& source) const;  // of a Switch
  Status SetSwitch(int n, int context);
  Status SetMerge(int n);
  // The context of a value that arrives at a Merge beside one of the context `other`.
  int BesideOther(int given, int other);
  bool IsAbove(int a, int b) const;
  // The deeper of two contexts of which one lies in the other; kNone: neither does.
  int Deeper(int a, int b) const;
  int MakeContext(Context made);

  std::unordered_map<const Node*, int> numbers_;
  std::vector<Role> roles_;
  std::map<std::string, int> frame_numbers_;
  std::vector<int> order_;  // nodes, and barriers of frames after them
  std::unordered_map<const Value*, int> value_contexts_;
};

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_CONTROL_CONTEXTS_H_
