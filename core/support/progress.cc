// SPDX-License-Identifier: Apache-2.0
#include "core/support/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <utility>

#include "core/support/printable.h"

namespace dragoman {
namespace {

constexpr std::chrono::seconds kTick(1);

std::atomic<bool> working = false;
std::atomic<bool> shown = false;

}  // namespace

Progress::Progress(std::string what) : what_(Printable(what)) {
  outermost_ = !working.exchange(true);
  if (outermost_ && ::isatty(STDERR_FILENO) == 1) thread_ = std::thread(&Progress::Show, this);
}

Progress::~Progress() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    end_.notify_one();
    thread_.join();
    EraseProgress();
  }
  if (outermost_) working = false;
}

void Progress::Show() {
  std::unique_lock lock(mutex_);
  for (int seconds = 1; !end_.wait_for(lock, kTick, [this] { return ended_; }); ++seconds) {
    fmt::print(stderr, "\r\x1b[K{}, {} s", what_, seconds);
    std::fflush(stderr);
    shown = true;
  }
}

void EraseProgress() {
  if (shown.exchange(false)) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace dragoman
