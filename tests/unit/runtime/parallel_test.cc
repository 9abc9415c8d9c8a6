// SPDX-License-Identifier: Apache-2.0
// Teams of threads that meet.
#include "runtime/fast/parallel.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "runtime/fast/threads.h"

namespace dragoman::rt {
namespace {

TEST(BarrierTest, ShowsWhatTheOthersWroteBefore) {
  SetThreads(4);
  std::vector<std::int64_t> meetings(4, 0);
  std::vector<char> agreed(4, 1);
  Barrier barrier;
  Team(4, [&](std::int64_t thread, std::int64_t threads) {
    for (std::int64_t i = 1; i <= 1000; ++i) {
      meetings[static_cast<std::size_t>(thread)] = i;
      barrier.Meet(threads);
      const std::int64_t sum = std::accumulate(meetings.begin(), meetings.begin() + threads, 0);
      if (sum != i * threads) agreed[static_cast<std::size_t>(thread)] = 0;
      barrier.Meet(threads);
    }
  });
  SetThreads(1);
  EXPECT_EQ(agreed, std::vector<char>(4, 1));
}

}  // namespace
}  // namespace dragoman::rt
