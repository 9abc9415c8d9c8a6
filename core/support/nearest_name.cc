// SPDX-License-Identifier: Apache-2.0
#include "core/support/nearest_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace dragoman {
namespace {

constexpr std::size_t kLongest = 200;  // longer names get no suggestion

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t Distance(std::string_view a, std::string_view b) {
  // rows[0] is the row of the prefix a[0, i), rows[1] and rows[2] are those before it.
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.resize(b.size() + 1);
  for (std::size_t i = 0; i <= a.size(); ++i) {
    std::rotate(rows.begin(), rows.end() - 1, rows.end());
    rows[0][0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      if (i == 0) {
        rows[0][j] = j;
        continue;
      }
      const bool equal = Lower(a[i - 1]) == Lower(b[j - 1]);
      rows[0][j] = std::min({rows[1][j] + 1, rows[0][j - 1] + 1, rows[1][j - 1] + (equal ? 0 : 1)});
      const bool exchanged = i > 1 && j > 1 && Lower(a[i - 1]) == Lower(b[j - 2]) &&
                             Lower(a[i - 2]) == Lower(b[j - 1]);
      if (exchanged) rows[0][j] = std::min(rows[0][j], rows[2][j - 2] + 1);
    }
  }
  return rows[0][b.size()];
}

}  // namespace

std::string DidYouMean(std::string_view name, std::span<const std::string> candidates) {
  if (name.size() > kLongest) return "";
  std::size_t least = std::numeric_limits<std::size_t>::max();
  const std::string* nearest = nullptr;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const std::size_t distance = Distance(name, candidate);
    if (distance >= least || 3 * distance > std::max(name.size(), candidate.size())) continue;
    least = distance;
    nearest = &candidate;
  }
  return nearest == nullptr ? "" : " (did you mean '" + *nearest + "'?)";
}

std::string WhatThereIs(std::string_view name, std::string_view they_are,
                        std::span<const std::string> candidates) {
  constexpr std::size_t kListed = 12;
  if (candidates.empty()) return "; there are none";
  std::string text = DidYouMean(name, candidates) + "; " + std::string(they_are);
  for (std::size_t i = 0; i < candidates.size() && i < kListed; ++i)
    text += (i == 0 ? " '" : ", '") + candidates[i] + "'";
  if (candidates.size() > kListed)
    text += ", … and " + std::to_string(candidates.size() - kListed) + " more";
  return text;
}

}  // namespace dragoman
