// SPDX-License-Identifier: Apache-2.0
#include "core/compare/colors.h"

#include "core/support/flat_map.h"
#include "core/support/hash.h"

namespace dragoman::compare {
namespace {

constexpr int kCycleRounds = 8;

class Coloring {
 public:
  using Hashes = std::vector<std::uint64_t>;

  Coloring(std::span<const Node* const> nodes,
           const std::function<std::uint64_t(const Value*)>& outside)
      : nodes_(nodes), outside_(outside) {
    for (std::size_t i = 0; i < nodes.size(); ++i) index_.TryEmplace(nodes[i], i);
    Sort();
  }

  // What each node computes, given the hashes of the nodes by themselves.
  Hashes Upstream(const Hashes& local) const {
    Hashes up = local;
    for (std::size_t i : acyclic_) up[i] = Computes(i, local, up);
    for (int round = 0; round < kCycleRounds && !cyclic_.empty(); ++round) {
      const Hashes before = up;
      for (std::size_t i : cyclic_) up[i] = Computes(i, local, before);
    }
    return up;
  }

  // What uses each node.
  Hashes Downstream(const Hashes& local) const {
    Hashes uses(nodes_.size(), 0);
    for (std::size_t i : cyclic_) AddUses(i, local[i], uses);
    for (auto i = acyclic_.rbegin(); i != acyclic_.rend(); ++i) {
      AddUses(*i, HashCombine(local[*i], uses[*i]), uses);
    }
    return uses;
  }

 private:
  // The producer's place in `nodes_`, or their number if it is not there.
  std::size_t Producer(const Value* value) const {
    if (value == nullptr || value->producer() == nullptr) return nodes_.size();
    const std::size_t* found = index_.Find(value->producer());
    return found == nullptr ? nodes_.size() : *found;
  }

  void Sort() {
    std::vector<std::size_t> open(nodes_.size(), 0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (const Use& use : nodes_[i]->operands()) open[i] += Producer(use.value()) < nodes_.size();
      if (open[i] == 0) acyclic_.push_back(i);
    }
    for (std::size_t at = 0; at < acyclic_.size(); ++at) Release(acyclic_[at], open);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (open[i] > 0) cyclic_.push_back(i);
    }
  }

  void Release(std::size_t i, std::vector<std::size_t>& open) {
    for (std::size_t r = 0; r < nodes_[i]->num_results(); ++r) {
      const Value* result = nodes_[i]->result(r);
      if (result == nullptr) continue;
      for (const Use* use = result->first_use(); use != nullptr; use = use->next()) {
        const std::size_t* user = index_.Find(use->user());
        if (user != nullptr && --open[*user] == 0) acyclic_.push_back(*user);
      }
    }
  }

  std::uint64_t Computes(std::size_t i, const Hashes& local, const Hashes& up) const {
    std::uint64_t hash = local[i];
    for (const Use& use : nodes_[i]->operands()) {
      const std::size_t producer = Producer(use.value());
      const bool inside = producer < nodes_.size();
      hash = HashCombine(
          hash, inside ? HashCombine(up[producer], use.value()->index()) : outside_(use.value()));
    }
    return hash;
  }

  void AddUses(std::size_t i, std::uint64_t user, Hashes& uses) const {
    for (const Use& use : nodes_[i]->operands()) {
      const std::size_t producer = Producer(use.value());
      if (producer == nodes_.size()) continue;
      uses[producer] += HashCombine(user, HashCombine(use.index(), use.value()->index()));
    }
  }

  std::span<const Node* const> nodes_;
  const std::function<std::uint64_t(const Value*)>& outside_;
  FlatMap<const Node*, std::size_t> index_;
  std::vector<std::size_t> acyclic_;  // operands first
  std::vector<std::size_t> cyclic_;
};

}  // namespace

std::vector<std::uint64_t> ColorNodes(std::span<const Node* const> nodes,
                                      const std::function<std::uint64_t(const Node&)>& local,
                                      const std::function<std::uint64_t(const Value*)>& outside) {
  const Coloring coloring(nodes, outside);
  std::vector<std::uint64_t> colors;
  colors.reserve(nodes.size());
  for (const Node* node : nodes) colors.push_back(local(*node));
  const std::vector<std::uint64_t> up = coloring.Upstream(colors);
  const std::vector<std::uint64_t> down = coloring.Downstream(colors);
  for (std::size_t i = 0; i < nodes.size(); ++i) colors[i] = HashCombine(up[i], down[i]);
  return coloring.Upstream(colors);
}

}  // namespace dragoman::compare
