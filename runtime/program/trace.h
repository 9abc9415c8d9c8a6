// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which step of a program runs: for messages and for profiles.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_TRACE_H_
#define DRAGOMAN_RUNTIME_PROGRAM_TRACE_H_

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Time and number of runs of one step.
struct StepProfile {
  std::string step;
  std::string implementation;  // of a prepared operator
  std::int64_t calls = 0;
  std::chrono::nanoseconds time{0};
};

class Trace {
 public:
  using Clock = std::chrono::steady_clock;

  // `names`, one per step, outlive the trace.
  explicit Trace(const char* const* names) : names_(names) {}

  // Step `step` begins, and with it the one before ends.
  void At(int step) {
    if (profiling_) Record(step);
    step_ = step;
  }
  // The entry ends. A failure is reported with the step at which it happened; the text lives until
  // the next one.
  Status Finish(Status status) noexcept {
    if (profiling_) Record(-1);
    const int step = step_;
    step_ = -1;
    if (status.ok() || step < 0) return status;
    std::snprintf(text_, sizeof text_, "%s: %s", names_[step], status.message());
    return Status::Error(text_);
  }

  // That an argument, such as "input 'x'", is null or has other sizes than `expected` says. The
  // text lives until the next failure.
  Status Refuse(const char* what, const void* data, const Shape& sizes,
                const char* expected) noexcept {
    if (data == nullptr) {
      std::snprintf(text_, sizeof text_, "%s is null, expected %s", what, expected);
      return Status::Error(text_);
    }
    char list[24 * kMaxRank + 1] = "";
    int end = 0;
    for (const std::int64_t size : sizes) {
      end += std::snprintf(list + end, sizeof list - static_cast<std::size_t>(end), "%s%lld",
                           end == 0 ? "" : ", ", static_cast<long long>(size));
    }
    std::snprintf(text_, sizeof text_, "%s has sizes [%s], expected %s", what, list, expected);
    return Status::Error(text_);
  }

  // For profiles: what computes step `step`, and the blocks of channels in which it leaves its
  // result; 1 stands for row-major order. Throws std::bad_alloc.
  void Describe(int step, const char* implementation, std::int64_t block) {
    const auto index = static_cast<std::size_t>(step);
    if (implementations_.size() <= index) implementations_.resize(index + 1);
    implementations_[index] = implementation;
    if (block != 1) implementations_[index] += ", channels by " + std::to_string(block);
  }

  void StartProfile() {
    profile_.clear();
    profiling_ = true;
  }
  // Of every step that ran since StartProfile, in program order.
  std::vector<StepProfile> Profile() const {
    std::vector<StepProfile> steps;
    for (std::size_t i = 0; i < profile_.size(); ++i) {
      if (profile_[i].calls == 0) continue;
      steps.push_back(profile_[i]);
      steps.back().step = names_[i];
      if (i < implementations_.size()) steps.back().implementation = implementations_[i];
    }
    return steps;
  }

 private:
  void Record(int step) {
    const Clock::time_point now = Clock::now();
    if (step_ >= 0) {
      if (profile_.size() <= static_cast<std::size_t>(step_))
        profile_.resize(static_cast<std::size_t>(step_) + 1);
      StepProfile& ended = profile_[static_cast<std::size_t>(step_)];
      ++ended.calls;
      ended.time += now - since_;
    }
    since_ = now;
    step_ = step;
  }

  const char* const* names_;
  int step_ = -1;
  bool profiling_ = false;
  Clock::time_point since_;
  std::vector<StepProfile> profile_;
  std::vector<std::string> implementations_;
  char text_[512] = {};
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_TRACE_H_
