// SPDX-License-Identifier: Apache-2.0
#include "core/resize/choices.h"

#include <algorithm>

namespace dragoman {

std::size_t Choices::Choose(std::size_t site, std::size_t count, const std::string& pattern) {
  if (count == 1) return 0;
  const auto settled = settled_.find(site);
  Choice choice;
  if (settled != settled_.end() && settled->second.count == count) {
    choice = settled->second;
  } else {
    const auto first = patterns_.find(pattern);
    choice = {site, count, first != patterns_.end() ? first->second : 0, 0, pattern};
  }
  made_.push_back(choice);
  return (choice.first + choice.tried) % count;
}

bool Choices::TryNext(const std::set<std::size_t>& sites) {
  const auto last = std::find_if(made_.rbegin(), made_.rend(), [&](const Choice& choice) {
    return sites.contains(choice.site) && choice.tried + 1 < choice.count;
  });
  if (last == made_.rend()) return false;
  settled_.clear();
  for (auto choice = made_.begin(); choice != last.base(); ++choice)
    settled_[choice->site] = *choice;
  Choice& next = settled_[last->site];
  ++next.tried;
  patterns_[next.pattern] = (next.first + next.tried) % next.count;
  return true;
}

}  // namespace dragoman
