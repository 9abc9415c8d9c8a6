// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/parallel.h"

#include <algorithm>
#include <thread>

// Of the OpenMP library that oneDNN brings along, if it does: one pool of threads serves both.
extern "C" {
int omp_get_max_threads() __attribute__((weak));
int omp_get_num_threads() __attribute__((weak));
int omp_get_thread_num() __attribute__((weak));
void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags)
    __attribute__((weak));
}

namespace dragoman::rt {
namespace {

constexpr int kTurns = 4096;  // of a thread that waits, before others may have its processor

struct Work {
  std::int64_t count;
  std::int64_t parts;
  void* context;
  void (*body)(void*, std::int64_t, std::int64_t);

  void Run(std::int64_t part) const {
    body(context, count * part / parts, count * (part + 1) / parts);
  }
};

struct Crew {
  void* context;
  void (*body)(void*, std::int64_t, std::int64_t);
};

// How many of `wanted` threads there are.
std::int64_t AvailableThreads(std::int64_t wanted) {
  const bool has_threads = GOMP_parallel != nullptr && omp_get_max_threads != nullptr &&
                           omp_get_num_threads != nullptr && omp_get_thread_num != nullptr;
  if (wanted <= 1 || !has_threads) return 1;
  return std::min<std::int64_t>(wanted, omp_get_max_threads());
}

}  // namespace

void ParallelParts(std::int64_t count, std::int64_t grain, void* context,
                   void (*body)(void*, std::int64_t, std::int64_t)) noexcept {
  const std::int64_t parts = AvailableThreads(count / std::max<std::int64_t>(grain, 1));
  if (parts == 1) return body(context, 0, count);
  Work work{count, parts, context, body};
  GOMP_parallel(
      [](void* data) {
        const Work& shared = *static_cast<const Work*>(data);
        for (std::int64_t part = omp_get_thread_num(); part < shared.parts;
             part += omp_get_num_threads()) {
          shared.Run(part);
        }
      },
      &work, static_cast<unsigned>(parts), 0);
}

void RunTeam(std::int64_t threads, void* context,
             void (*body)(void*, std::int64_t, std::int64_t)) noexcept {
  const std::int64_t available = AvailableThreads(threads);
  if (available == 1) return body(context, 0, 1);
  Crew crew{context, body};
  GOMP_parallel(
      [](void* data) {
        const Crew& shared = *static_cast<const Crew*>(data);
        shared.body(shared.context, omp_get_thread_num(), omp_get_num_threads());
      },
      &crew, static_cast<unsigned>(available), 0);
}

void Barrier::Meet(std::int64_t threads) noexcept {
  const std::uint32_t meeting = meetings_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads) {
    arrived_.store(0, std::memory_order_relaxed);
    meetings_.store(meeting + 1, std::memory_order_release);
    return;
  }
  for (int turn = 0; meetings_.load(std::memory_order_acquire) == meeting; ++turn) {
    if (turn >= kTurns) std::this_thread::yield();
  }
}

}  // namespace dragoman::rt
