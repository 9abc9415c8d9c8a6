// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rotary position embedding in f32 by one loop: the elements a and b of each pair of a row become
// a · cos - b · sin and b · cos + a · sin. Rows of x and of the tables lie where their strides say;
// those of y follow each other.
#ifndef DRAGOMAN_RUNTIME_FAST_ROTARY_H_
#define DRAGOMAN_RUNTIME_FAST_ROTARY_H_

#include <cstdint>

#include "runtime/fast/context.h"
#include "runtime/fast/strided.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// A batch of rows, whose elements follow each other.
using RotaryRows = Strided;

struct RotarySizes {
  Shape batch;
  std::int64_t pairs = 0;     // of a row
  bool interleaved = false;   // the elements of a pair are neighbours, else `pairs` apart
  bool whole_tables = false;  // rows of cos and sin are as those of x; else an element a pair
  RotaryRows x, cos, sin;
};

class PreparedRotary {
 public:
  // Nothing empty.
  static bool Supports(const RotarySizes& sizes);

  Status Init(const FastContext& context, const RotarySizes& sizes) noexcept;
  // Takes other sizes, which Supports.
  void Resize(const RotarySizes& sizes) noexcept;
  Status Run(const float* x, const float* cos, const float* sin, float* y,
             void* scratch) const noexcept;
  std::int64_t ScratchBytes() const noexcept { return 0; }
  const char* Implementation() const noexcept { return "own loop"; }

 private:
  void RunRows(std::int64_t entry, const float* x, const float* cos, const float* sin,
               float* y) const noexcept;

  RotarySizes sizes_;
  std::int64_t rows_ = 1;     // along the last axis of the batch
  std::int64_t entries_ = 1;  // of the others
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_ROTARY_H_
