// SPDX-License-Identifier: Apache-2.0
#include "page/grouping.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/support/hash.h"
#include "page/find_repeats.h"

namespace dragoman::page {
namespace {

constexpr std::size_t kMostChildren = 600;
constexpr std::size_t kPartSize = 250;
constexpr std::size_t kDeepestScope = 24;

using Member = Grouping::Child;
using Bundle = Grouping::Group;

class Grouper {
 public:
  explicit Grouper(std::span<const Leaf> leaves) : leaves_(leaves) {}

  Grouping Run() {
    groups_.emplace_back();
    for (std::size_t i = 0; i < leaves_.size(); ++i)
      groups_[ScopeGroup(leaves_[i].scope)].children.push_back({false, i});
    // Inner groups have larger numbers than those around them.
    signatures_.resize(groups_.size());
    for (std::size_t i = groups_.size(); i-- > 0;) Simplify(i);
    OpenOnlyGroup();
    const std::size_t scopes = groups_.size();
    for (std::size_t i = scopes; i-- > 0;) {
      FoldRepeats(i);
      signatures_[i] = SignatureOfAll(groups_[i].children);
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) CutIntoParts(i);
    return Compact();
  }

 private:
  std::size_t ScopeGroup(const std::vector<std::string>& scope) {
    std::size_t group = 0;
    for (std::size_t depth = 0; depth < std::min(scope.size(), kDeepestScope); ++depth) {
      const auto [at, added] = by_scope_.try_emplace({group, scope[depth]}, groups_.size());
      if (added) {
        groups_[group].children.push_back({true, groups_.size()});
        groups_.push_back({GroupKind::kScope, scope[depth], {}, 0});
      }
      group = at->second;
    }
    return group;
  }

  // Children that are groups of one take its place; a group in a group alone gives it its name.
  void Simplify(std::size_t number) {
    for (Member& child : groups_[number].children) {
      while (child.is_group && groups_[child.number].children.size() == 1 &&
             !groups_[child.number].children[0].is_group)
        child = groups_[child.number].children[0];
    }
    Bundle& group = groups_[number];
    if (number == 0 || group.children.size() != 1 || !group.children[0].is_group) return;
    Bundle& inner = groups_[group.children[0].number];
    group.title += "/" + inner.title;
    group.children = std::exchange(inner.children, {});
  }

  // A group that holds all nodes says nothing.
  void OpenOnlyGroup() {
    std::vector<Member>& children = groups_[0].children;
    const auto is_part = [&](const Member& child) {
      return child.is_group || leaves_[child.number].code != 0;
    };
    if (std::count_if(children.begin(), children.end(), is_part) != 1) return;
    const auto only = std::find_if(children.begin(), children.end(), is_part);
    if (!only->is_group) return;
    std::vector<Member> inner = std::exchange(groups_[only->number].children, {});
    const auto at = children.erase(only);
    children.insert(at, inner.begin(), inner.end());
  }

  std::uint64_t SignatureOf(const Member& child) const {
    if (child.is_group) return signatures_[child.number];
    const std::uint64_t code = leaves_[child.number].code;
    return code != 0 ? code : HashCombine(child.number, 1);
  }
  std::uint64_t SignatureOfAll(std::span<const Member> children) const {
    std::uint64_t signature = children.size();
    for (const Member& child : children) signature = HashCombine(signature, SignatureOf(child));
    return signature;
  }

  std::size_t LeavesBelow(std::span<const Member> children) const {
    std::size_t count = 0;
    std::vector<Member> stack(children.begin(), children.end());
    while (!stack.empty()) {
      const Member child = stack.back();
      stack.pop_back();
      if (!child.is_group) {
        ++count;
      } else if (groups_[child.number].leaves != 0) {
        count += groups_[child.number].leaves;
      } else {
        const auto& inner = groups_[child.number].children;
        stack.insert(stack.end(), inner.begin(), inner.end());
      }
    }
    return count;
  }

  bool IsWorthFolding(const Repeat& repeat, std::span<const Member> children) const {
    const auto block = children.subspan(repeat.begin, repeat.period);
    if (repeat.period == 1) return block[0].is_group && repeat.count >= 3;
    const std::size_t leaves = LeavesBelow(block);
    return repeat.count >= 3 ? leaves >= 4 : leaves >= 8;
  }

