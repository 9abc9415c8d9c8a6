#include "core/support/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace dragoman {
namespace {

constexpr std::chrono::seconds kSilence(1);
constexpr std::chrono::milliseconds kInterval(100);

}  // namespace

Progress::Progress(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(std::max<std::uint64_t>(total, 1)),
      terminal_(::isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + kSilence) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::Advance(std::uint64_t steps) {
  done_ = std::min(done_ + steps, total_);
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  const double percent = 100.0 * static_cast<double>(done_) / static_cast<double>(total_);
  fmt::print(stderr, "\r\x1b[K{} {:.0f} %", what_, percent);
  std::fflush(stderr);
  shown_ = true;
  next_ = now + kInterval;
}

}  // namespace dragoman
