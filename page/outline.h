// SPDX-License-Identifier: Apache-2.0
// What a page shows of a model: boxes and lines between them, in groups that open in place.
#ifndef DRAGOMAN_PAGE_OUTLINE_H_
#define DRAGOMAN_PAGE_OUTLINE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/layout/layered.h"

namespace dragoman::page {

// The page's scripts know these numbers.
enum class ItemKind : std::uint8_t {
  kNode = 0,
  kInput = 1,
  kOutput = 2,
  kState = 3,   // an input or output that a state is bound to
  kEnters = 4,  // a value that a group reads of its surroundings
  kLeaves = 5,  // a value of a group that its surroundings read
  kGroup = 6,   // of nodes, or one of several bodies
};

inline constexpr std::int32_t kNoGroup = -1;

struct Item {
  ItemKind kind = ItemKind::kNode;
  std::string title;
  std::string note;
  const Node* node = nullptr;     // of kNode
  const Value* value = nullptr;   // of the kinds that stand for a value
  std::int32_t inner = kNoGroup;  // what it shows when it is opened
  layout::Point corner;
  layout::Box size;  // folded
};

struct Link {
  std::uint32_t from = 0;  // items of the group
  std::uint32_t to = 0;
  const Value* value = nullptr;  // the first
  std::uint32_t values = 1;      // how many there are
  std::vector<layout::Point> route;
};

struct Group {
  std::string title;
  std::size_t nodes = 0;  // at any depth
  std::vector<Item> items;
  std::vector<Link> links;
  layout::Box size;  // of the drawing with all inner groups folded
};

// An entry or a function.
struct Root {
  std::string name;
  bool is_function = false;
  std::int32_t group = kNoGroup;
};

struct Outline {
  std::vector<Group> groups;
  std::vector<Root> roots;
};

// Calls of functions open like nodes with bodies, as long as copies of functions are few. Nodes
// that hold nothing but a constant are not items.
Outline MakeOutline(const Model& model);

// Whether a node holds nothing but a constant, which is shown where it is read.
bool IsConstantNode(const Node& node);

}  // namespace dragoman::page

#endif  // DRAGOMAN_PAGE_OUTLINE_H_
