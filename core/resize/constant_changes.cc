// SPDX-License-Identifier: Apache-2.0
#include "core/resize/constant_changes.h"

#include <utility>

namespace dragoman {

std::string ConstantChange::Text() const {
  std::string text = node + ": " + what;
  if (!before.empty()) text += " " + after + " in place of " + before;
  return text;
}

void ConstantChanges::Add(ConstantChange change) {
  ++steps_;
  const auto [place, is_first] =
      places_.try_emplace({change.node, change.operand}, changes_.size());
  if (is_first) {
    changes_.push_back(std::move(change));
    return;
  }
  ConstantChange& known = changes_[place->second];
  if (!known.before.empty() && !change.before.empty()) change.before = known.before;
  known = std::move(change);
}

void ConstantChanges::Add(const ConstantChanges& later) {
  for (const ConstantChange& change : later.changes_) Add(change);
}

std::vector<std::string> ConstantChanges::Texts() const {
  std::vector<std::string> texts;
  for (const ConstantChange& change : changes_) texts.push_back(change.Text());
  return texts;
}

}  // namespace dragoman
