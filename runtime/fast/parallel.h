// Work that is divided among the threads that oneDNN uses too.
#ifndef DRAGOMAN_RUNTIME_FAST_PARALLEL_H_
#define DRAGOMAN_RUNTIME_FAST_PARALLEL_H_

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

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_PARALLEL_H_
