// SPDX-License-Identifier: Apache-2.0
// Blocks that a list repeats, as layers of a network do.
#ifndef DRAGOMAN_PAGE_FIND_REPEATS_H_
#define DRAGOMAN_PAGE_FIND_REPEATS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::page {

// `count` times the same `period` codes, one after the other, from `begin` on.
struct Repeat {
  std::size_t begin = 0;
  std::size_t period = 0;
  std::size_t count = 0;

  std::size_t end() const { return begin + period * count; }
};

// From left to right, without overlaps; of several that begin at one place the one of the shortest
// period. Near-linear. A run of one and the same code is a repeat of period 1.
std::vector<Repeat> FindRepeats(std::span<const std::uint64_t> codes);

}  // namespace dragoman::page

#endif  // DRAGOMAN_PAGE_FIND_REPEATS_H_
