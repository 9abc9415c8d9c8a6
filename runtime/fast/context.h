// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oneDNN engine and stream on which the prepared operators of one object run.
#ifndef DRAGOMAN_RUNTIME_FAST_CONTEXT_H_
#define DRAGOMAN_RUNTIME_FAST_CONTEXT_H_

#include <memory>

#include "runtime/params/status.h"

namespace dragoman::rt {

// It outlives the operators that were prepared with it. They may run on one thread at a time.
class FastContext {
 public:
  struct Impl;

  FastContext();
  ~FastContext();
  FastContext(const FastContext&) = delete;
  FastContext& operator=(const FastContext&) = delete;

  // To be called once, before any operator is prepared.
  Status Init() noexcept;
  Impl& impl() const { return *impl_; }

  // Operators note that they found NaN or infinities in their operands; this forgets it.
  void BeginRun() noexcept;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_CONTEXT_H_
