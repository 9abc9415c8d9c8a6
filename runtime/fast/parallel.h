// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that is divided among the threads that oneDNN uses too.
#ifndef DRAGOMAN_RUNTIME_FAST_PARALLEL_H_
#define DRAGOMAN_RUNTIME_FAST_PARALLEL_H_

#include <atomic>
#include <cstdint>

namespace dragoman::rt {

// Calls body(context, begin, end) for parts that make up [0, count), each at least `grain` long, on
// as many threads as SetThreads allowed. One part runs on the calling thread without any overhead.
void ParallelParts(std::int64_t count, std::int64_t grain, void* context,
                   void (*body)(void* context, std::int64_t begin, std::int64_t end)) noexcept;

// The same for a function object: body(begin, end).
template <class Body>
void Parallel(std::int64_t count, std::int64_t grain, Body body) noexcept {
  ParallelParts(count, grain, &body, [](void* context, std::int64_t begin, std::int64_t end) {
    (*static_cast<Body*>(context))(begin, end);
  });
}

// Calls body(context, thread, threads) on `threads` threads at once, numbered from 0, or on as many
// as there are; all of them may meet at a Barrier, equally often.
void RunTeam(std::int64_t threads, void* context,
             void (*body)(void* context, std::int64_t thread, std::int64_t threads)) noexcept;

// The same for a function object: body(thread, threads).
template <class Body>
void Team(std::int64_t threads, Body body) noexcept {
  RunTeam(threads, &body, [](void* context, std::int64_t thread, std::int64_t count) {
    (*static_cast<Body*>(context))(thread, count);
  });
}

// Where the threads of a team wait for each other. A thread that has waited in vain for some
// microseconds lets others have its processor: one that is missing may need it.
class Barrier {
 public:
  // Returns when all `threads` threads have called it; what they wrote before is seen then.
  void Meet(std::int64_t threads) noexcept;

 private:
  std::atomic<std::int64_t> arrived_{0};
  std::atomic<std::uint32_t> meetings_{0};
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_PARALLEL_H_
