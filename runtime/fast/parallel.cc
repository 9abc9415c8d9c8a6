#include "runtime/fast/parallel.h"

#include <algorithm>

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

struct Work {
  std::int64_t count;
  std::int64_t parts;
  void* context;
  void (*body)(void*, std::int64_t, std::int64_t);

  void Run(std::int64_t part) const {
    body(context, count * part / parts, count * (part + 1) / parts);
  }
};

}  // namespace

void ParallelParts(std::int64_t count, std::int64_t grain, void* context,
                   void (*body)(void*, std::int64_t, std::int64_t)) noexcept {
  std::int64_t parts = count / std::max<std::int64_t>(grain, 1);
  if (parts > 1 && GOMP_parallel != nullptr && omp_get_max_threads != nullptr &&
      omp_get_num_threads != nullptr && omp_get_thread_num != nullptr) {
    parts = std::min<std::int64_t>(parts, omp_get_max_threads());
  } else {
    parts = 1;
  }
  Work work{count, parts, context, body};
  if (parts <= 1) return body(context, 0, count);
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

}  // namespace dragoman::rt
