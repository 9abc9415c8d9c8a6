// SPDX-License-Identifier: Apache-2.0
#include "page/find_repeats.h"

#include <unordered_map>

#include "core/support/hash.h"

namespace dragoman::page {
namespace {

constexpr std::size_t kLongestPeriod = 4096;

// For each place, how far on the same three codes come again; 0: nowhere.
std::vector<std::size_t> NextSame(std::span<const std::uint64_t> codes) {
  std::vector<std::size_t> distance(codes.size());
  std::unordered_map<std::uint64_t, std::size_t> last;
  for (std::size_t i = codes.size(); i-- > 0;) {
    std::uint64_t code = codes[i];
    for (std::size_t k = i + 1; k < i + 3 && k < codes.size(); ++k)
      code = HashCombine(code, codes[k]);
    const auto [at, added] = last.try_emplace(code, i);
    if (!added) distance[i] = at->second - i;
    at->second = i;
  }
  return distance;
}

}  // namespace

std::vector<Repeat> FindRepeats(std::span<const std::uint64_t> codes) {
  std::vector<Repeat> repeats;
  const std::vector<std::size_t> distance = NextSame(codes);
  // Up to where each code is known to equal the one a period later, or not to be repeated by it.
  std::unordered_map<std::size_t, std::size_t> looked;
  for (std::size_t i = 0; i < codes.size();) {
    const std::size_t two_equal = i + 1 < codes.size() && codes[i] == codes[i + 1] ? 1 : 0;
    const std::size_t period = two_equal != 0 ? 1 : distance[i];
    const bool is_new = period != 0 && period <= kLongestPeriod && looked[period] <= i;
    std::size_t end = i;
    while (is_new && end + period < codes.size() && codes[end] == codes[end + period]) ++end;
    if (is_new && end - i >= period) {
      repeats.push_back({i, period, (end - i) / period + 1});
      i = repeats.back().end();
      continue;
    }
    if (is_new) looked[period] = end;
    ++i;
  }
  return repeats;
}

}  // namespace dragoman::page