  std::size_t AddGroup(GroupKind kind, std::string title, std::span<const Member> children) {
    groups_.push_back({kind, std::move(title), {children.begin(), children.end()}, 0});
    signatures_.push_back(SignatureOfAll(groups_.back().children));
    return groups_.size() - 1;
  }

  // "layer" of "layer.0", "layer.1", …
  std::string CommonTitle(std::span<const Member> blocks) const {
    std::string common = groups_[blocks.front().number].title;
    for (const Member& block : blocks) {
      const std::string& title = groups_[block.number].title;
      common.erase(std::ranges::mismatch(common, title).in1, common.end());
    }
    while (!common.empty() &&
           std::string_view(" 0123456789._-/[").find(common.back()) != std::string_view::npos)
      common.pop_back();
    return common.empty() ? "block" : common;
  }

  Member FoldRepeat(const Repeat& repeat, std::span<const Member> children) {
    std::vector<Member> blocks;
    for (std::size_t i = 0; i < repeat.count; ++i) {
      const auto block = children.subspan(repeat.begin + i * repeat.period, repeat.period);
      blocks.push_back(
          repeat.period == 1
              ? block[0]
              : Member{true, AddGroup(GroupKind::kBlock, fmt::format("block {}", i + 1), block)});
    }
    const std::string title = fmt::format("{} \u00d7 {}", CommonTitle(blocks), repeat.count);
    return {true, AddGroup(GroupKind::kRepeat, title, blocks)};
  }

  void FoldRepeats(std::size_t number) {
    const std::vector<Member> children = groups_[number].children;
    std::vector<std::uint64_t> codes;
    for (const Member& child : children) codes.push_back(SignatureOf(child));
    std::vector<Member> folded;
    std::size_t done = 0;
    for (const Repeat& repeat : FindRepeats(codes)) {
      if (!IsWorthFolding(repeat, children)) continue;
      folded.insert(folded.end(), children.begin() + static_cast<std::ptrdiff_t>(done),
                    children.begin() + static_cast<std::ptrdiff_t>(repeat.begin));
      folded.push_back(FoldRepeat(repeat, children));
      done = repeat.end();
    }
    folded.insert(folded.end(), children.begin() + static_cast<std::ptrdiff_t>(done),
                  children.end());
    // All of a scope is one repeat: its blocks need no further group around them.
    if (number != 0 && folded.size() == 1 && folded[0].is_group)
      folded = std::exchange(groups_[folded[0].number].children, {});
    groups_[number].children = std::move(folded);
  }

  void CutIntoParts(std::size_t number) {
    const std::vector<Member> children = groups_[number].children;
    if (children.size() <= kMostChildren) return;
    const std::size_t parts =
        std::min((children.size() + kPartSize - 1) / kPartSize, kMostChildren);
    std::vector<Member> cut;
    for (std::size_t i = 0; i < parts; ++i) {
      const std::size_t begin = children.size() * i / parts;
      const std::size_t end = children.size() * (i + 1) / parts;
      cut.push_back({true, AddGroup(GroupKind::kPart, fmt::format("part {} of {}", i + 1, parts),
                                    std::span(children).subspan(begin, end - begin))});
    }
    groups_[number].children = std::move(cut);
  }

  // Without the groups that were emptied, in order of a walk from the top.
  Grouping Compact() const {
    Grouping made;
    made.groups.push_back(groups_[0]);
    for (std::size_t i = 0; i < made.groups.size(); ++i) {
      for (std::size_t k = 0; k < made.groups[i].children.size(); ++k) {
        if (!made.groups[i].children[k].is_group) continue;
        const Bundle& inner = groups_[made.groups[i].children[k].number];
        made.groups[i].children[k].number = made.groups.size();
        made.groups.push_back(inner);
      }
    }
    for (std::size_t i = made.groups.size(); i-- > 0;) {
      made.groups[i].leaves = 0;
      for (const Member& child : made.groups[i].children)
        made.groups[i].leaves += child.is_group ? made.groups[child.number].leaves : 1;
    }
    return made;
  }

  std::span<const Leaf> leaves_;
  std::vector<Bundle> groups_;
  std::vector<std::uint64_t> signatures_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> by_scope_;
};

}  // namespace

Grouping GroupLeaves(std::span<const Leaf> leaves) { return Grouper(leaves).Run(); }

}  // namespace dragoman::page
