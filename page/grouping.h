// SPDX-License-Identifier: Apache-2.0
// How the nodes of a graph are put into groups that fold: by scope, by repeated block, and where
// neither is of use, by their order.
#ifndef DRAGOMAN_PAGE_GROUPING_H_
#define DRAGOMAN_PAGE_GROUPING_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman::page {

struct Leaf {
  std::vector<std::string> scope;  // outermost first
  std::uint64_t code = 0;  // what it computes; 0: stands at the top and is no part of blocks
};

enum class GroupKind : std::uint8_t {
  kWhole,   // all of a graph
  kScope,   // what shares a scope
  kRepeat,  // blocks that are alike
  kBlock,   // one of them
  kPart,    // some that follow one another
};

struct Grouping {
  struct Child {
    bool is_group = false;
    std::size_t number = 0;  // of the leaf, or of the group
  };
  struct Group {
    GroupKind kind = GroupKind::kWhole;
    std::string title;
    std::vector<Child> children;
    std::size_t leaves = 0;  // below it, at any depth
  };
  std::vector<Group> groups;  // the first is the whole
};

// No group but the whole has fewer than two children, or more than about 600.
Grouping GroupLeaves(std::span<const Leaf> leaves);

}  // namespace dragoman::page

#endif  // DRAGOMAN_PAGE_GROUPING_H_
