// SPDX-License-Identifier: Apache-2.0
// The places of an entry at which a pass makes one change each, as a run of cells that it fuses. A
// pass that asks before each can be made to leave out one that went wrong.
#ifndef DRAGOMAN_CORE_REWRITE_REWRITE_SITES_H_
#define DRAGOMAN_CORE_REWRITE_REWRITE_SITES_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman {

class RewriteSites {
 public:
  RewriteSites() = default;
  // No more than `most`, and none of `left_out`.
  explicit RewriteSites(std::set<std::string> left_out, std::size_t most = SIZE_MAX)
      : left_out_(std::move(left_out)), most_(most) {}

  // Whether the pass may make a change to which `node` belongs: asked when all else allows it. The
  // name of its first result names the place, in all runs of the pass.
  bool Take(const Node& node);
  // The places that were taken, in order.
  const std::vector<std::string>& taken() const { return taken_; }

 private:
  std::set<std::string> left_out_;
  std::size_t most_ = SIZE_MAX;
  std::vector<std::string> taken_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_REWRITE_SITES_H_
